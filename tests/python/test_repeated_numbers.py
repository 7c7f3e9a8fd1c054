# Operations on lists beside what is shallower, missing or regular: values, types and errors are
# Awkward's.
import itertools

import awkward
import numpy as np
import pytest
from conftest import same_values
from host import in_ram

import serrate as ak

KINDS = {
    "flat": [1.5, -2.0, 0.5],
    "lists": [[1.0, 2.0, -3.0], [], [4.0]],
    "lists of lists": [[[1.0], [], [2.0, 3.0]], [], [[4.0, 0.0]]],
    "missing numbers": [1, None, -2],
    "missing in lists": [[1, None, 3], [], [None]],
    "missing lists": [[1, 2, 3], None, [4]],
    "missing lists of missing": [[1, None, 3], None, [4]],
}
SCALARS = {"int": 2, "float": 0.5, "float32": np.float32(2), "int8": np.int8(3), "true": True}
OPS = {
    "add": np.add,
    "less": np.less,
    "power": np.power,
    "floor_divide": np.floor_divide,
    "logical_and": np.logical_and,
}


def both(f, *operands):
    """What we and Awkward give, or the class of the error."""
    out = []
    for library in (ak, awkward):
        args = [library.Array(x) if isinstance(x, list) else x for x in operands]
        try:
            with np.errstate(all="ignore"):
                result = f(*args)
            out.append((str(result.type), library.to_list(result)))
        except (ValueError, TypeError, OverflowError) as e:
            out.append(isinstance(e, TypeError))
    return out


def agree(op, ours, theirs):
    """Powers have errors of their own in the last digits: see docs/accuracy.md."""
    if op != "power" or not isinstance(ours, tuple):
        return repr(ours) == repr(theirs)
    error = 3e-16 if ak.default_backend() == "cpu" else 1e-6
    return ours[0] == theirs[0] and same_values(ours[1], theirs[1], error)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("pair", [*itertools.product(KINDS, KINDS)], ids="-".join)
def test_arrays(op, pair):
    ours, theirs = both(OPS[op], *(KINDS[k] for k in pair))
    assert agree(op, ours, theirs), f"{ours} != {theirs}"


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("kind", KINDS)
def test_scalars(op, scalar, kind):
    for operands in ((KINDS[kind], SCALARS[scalar]), (SCALARS[scalar], KINDS[kind])):
        ours, theirs = both(OPS[op], *operands)
        assert agree(op, ours, theirs), f"{ours} != {theirs}"


@pytest.mark.parametrize("shape", [(3, 1), (3, 2), (1, 3), (3, 3), (2, 1, 3)])
def test_regular_lists_follow_numpy(shape):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    for y in (np.arange(3.0), np.arange(2.0), np.ones(1), np.ones((3, 1)), np.float32(2)):
        ours = ak.Array(y) if isinstance(y, np.ndarray) else y
        try:
            want = x + y
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                ak.Array(x) + ours
        else:
            assert in_ram(ak.Array(x) + ours).tolist() == want.tolist()


def test_regular_lists_inside_of_lists():
    x = [[[1, 2], [3, 4]], [], [[5, 6]]]
    rows = [10, 20, 30]

    def f(library):
        return library.to_regular(library.Array(x), axis=2) + library.Array(rows)

    assert f(ak).to_list() == f(awkward).to_list()
    assert str(f(ak).type) == str(f(awkward).type)


def test_reductions_come_back_to_their_lists():
    x = [[1.0, 2.0, 5.0], [], [4.0]]
    y = ak.Array(x)
    ours = (y - ak.mean(y, axis=1)) / ak.max(y, axis=1)
    z = awkward.Array(x)
    theirs = (z - awkward.mean(z, axis=1)) / awkward.max(z, axis=1)
    assert ours.to_list() == theirs.to_list()


def test_many_skewed_lists():
    rng = np.random.default_rng(3)
    counts = np.minimum(rng.zipf(1.6, 100_000) - 1, 5_000)
    values = rng.normal(size=int(counts.sum()))
    x = ak.unflatten(values, counts)
    rows = rng.normal(size=len(counts))
    got = in_ram(ak.flatten(x * ak.Array(rows)))
    assert np.array_equal(got, values * np.repeat(rows, counts))
    kept = rng.random(len(counts)) > 0.5
    some = ak.mask(ak.Array(rows), kept)
    everywhere = np.repeat(kept, counts)
    assert np.array_equal(
        in_ram(ak.flatten(x + some)), (values + np.repeat(rows, counts))[everywhere]
    )


def test_checks_count_where_there_is_something():
    exponents = [[1, -1], [2]]
    masked = ak.mask(ak.Array(exponents), ak.Array(exponents) > 0)
    assert (ak.Array([3, 4]) ** masked).to_list() == [[3, None], [16]]
    with pytest.raises(ValueError, match="negative integer powers"):
        (ak.Array([3, 4]) ** ak.Array(exponents)).to_list()
