# Behaviours in functions that Numba compiles: of records, of lists, and such that do not fit.
import math
import operator

import pytest

import serrate as ak

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def test_behaviors(monkeypatch):
    types = numba.types

    def of_class(record):
        return types.float64

    def lower_r(context, builder, signature, args):
        return context.compile_internal(builder, lambda p: math.hypot(p.x, p.y), signature, args)

    def type_scaled(record, args):
        return types.float64(*args)

    def lower_scaled(context, builder, signature, args):
        return context.compile_internal(builder, lambda p, k: p.x * k, signature, args)

    def type_add(op, left, right):
        return types.float64(left, right)

    def lower_add(context, builder, signature, args):
        return context.compile_internal(builder, lambda a, b: a.x + b.x, signature, args)

    def type_neg(op, one):
        return types.float64(one)

    def lower_neg(context, builder, signature, args):
        return context.compile_internal(builder, lambda a: -a.x, signature, args)

    for key, typer, lower in [
        (("point", "r"), of_class, lower_r),
        (("point", "scaled", ()), type_scaled, lower_scaled),
        (("point", operator.add, "point"), type_add, lower_add),
        ((operator.neg, "point"), type_neg, lower_neg),
    ]:
        monkeypatch.setitem(ak.behavior, ("__numba_typer__", *key), typer)
        monkeypatch.setitem(ak.behavior, ("__numba_lower__", *key), lower)
    x = ak.Array([[{"x": 3.0, "y": 4.0}, {"x": 6.0, "y": 8.0}]], with_name="point")
    f = numba.njit(
        lambda x: (x[0][0].r, x[0][1].scaled(2.0), x[0][0] + x[0][1], -x[0][0], x[0][0].y)
    )
    assert f(x) == (5.0, 12.0, 9.0, -3.0, 4.0)


def test_records_that_are_something_else(monkeypatch):
    def lower(context, builder, signature, args):
        return context.compile_internal(builder, lambda p: p.re + 1j * p.im, signature, args)

    behavior = {
        ("__numba_typer__", "number"): lambda record: numba.types.complex128,
        ("__numba_lower__", "number"): lower,
    }
    x = ak.Array([{"re": 1.0, "im": 2.0}], with_name="number", behavior=behavior)
    assert numba.njit(lambda x: x[0] * 2)(x) == 2 + 4j
    plain = ak.Array([{"re": 1.0, "im": 2.0}], with_name="number")
    assert ak.to_list(numba.njit(lambda x: x[0])(plain)) == {"re": 1.0, "im": 2.0}


def _sum_of(field):
    def lower(context, builder, signature, args):
        def total(y):
            out = 0.0
            for k in range(len(y)):
                out += y[k].x if field else y[k]
            return out

        def of_numbers(y):
            out = 0.0
            for v in y:
                out += v
            return out

        return context.compile_internal(builder, total if field else of_numbers, signature, args)

    return {"typer": lambda view: numba.types.float64, "lower": lower}


def _behavior(*key, typer, lower):
    return {("__numba_typer__", *key): typer, ("__numba_lower__", *key): lower}


def test_lists_that_are_something_else():
    points = [[{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}], [], [{"x": 5.0, "y": 6.0}]]
    behavior = _behavior("*", "point", **_sum_of("x"))
    x = ak.Array(points, with_name="point", behavior=behavior)
    assert numba.njit(lambda x: (x[0], x[1], x[2] * 2))(x) == (4.0, 0.0, 10.0)
    walked = numba.njit(lambda x: [2 * y for y in x])
    assert walked(x) == [8.0, 0.0, 10.0]
    # Fields and slices are those of the array, as ever.
    assert numba.njit(lambda x: (x.y[0][1], x[1:][1]))(x) == (4.0, 5.0)
    plain = ak.Array(points, with_name="point")
    assert ak.to_list(numba.njit(lambda x: x[0][1])(plain)) == points[0][1]

    named = ak.with_parameter(ak.Array([[1.0, 2.0], [], [3.0]]), "__list__", "signal")
    named = ak.Array(named, behavior=_behavior("signal", **_sum_of(None)))
    assert numba.njit(lambda x: (x[0], x[1], x[2]))(named) == (3.0, 0.0, 3.0)
    record = ak.zip({"s": named, "k": [1, 2, 3]}, depth_limit=1, behavior=named.behavior)
    assert numba.njit(lambda r: (r[0].s + r[0].k, r.s[2], r.k[2]))(record) == (4.0, 3.0, 3)


@pytest.mark.parametrize("missing", ["typer", "lower", "of Awkward's views"])
def test_behaviors_that_do_not_fit(missing):
    parts = _sum_of("x")
    if missing == "of Awkward's views":

        def lower(context, builder, to, viewtype, viewval, viewproxy, attype, atval):
            raise AssertionError("is not called")

        parts["lower"] = lower
    behavior = _behavior("*", "point", **parts)
    behavior.pop(("__numba_" + missing + "__", "*", "point"), None)
    x = ak.Array([[{"x": 1.0}]], with_name="point", behavior=behavior)
    with pytest.raises(numba.TypingError, match="behaviours of 'point'"):
        numba.njit(lambda x: x[0])(x)
    assert numba.njit(lambda x: len(x))(x) == 1
