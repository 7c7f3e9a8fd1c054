"""Lists that are chosen or cut and computed: they point to the items of what they were chosen from
until a second operation reads them. Beside Awkward, whose ListArrays they are."""

import pickle

import awkward
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, plain, some, type_text
from nestings import nestings

import serrate as ak

NESTINGS = nestings()


def rows(x, seed=3):
    rng = np.random.default_rng(seed)
    return rng.random(len(x)) < 0.6, rng.integers(0, max(len(x), 1), len(x) + 2 if len(x) else 0)


CHOSEN = {
    "mask": lambda lib, x: x[rows(x)[0]],
    "places": lambda lib, x: x[rows(x)[1]],
    "reversed": lambda lib, x: x[::-1],
    "step": lambda lib, x: x[1::2],
    "mask of mask": lambda lib, x: x[rows(x)[0]][rows(x[rows(x)[0]])[0]],
    "num": lambda lib, x: x[lib.num(x, axis=1) > 1],
    "tails": lambda lib, x: x[:, 1:],
    "heads": lambda lib, x: x[:, :2],
    "inner reversed": lambda lib, x: x[:, ::-1],
    "firsts": lambda lib, x: lib.firsts(x, axis=1),
    "pad_none": lambda lib, x: lib.pad_none(x, 2, axis=1),
    "pairs": lambda lib, x: lib.combinations(x, 2, axis=1),
    "zip": lambda lib, x: lib.zip({"a": x, "n": np.arange(len(x))}, depth_limit=1)[rows(x)[0]],
}
READ = {
    "itself": lambda lib, y: y,
    "num": lambda lib, y: lib.num(y, axis=1),
    "sum": lambda lib, y: lib.sum(y, axis=-1),
    "twice": lambda lib, y: y + y,
    "flatten": lambda lib, y: lib.flatten(y, axis=1),
    "ravel": lambda lib, y: lib.ravel(y),
    "sort": lambda lib, y: lib.sort(y, axis=-1),
    "argmax": lambda lib, y: lib.argmax(y, axis=-1),
    "rows": lambda lib, y: y[1:],
    "row": lambda lib, y: y[0],
    "items": lambda lib, y: y[:, :1],
    "masked": lambda lib, y: y[y > 0],
    "joined": lambda lib, y: lib.concatenate([y, y], axis=1),
    "behind": lambda lib, y: lib.concatenate([y, y]),
    "pairs": lambda lib, y: lib.cartesian([y, y], axis=1),
    "field": lambda lib, y: y["a"],
    "is_none": lambda lib, y: lib.is_none(y, axis=1),
    "outer": lambda lib, y: lib.sum(y, axis=0),
    "to_packed": lambda lib, y: lib.to_packed(y),
}


def outcome(f):
    try:
        out = f()
        return type_text(out), str(plain(out))
    except (IndexError, OverflowError, TypeError, ValueError) as e:
        return type(e)


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("nesting", some(NESTINGS, 4))
def test_nestings(nesting, chosen):
    """As of lists side by side, whatever reads them first, and second."""
    x = ak.from_awkward(NESTINGS[nesting])
    choose = CHOSEN[chosen]
    for read in some(READ.values(), 5):
        expected = outcome(lambda r=read: r(ak, ak.materialize(choose(ak, x))))
        assert outcome(lambda r=read: r(ak, ak.compute(choose(ak, x)))) == expected
    if isinstance(outcome(lambda: choose(ak, x)), tuple):
        y, z = ak.compute(choose(ak, x)), ak.materialize(choose(ak, x))
        for read in some(READ.values(), 5):
            assert outcome(lambda r=read: r(ak, y)) == outcome(lambda r=read: r(ak, z))


def skewed(n=100_000):
    rng = np.random.default_rng(8)
    counts = rng.poisson(1.5, n)
    counts[::1000] += 200
    counts[7] = 30_000
    return awkward.unflatten(rng.normal(size=counts.sum()).astype("float32"), counts)


@pytest.mark.parametrize("chosen", [name for name in CHOSEN if name != "pairs"])
def test_skewed_lists(chosen):
    theirs = skewed(3_000 if KERNELS_ARE_SLOW else 100_000)
    x = ak.from_awkward(theirs)
    expected = CHOSEN[chosen](awkward, theirs)
    y = ak.compute(CHOSEN[chosen](ak, x))
    if chosen == "zip":
        y, expected = y["a"], expected["a"]
    elif chosen == "firsts":
        y, expected = ak.singletons(y), awkward.singletons(expected)
    for _ in range(3):
        counts = ak.to_backend(ak.num(y, axis=1), "cpu")
        np.testing.assert_array_equal(np.asarray(counts), np.asarray(awkward.num(expected)))
        items = ak.to_backend(ak.drop_none(ak.ravel(y)), "cpu")
        theirs = awkward.drop_none(awkward.ravel(expected))
        np.testing.assert_array_equal(np.asarray(items), np.asarray(theirs))


def words(n):
    rng = np.random.default_rng(2)
    return [
        "".join(chr(97 + c) for c in rng.integers(0, 26, k)) for k in rng.integers(0, 9, n).tolist()
    ]


def test_words_point_to_their_text():
    texts = words(1000)
    mask, places = rows(texts)
    x = ak.Array(texts)
    y, z = ak.compute(x[mask], x[places])
    assert not ak._core._is_evaluated(y)
    assert plain(y) == [t for t, m in zip(texts, mask, strict=True) if m]
    assert plain(z == x[places]) == [True] * len(places)


def test_nothing_is_copied_until_it_is_read_again():
    x = ak.Array(awkward.Array([[1.0, 2.0, 3.0], [], [4.0, 5.0], [6.0]] * 50))
    for y in (x[np.arange(200) % 3 > 0], x[:, 1:], ak.firsts(ak.Array([[[1, 2], [3]], []] * 9))):
        ak.compute(y)
        assert not ak._core._is_evaluated(y)
        first = plain(ak.sum(y, axis=-1))
        assert not ak._core._is_evaluated(y)
        assert "packed" not in str(ak.explain(y))
        again = ak.sum(y, axis=-1)
        assert ak._core._is_evaluated(y)
        assert "packed" in str(ak.explain(again))
        assert plain(again) == first
    # Slices with steps are known without a look at any list.
    y = x[::-1]
    assert plain(ak.compute(y)) == plain(x)[::-1]


def test_fields_are_reads():
    x = ak.Array([{"a": [1, 2], "b": "one", "n": 1}, {"a": [], "b": "two", "n": 2}] * 20)
    y = ak.compute(x[np.arange(40) % 3 > 0])
    assert not ak._core._is_evaluated(y)
    assert plain(y.n) == [n for i, n in enumerate([1, 2] * 20) if i % 3]
    assert not ak._core._is_evaluated(y)
    assert plain(y.b) == [t for i, t in enumerate(["one", "two"] * 20) if i % 3]
    assert ak._core._is_evaluated(y)


def test_what_needs_packed_memory_packs():
    x = ak.Array([[1.5, 2.5], [], [3.5]] * 30)
    mask = np.arange(90) % 4 > 0
    expected = [row for row, m in zip([[1.5, 2.5], [], [3.5]] * 30, mask, strict=True) if m]

    def chosen():
        return ak.compute(x[mask])

    def moved():
        return ak.to_backend(chosen(), "cpu")

    assert plain(moved()) == expected
    assert plain(ak.from_buffers(*ak.to_buffers(moved()))) == expected
    assert plain(pickle.loads(pickle.dumps(moved()))) == expected
    assert ak.to_arrow(moved()).to_pylist() == expected
    assert awkward.to_list(ak.to_awkward(moved())) == expected
    x = ak.to_backend(x, "cpu")  # where it may be already
    assert plain(ak.from_buffers(*ak.to_buffers(chosen()))) == expected
    assert plain(pickle.loads(pickle.dumps(chosen()))) == expected
    assert ak.to_arrow(chosen()).to_pylist() == expected
    assert awkward.to_list(ak.to_awkward(chosen())) == expected
    assert chosen().nbytes == ak.Array(expected).nbytes
    assert plain(ak.copy(chosen())) == expected
    assert [list(row) for row in chosen()] == expected
    assert str(chosen()) == str(ak.Array(expected))
    assert chosen()[2].to_list() == expected[2]
    assert len(chosen()) == len(expected)


def test_errors_are_those_of_the_choice():
    x = ak.Array([[1, 2], [3]] * 10)
    with pytest.raises(IndexError):
        ak.to_list(ak.compute(x[ak.Array([0, 5, 20])]))
    with pytest.raises(IndexError):
        ak.to_list(ak.sum(ak.compute(x[ak.Array([0, 5, 20])]), axis=-1))
    deep = ak.Array([[[1], [2]], [[3]]])
    with pytest.raises(IndexError):
        ak.to_list(ak.compute(deep[:, 1]))


def test_together_with_others():
    x = ak.Array([[1, 2], [], [3, 4, 5]] * 40)
    y = x[np.arange(120) % 2 > 0]
    total, chosen, squares = ak.compute(ak.sum(y, axis=-1), y, x * x)
    assert plain(total) == [sum(row) for row in plain(x)[1::2]]
    assert plain(chosen) == plain(x)[1::2]
    assert plain(squares) == [[v * v for v in row] for row in plain(x)]


def test_an_operation_reads_one_tree():
    """Members of unions are found in the lists that their tags are found in."""
    a = ak.Array([[{"x": 3.0, "y": 4.0, "q": 1}] * n for n in [2, 0, 1] * 20], with_name="Vector2D")
    b = ak.Array([[{"rho": 1.0, "phi": 0.5, "q": 2}] * n for n in [1, 1, 0] * 20])
    joined = ak.materialize(ak.concatenate([a, ak.with_name(b, "Vector2D")], axis=1))
    y = ak.compute(joined[:, :1])
    expected = plain(ak.materialize(joined[:, :1]).rho)
    for _ in range(3):
        assert plain(y.q) == [[1], [2], [1]] * 20
        assert plain(y.rho) == expected


def test_the_source_may_go():
    x = ak.Array([[1, 2], [], [3, 4, 5]] * 40)
    expected = plain(x)[::2]
    y = ak.compute(x[np.arange(120) % 2 == 0])
    del x
    assert plain(ak.sum(y, axis=-1)) == [sum(row) for row in expected]
    assert plain(y) == expected
