# Many lists with offsets of their own, broadcast together: where these are equal one serves all.
import awkward
import numpy as np
import pytest
from conftest import both

import serrate as ak

OFFSETS = np.array([1, 3, 3, 7, 8])


def column(i, offsets=OFFSETS, content=None):
    if content is None:
        content = awkward.contents.NumpyArray(np.arange(10.0) + 10 * i)
    index = awkward.index.Index64 if i % 2 else awkward.index.Index32
    dtype = np.int64 if i % 2 else np.int32
    return awkward.Array(awkward.contents.ListOffsetArray(index(offsets.astype(dtype)), content))


def nested(i):
    inner = column(0, np.array([0, 2, 2, 3, 5, 5 + (i == 5), 6, 6, 9, 10])).layout
    return column(i, content=inner)


def zipped(ak, *arrays, **options):
    return ak.zip({f"f{i}": x for i, x in enumerate(arrays)}, **options)


def lists_of(array):
    """Spaces that an expression over it walks together."""
    return str(ak.explain(array.f3 + array.f4)).count("lists of equal length")


def test_numbers():
    columns = [column(i) for i in range(8)]
    both(zipped, *columns)
    both(lambda ak, *x: ak.sum(zipped(ak, *x).f7, axis=-1), *columns)
    both(lambda ak, *x: zipped(ak, *x)[1:].f5[:, ::-1], *columns)
    assert lists_of(zipped(ak, *(ak.from_awkward(c) for c in columns))) == 0


@pytest.mark.parametrize("lists", [0, 1, 5, 3000])
def test_two(lists):
    rng = np.random.default_rng(lists)
    offsets = np.concatenate([[2], 2 + np.cumsum(rng.poisson(2, lists))])
    numbers = [awkward.contents.NumpyArray(rng.normal(size=offsets[-1] + 1)) for _ in range(2)]
    pair = [column(i, offsets, n) for i, n in zip((0, 2), numbers, strict=True)]
    both(zipped, *pair)
    both(lambda ak, x, y: x + y, *pair)
    both(lambda ak, x, y: (x[1:] * y[1:])[:, ::-1], *pair)
    both(lambda ak, x, y: ak.mask(x, ak.num(x) > 1) + y, *pair)
    ours = [ak.from_awkward(x) for x in pair]
    if lists > 1 and ak.backend(ours[0]) == "cpu":
        # In the host's memory they are compared when it is written down: nothing is copied.
        assert "equal length" not in ak.explain(ours[0] + ours[1]).text
        assert ak.explain(zipped(ak, *ours)).passes == 0
    if lists > 1:
        # The last list has an item more; one list has an item that is the next one's.
        longer = offsets + (np.arange(lists + 1) == lists)
        moved = offsets + (np.arange(lists + 1) == np.argmax(np.diff(offsets[1:])) + 1)
        for other in (longer, moved):
            with pytest.raises(ValueError, match="lengths"):
                ak.to_list(ours[0] + ak.from_awkward(column(2, other, numbers[1])))


def test_slices_of_lists():
    columns = [column(i) for i in range(6)]
    both(lambda ak, *x: zipped(ak, *(c[1:] for c in x)), *columns)
    both(lambda ak, *x: zipped(ak, *(c[:, :2] for c in x)), *columns)
    both(lambda ak, *x: zipped(ak, *(c[c % 2 == i % 2] for i, c in enumerate(x))).f0, *columns[::2])


def test_options_records_strings():
    mask = awkward.index.Index8(np.arange(10) % 3)
    numbers = awkward.contents.NumpyArray(np.arange(10))
    contents = [
        awkward.contents.ByteMaskedArray(mask, numbers, valid_when=True),
        awkward.contents.RecordArray([numbers, numbers], ["x", "y"]),
        awkward.Array([["one", "", "three"][i % 3] for i in range(10)]).layout,
        awkward.contents.RegularArray(awkward.contents.NumpyArray(np.arange(20)), 2),
        awkward.contents.EmptyArray().to_NumpyArray(np.float64),
    ]
    columns = [column(i, content=c) for i, c in enumerate(contents[:4] * 2)]
    both(lambda ak, *x: zipped(ak, *x, depth_limit=2), *columns)


def test_lists_in_lists():
    same = [nested(i) for i in range(5)]
    both(zipped, *same)
    both(lambda ak, *x: ak.sum(zipped(ak, *x).f4, axis=-1), *same)
    deeper = [*same, nested(5)]  # other lists in the same lists: broadcast one by one
    with pytest.raises(ValueError, match="cannot broadcast nested list"):
        ak.to_list(zipped(ak, *(ak.from_awkward(x) for x in deeper)))
    both(lambda ak, *x: zipped(ak, *x, depth_limit=2), *deeper)


def test_offsets_that_differ():
    columns = [column(i) for i in range(6)] + [column(6, OFFSETS - 1), column(7, OFFSETS + 2)]
    both(zipped, *columns)
    other = np.array([1, 3, 4, 7, 8])
    array = zipped(ak, *(ak.from_awkward(c) for c in [*columns, column(8, other)]))
    with pytest.raises(ValueError, match="lengths 0 and 1 at position 1"):
        ak.to_list(array)


def test_no_lists():
    both(zipped, *(column(i, np.zeros(1)) for i in range(6)))
    both(zipped, *(column(i, np.zeros(4)) for i in range(6)))
