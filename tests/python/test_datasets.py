"""PartitionedArrays: the same values and types as of the whole array, whatever is asked."""

import operator
import pickle

import numpy as np
import pytest
from partitioned import as_python, cut, events, same

import serrate as ak
from serrate._datasets import execute

ROWS = {
    "field": lambda x: x.muon.pt,
    "fields": lambda x: x[["met", "n"]],
    "path": lambda x: x["muon", "eta"],
    "arithmetic": lambda x: x.muon.pt * 2 + x.met,
    "reversed": lambda x: 1 / (1 + x.met),
    "power": lambda x: 2 ** (x.n % 5),
    "ufunc": lambda x: np.hypot(x.muon.pt, x.muon.eta),
    "divmod": lambda x: np.divmod(x.n, 3),
    "mask": lambda x: x[x.met > 10].muon.eta,
    "mask twice": lambda x: x[x.met > 5][x[x.met > 5].n % 2 == 0].met,
    "mask of lists": lambda x: x.muon[x.muon.pt > 10].charge,
    "mask with missing": lambda x: x[x.maybe > 4].n,
    "positions": lambda x: x.muon[ak.argmax(x.muon.pt, axis=1, keepdims=True)].eta,
    "inner slice": lambda x: x.muon[:, :1].pt,
    "ellipsis": lambda x: x.muon.pt[..., :2],
    "slice": lambda x: x[3:11].met,
    "slice of steps": lambda x: x[1:13:3].n,
    "slice back": lambda x: x[::-2].met,
    "slice of slice": lambda x: x[2:][:9][1::2].n,
    "slice of filtered": lambda x: x[x.met > 3][2:5].n,
    "last of filtered": lambda x: x[x.met > 3][-3:].n,
    "slice and inner": lambda x: x.muon.pt[2:9, :1],
    "positions of rows": lambda x: x[[3, 1, 7]].n,
    "zip": lambda x: ak.zip({"a": x.muon.pt, "b": x.met}),
    "unzip": lambda x: ak.unzip(x.muon)[1],
    "combinations": lambda x: ak.combinations(x.muon, 2)["0"].pt,
    "cartesian": lambda x: ak.cartesian([x.muon.pt, x.muon.charge]),
    "with_field": lambda x: ak.with_field(x, x.met * 2, "double")[["double", "n"]],
    "without_field": lambda x: ak.without_field(x, "muon").met,
    "where": lambda x: ak.where(x.met > 5, x.met, 0),
    "where of positions": lambda x: ak.where(x.met > 5),
    "is_none": lambda x: ak.is_none(x.maybe),
    "fill_none": lambda x: ak.fill_none(x.maybe, -1),
    "drop_none": lambda x: ak.drop_none(x.maybe),
    "pad_none": lambda x: ak.pad_none(x.muon.pt, 2),
    "pad_none of rows": lambda x: ak.pad_none(x.n, 20, axis=0),
    "firsts": lambda x: ak.firsts(x.muon.pt),
    "firsts of rows": lambda x: ak.firsts(x.n, axis=0),
    "num": lambda x: ak.num(x.muon),
    "flatten": lambda x: ak.flatten(x.muon.pt),
    "flatten all": lambda x: ak.flatten(x.muon.pt, axis=None),
    "flat together": lambda x: ak.flatten(x.muon.pt) * ak.flatten(x.muon.eta),
    "ravel": lambda x: ak.ravel(x.muon.charge),
    "local_index": lambda x: ak.local_index(x.muon),
    "local_index of rows": lambda x: ak.local_index(x.muon, axis=0),
    "sort": lambda x: ak.sort(x.muon.pt),
    "sort rows": lambda x: ak.sort(x.met, axis=0),
    "argsort rows": lambda x: x[ak.argsort(x.met, axis=0)].n,
    "cumsum": lambda x: ak.cumsum(x.muon.pt),
    "cumsum rows": lambda x: ak.cumsum(x.n, axis=0),
    "concatenate": lambda x: ak.concatenate([x.n, x.met]),
    "concatenate records": lambda x: ak.concatenate([x.muon, x.muon[x.muon.pt > 5]]),
    "concatenate inside": lambda x: ak.concatenate([x.muon.pt, x.muon.eta], axis=1),
    "strings": lambda x: x[x.label == "1"].label,
    "values_astype": lambda x: ak.values_astype(x.muon.pt, "float32"),
    "minus a mean": lambda x: x.met - ak.mean(x.met),
    "of a maximum": lambda x: x.met > ak.max(x.met) / 2,
    "isin": lambda x: ak.isin(x.n, [3, 5]),
    "full_like": lambda x: ak.full_like(x.muon.pt, 7),
    "in order of inner": lambda x: x.muon[ak.argsort(x.muon.pt, axis=1)].eta,
    "reduced inside": lambda x: ak.sum(x.muon.pt, axis=-1),
    "maximum inside": lambda x: ak.max(x.muon.pt, axis=1),
    "mean inside": lambda x: ak.mean(x.muon.pt, axis=1),
    "std inside": lambda x: ak.std(x.muon.pt, axis=-1),
    "filter by a count": lambda x: x[ak.num(x.muon) >= 2].muon.pt[:, 0],
    "mask function": lambda x: x.mask[x.met > 3].n,
    "with vectors": lambda x: (
        ak.with_name(
            ak.zip({"pt": x.muon.pt, "eta": x.muon.eta, "phi": x.muon.eta}), "Momentum3D"
        ).pz
    ),
}

VALUES = {
    **{
        f"{name} {axis}": lambda x, f=getattr(ak, name), axis=axis: f(x.muon.pt, axis=axis)
        for name in (
            *("sum", "prod", "any", "all", "min", "max", "count", "count_nonzero"),
            *("nansum", "nanprod", "nanmin", "nanmax", "ptp", "mean", "std", "argmax"),
        )
        for axis in (None, 0)
    },
    **{
        f"{name} of numbers": lambda x, f=getattr(ak, name): f(x.met)
        for name in ("sum", "min", "max", "mean", "var", "std", "argmin", "argmax", "median")
    },
    "mean of float32": lambda x: ak.mean(ak.values_astype(x.met, "float32")),
    "var of integers": lambda x: ak.var(x.n, ddof=1),
    "sum of missing": lambda x: ak.sum(x.maybe, axis=0),
    "argmax of missing": lambda x: ak.argmax(x.maybe, axis=0),
    "keepdims": lambda x: ak.sum(x.muon.pt, axis=None, keepdims=True),
    "keepdims of rows": lambda x: ak.sum(x.muon.pt, axis=0, keepdims=True),
    "initial": lambda x: ak.max(x.met, initial=1000.0),
    "masked": lambda x: ak.sum(x.met[x.met < 0], mask_identity=True),
    "where": lambda x: ak.sum(x.met, where=x.met > 5),
    "filtered": lambda x: ak.sum(x[x.met > 5].muon.pt),
    "ratio": lambda x: ak.sum(x.met) / ak.count(x.met),
    "nested values": lambda x: ak.sum(x.met > ak.mean(x.met)),
    "numpy": lambda x: np.sum(x.met),
    "row": lambda x: x[3],
    "last row": lambda x: x[-1].met,
    "row of a column": lambda x: x.muon.pt[4],
    "row and item": lambda x: x.n[5],
    "rows": lambda x: ak.num(x, axis=0),
    "length": lambda x: len(x[x.met > 5]),
    "histogram": lambda x: ak.histogram(x.muon.pt, 5, 0, 50),
    "weighted histogram": lambda x: ak.histogram(x.met, 5, 0, 50, weight=x.n, flow=True),
    "numpy histogram": lambda x: np.histogram(x.met, bins=4, range=(0, 20))[0],
    "unique": lambda x: ak.unique(x.label),
    "value_counts": lambda x: ak.value_counts(x.label),
    "topk": lambda x: ak.topk(x.met, 3),
    "quantile": lambda x: ak.quantile(x.met, 0.25),
    "in": lambda x: 5 in x.n,
    "iterated": lambda x: list(x.n),
    "fields": lambda x: (ak.fields(x), x.fields, x.ndim, ak.is_tuple(x)),
    "parameters": lambda x: ak.parameters(x.label),
    "corr": lambda x: ak.corr(x.met, x.n),
    "dataframe": lambda x: ak.to_dataframe(x.muon.pt)["values"].tolist(),
    "json": lambda x: ak.to_json(x),
}
LENGTHS = {"one": [], "several": [5, 3, 0, 7], "single rows": [1] * 15, "empty ends": [0, 8, 0]}


def partitioned(whole, lengths, known=True):
    parts = cut(whole, lengths)
    if known:
        return ak.scan(parts, example=whole[:0])
    return ak.scan([lambda p=p: p for p in parts], example=whole[:0])


@pytest.mark.parametrize("known", [True, False], ids=["known", "not counted"])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("f", [*ROWS.values(), *VALUES.values()], ids=[*ROWS, *VALUES])
def test_as_of_the_whole(f, lengths, known):
    whole = events(17, seed=1)
    x = partitioned(whole, lengths, known)
    same(f(x), f(whole))


def test_skewed_lists():
    whole = events(4000, seed=3, skew=True)
    x = partitioned(whole, [1, 900, 0, 2500])
    assert len(ak.flatten(whole.muon.pt)) > 100_000
    for f in (ROWS["combinations"], ROWS["sort"], ROWS["flat together"]):
        if f is not ROWS["combinations"]:
            same(f(x), f(whole))
    same(ak.sum(x.muon.pt, axis=0)[:100], ak.sum(whole.muon.pt, axis=0)[:100])
    same(ak.std(x.muon.pt), ak.std(whole.muon.pt))


def test_integers_are_the_same_whatever_the_partitions():
    whole = ak.values_astype(events(1000).n, "int64") * (2**61 + 1)
    for lengths in ([], [1] * 900, [500, 0, 13]):
        assert ak.compute(ak.sum(partitioned(whole, lengths))) == ak.sum(whole)


def test_floats_depend_on_partitions_alone():
    whole = events(500).met
    sums = [ak.compute(ak.sum(partitioned(whole, [7] * 60))) for _ in range(3)]
    assert len(set(sums)) == 1


def test_one_pass_for_several_results():
    reads = []

    def read(i):
        reads.append(i)
        return events(10, seed=i)

    x = ak.scan([lambda i=i: read(i) for i in range(5)], example=events(0))
    made = ak.compute(ak.sum(x.met), x.muon.pt, ak.max(x.n), ak.mean(x.met))
    assert sorted(reads) == [0, 1, 2, 3, 4]
    whole = ak.concatenate([events(10, seed=i) for i in range(5)])
    same(made, (ak.sum(whole.met), whole.muon.pt, ak.max(whole.n), ak.mean(whole.met)))


def test_results_do_not_hold_partitions(monkeypatch):
    """Rows that are chosen are no views of what was read."""
    plans, results = [], execute.Reader.results

    def noted(reader, part, fetch):
        out = results(reader, part, fetch)
        plans.extend(str(ak.explain(x)) for x in out if isinstance(x, ak.Array))
        return out

    monkeypatch.setattr(execute.Reader, "results", noted)
    whole = events(60)
    x = partitioned(whole, [20, 40])
    same(ak.compute(x.muon[x.met > 10]), whole.muon[whole.met > 10])
    same(ak.compute(x.muon.pt[:, 1:]), whole.muon.pt[:, 1:])
    assert len(plans) >= 4
    assert all("all values are stored" in plan for plan in plans), plans


def test_a_head_reads_the_first_partitions():
    reads = []

    def read(i):
        reads.append(i)
        return events(10, seed=i)

    x = ak.scan([lambda i=i: read(i) for i in range(50)], example=events(0))
    assert len(x[:12].compute()) == 12
    assert len(reads) <= 4
    assert x[3].n == events(10).n[3]
    assert x.partitions[7:9].met.to_list() == [*events(10, 7).met, *events(10, 8).met]


def test_types_are_known_without_a_look():
    def never():
        raise AssertionError

    x = ak.scan([never, never], example=events(0))
    assert str(x.muon.pt.type) == "## * var * float64"
    assert x.typestr.startswith("## * {muon: var * {pt: float64")
    assert "2 partitions" in repr(x)
    assert x.fields == ["muon", "met", "n", "label", "maybe"]
    with pytest.raises(ak.errors.FieldNotFoundError, match="no field"):
        x["nothing"]
    with pytest.raises(AttributeError):
        _ = x.nothing
    with pytest.raises((ValueError, TypeError)):
        _ = x.label + x.met


def test_programs_are_pickled(new_arrays_on_the_cpu):
    x = partitioned(events(17), [4, 9])
    y = pickle.loads(pickle.dumps(ak.sum(x[x.met > ak.mean(x.met)].muon.pt, axis=-1)))
    whole = events(17)
    same(y, ak.sum(whole[whole.met > ak.mean(whole.met)].muon.pt, axis=-1))


def test_long_programs(new_arrays_on_the_cpu):
    x = partitioned(events(17), [4, 9])
    y, z = x.met, events(17).met
    for i in range(2000):
        y, z = y + i % 7, z + i % 7
        if i % 100 == 99:
            z = ak.materialize(z)
    same(pickle.loads(pickle.dumps(y)), z)


def test_fields_are_set():
    x, whole = partitioned(events(17), [4, 9]), ak.copy(events(17))
    x["double"] = x.met * 2
    whole["double"] = whole.met * 2
    same(x, whole)
    with pytest.raises(TypeError, match="only fields"):
        x[0] = 5
    with pytest.raises(AttributeError, match="fields are set"):
        x.double = 5


def test_partitions_of_other_lengths_are_an_error():
    whole = events(17)
    x, y = whole.n, whole.met
    a, b = ak.scan([lambda: x[:3], lambda: x[3:]]), ak.scan([lambda: y[:5], lambda: y[5:]])
    same(a + b, x + y)  # all rows at once
    c = partitioned(whole, [4, 9])
    kept, other = c[c.met > 5].n, c[c.met <= 5].n
    with pytest.raises(ValueError, match="different lengths"):
        ak.compute(kept + other)


def test_regular_rows_are_not_mistaken_for_items():
    whole = ak.from_numpy(np.arange(12).reshape(6, 2), regulararray=True)
    numbers = ak.Array([1, 2])
    x = ak.scan([whole[:2], whole[2:4], whole[4:]])
    same(x * numbers, whole * numbers)
    same(ak.sum(x, axis=0), ak.sum(whole, axis=0))
    y = ak.scan([ak.Array([1, 2])] * 3)
    with pytest.raises(ValueError):
        ak.compute(x * y)


def test_foreign_operands_of_all_rows():
    whole = events(17)
    x = partitioned(whole, [4, 9])
    mask = ak.Array(np.arange(17) % 3 == 0)
    same(x.met + np.arange(17), whole.met + np.arange(17))
    same(x[mask].met, whole[mask].met)
    same(ak.where(mask, x.met, 0), ak.where(mask, whole.met, 0))


def test_behaviors(new_arrays_on_the_cpu):
    class Muons(ak.Array):
        @property
        def double(self):
            return self.pt * 2

        def above(self, least):
            return self[self.pt > least]

    behavior = {("*", "muon"): Muons}
    whole = ak.with_name(events(17).muon, "muon", behavior=behavior)
    x = ak.scan(cut(whole, [4, 9]))
    same(x.double, whole.double)
    same(x.above(5).pt, whole.above(5).pt)


def test_map_partitions():
    whole = events(17)
    x = partitioned(whole, [4, 9])
    same(x.map_partitions(lambda p, k: p.met[p.met > k], 5), whole.met[whole.met > 5])
    same(x.met.map_partitions(operator.add, x.n), whole.met + whole.n)


def test_persist_and_iteration():
    x = partitioned(events(17), [4, 9])
    kept = (x.met * 2).persist()
    assert kept.npartitions == 3
    same(kept, events(17).met * 2)
    assert as_python(list(x.n)) == events(17).n.to_list()


def test_no_partitions():
    x = ak.scan([], example=events(0))
    assert x.met.to_list() == []
    assert ak.compute(ak.sum(x.met)) == 0
    assert ak.compute(ak.max(x.met)) is None
    with pytest.raises(ValueError, match="at least one"):
        ak.scan([])


def test_partitions_of_another_type():
    x = ak.scan([ak.Array([1, 2]), lambda: ak.Array(["a"])])
    with pytest.raises(ValueError, match="partition 1"):
        ak.compute(x)
    x = ak.scan([ak.Array([1.5]), lambda: ak.Array([2])])
    same(x, ak.Array([1.5, 2.0]))


def test_histograms(new_arrays_on_the_cpu):
    import boost_histogram as bh

    whole = events(100)
    x = partitioned(whole, [40, 0, 13])
    one, other = (ak.Histogram(ak.axis.Regular(5, 0, 50), weighted=True) for _ in range(2))
    one.fill(x.met, weight=x.n)
    other.fill(whole.met, weight=whole.n)
    np.testing.assert_allclose(one.values(flow=True), other.values(flow=True))
    np.testing.assert_allclose(one.variances(), other.variances())
    h, g = (bh.Histogram(bh.axis.Regular(5, 0, 50)) for _ in range(2))
    assert (
        ak.fill_histogram(h, x.muon.pt).view() == ak.fill_histogram(g, whole.muon.pt).view()
    ).all()
    found = ak.boost_histogram(x.muon.pt, 5, 0, 50)
    assert (found.view() == ak.boost_histogram(whole.muon.pt, 5, 0, 50).view()).all()


def test_a_tail_of_rows_that_a_mean_chooses():
    whole = events(17)
    x = partitioned(whole, [4, 9])
    same(x[x.met > ak.mean(x.met)][-3:].n, whole[whole.met > ak.mean(whole.met)][-3:].n)


def test_values_are_shown_and_formatted():
    whole = events(17)
    x = partitioned(whole, [4, 9])
    assert "not computed" in repr(x[x.met > 5].muon.pt[0])
    assert "not computed" in repr(x.muon.pt[0])
    same(x[x.met > 5].muon.pt[0], whole[whole.met > 5].muon.pt[0])
    total = ak.sum(x.n)
    assert f"{total:.1f} {round(ak.mean(x.n), 1)}" == f"{sum(whole.n):.1f} {np.mean(whole.n):.1f}"
    assert f"{ak.sum(x.met)}" == "<PartitionedArray: one value, not computed>"


def test_partitions_that_are_joined_are_not_copied(new_arrays_on_the_cpu):
    a, b = (ak.Array(np.arange(n) * 1.5) for n in (4, 3))
    seen = []

    def memory(x):
        return ak.to_buffers(x)[2]["node0-data"]

    def look(part):
        seen.append(memory(part))
        return part

    joined = ak.concatenate([ak.scan([a]), ak.scan([b])])
    same(joined.map_partitions(look), ak.concatenate([a, b]))
    assert np.shares_memory(seen[-2], memory(a))
    assert np.shares_memory(seen[-1], memory(b))
    # Of different types they are.
    other = ak.Array([1, 2])
    x = ak.concatenate([ak.scan([a]), ak.scan([other])])
    same(x, ak.concatenate([a, other]))
