# explain() of what is evaluated in steps: it tells what is stored on the way, and computes nothing.
import numpy as np
import pytest
import rows

import serrate as ak

X = ak.Array([[3.0, 1, 2], [], [5, 4]])


@pytest.mark.parametrize(
    ("passes", "steps", "f"),
    [
        (1, 1, lambda x: ak.sum(x * 2, axis=-1)),
        (1, 1, lambda x: x - ak.mean(x, axis=-1)),
        (1, 1, lambda x: ak.cumsum(x, axis=-1)),
        (2, 1, lambda x: ak.cumsum(x + 1, axis=-1)),  # x + 1 is stored
        (2, 2, lambda x: ak.cumsum(x, axis=-1) * 2),
        (4, 2, lambda x: ak.cumsum(ak.cummax(x + 1, axis=-1) * 2, axis=-1)),
        (3, 3, lambda x: ak.cumsum(ak.cummax(x, axis=-1), axis=-1) + 1),
    ],
)
def test_passes(passes, steps, f):
    for x in (X, X[:0], X[1:], ak.Array([[1, None], [], [2]])):
        y = f(x)
        plan = ak.explain(y)
        assert plan.passes == passes, plan
        assert ("step" in plan.text) == (steps > 1), plan
        assert plan.text.count("\nstep ") == (steps if steps > 1 else 0), plan
        assert ak.explain(y).text == plan.text  # nothing was computed
        ak.compute(y)
        assert ak.explain(y).passes == 0


def test_bytes():
    x = ak.Array(np.arange(1000.0).reshape(10, 100))
    plan = ak.explain(ak.cumsum(x, axis=1) * 2)
    # Running sums are written and read again.
    assert (plan.bytes_read, plan.bytes_written) == (16000, 16000)
    assert ak.explain(ak.cumsum(x, axis=1)).bytes_written == 8000


def test_what_is_sorted_is_told():
    plan = ak.explain(ak.sort(X * 2, axis=-1)[:, :1])
    assert plan.passes == 3
    assert "store multiply" in plan.text
    assert "store sort(multiply" in plan.text or "store argsort" in plan.text


def results():
    """(name, result not yet looked at, its value) of every function that takes lists of numbers."""
    for name in sorted(rows.ROWS):
        if name in rows.OTHERS or not hasattr(ak, name):
            continue
        try:
            f = rows.call(name)
            one = f(ak, X)
            want = ak.to_list(f(ak, X))
        except (KeyError, TypeError, ValueError):
            continue
        if isinstance(one, ak.Array):
            yield name, one, want


def test_every_function():
    """Being explained changes nothing, whatever a result is made of."""
    names = []
    for name, y, want in results():
        plan = ak.explain(y)
        assert plan.passes >= 0, name
        assert ak.explain(y).text == plan.text, name
        assert str(y.to_list()) == str(want), name
        names.append(name)
    assert len(names) > 50, names
