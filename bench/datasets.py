"""Files into arrays beside the readers of others, and programs on partitions beside loops."""

import functools
import os
import tempfile

import awkward
import numpy as np
import pyarrow.parquet
import uproot
from harness import Case, Required, check

import serrate as ak
from serrate._datasets.cluster import Graph

EVENTS = 400_000


@functools.cache
def events():
    r = np.random.default_rng(1)
    counts = r.integers(0, 6, EVENTS)
    n = int(counts.sum())
    columns = {"MET_pt": ak.Array(r.exponential(30, EVENTS).astype(np.float32))}
    for field in ("pt", "eta", "phi", "mass"):
        data = ak.Array(r.exponential(30, n).astype(np.float32))
        columns[f"Jet_{field}"] = ak.unflatten(data, counts)
    return ak.zip(columns, depth_limit=1)


@functools.cache
def folder():
    """Kept until the process ends."""
    return tempfile.TemporaryDirectory(prefix="serrate-bench-")


@functools.cache
def parquet() -> str:
    path = os.path.join(folder().name, "events.parquet")
    ak.to_parquet(events(), path, row_group_size=EVENTS // 8)
    return path


@functools.cache
def root() -> str:
    path = os.path.join(folder().name, "events.root")
    with uproot.recreate(path) as file:
        file["Events"] = {k: ak.to_awkward(events()[k]) for k in events().fields}
    return path


def same_sum(got, want) -> None:
    check(np.allclose(got, want, rtol=1e-5), f"{got} is not {want}")


def same_length(got, want) -> None:
    check(len(got) == len(want), "lengths differ")


def parquet_read() -> Case:
    path = parquet()
    contestants = {
        "serrate": lambda: ak.from_parquet(path),
        "pyarrow": lambda: pyarrow.parquet.read_table(path),
        "awkward": lambda: awkward.from_parquet(path),
    }
    return Case(contestants, same_length, [Required("pyarrow", at_least=0.95)])


def root_read() -> Case:
    path = root()
    contestants = {
        "serrate": lambda: ak.from_root(path),
        "uproot": lambda: uproot.open(path)["Events"].arrays(how=dict)["MET_pt"],
    }
    return Case(contestants, same_length, [Required("uproot", at_least=0.95)])


def scanned_sum() -> Case:
    """HT of events with missing energy: two of five columns, partition by partition."""
    path = parquet()
    x = ak.scan_parquet(path)

    def by_hand():
        total = 0.0
        file = pyarrow.parquet.ParquetFile(path)
        for i in range(file.num_row_groups):
            table = file.read_row_group(i, ["MET_pt", "Jet_pt.list.item"])
            part = awkward.from_arrow(table)
            total += awkward.sum(part.Jet_pt[part.MET_pt > 50], axis=None)
        return total

    contestants = {
        "serrate": lambda: float(ak.sum(x.Jet_pt[x.MET_pt > 50])),
        "awkward, by hand": by_hand,
    }
    return Case(contestants, same_sum, [Required("awkward, by hand", at_least=1)])


def scanned_histogram() -> Case:
    """HT of all events as a histogram, beside reading the same column and nothing else."""
    path = parquet()
    x = ak.scan_parquet(path)

    def decoded():
        file = pyarrow.parquet.ParquetFile(path)
        for i in range(file.num_row_groups):
            file.read_row_group(i, ["Jet_pt.list.item"])

    contestants = {
        "serrate": lambda: ak.compute(ak.histogram(ak.sum(x.Jet_pt, axis=-1), 100, 0, 500)),
        "the decoder alone": decoded,
    }
    required = [Required("the decoder alone", at_least=0.9)]
    return Case(contestants, None, required)


def sorted_rows() -> Case:
    """A sort of 1M numbers in 8 partitions, through ranges on disk, beside one at once."""
    whole = ak.Array(np.random.default_rng(2).normal(size=1_000_000))
    step = len(whole) // 8
    parts = [whole[a : a + step] for a in range(0, len(whole), step)]
    contestants = {
        "serrate": lambda: ak.compute(ak.sort(ak.scan(parts), axis=0)),
        "at once": lambda: ak.materialize(ak.sort(whole, axis=0)),
    }
    return Case(contestants, lambda got, want: check(bool(ak.all(got == want)), "another order"))


def graph_of_10000() -> Case:
    """A graph of 10,000 partitions; the rival is a dict of as many tuples."""
    x = ak.scan([lambda: ak.Array([1.0])] * 10_000, example=ak.Array([1.0]))

    def ours():
        graph = Graph()
        graph.add([ak.sum(x * 2)._node])
        return graph.tasks

    def tuples():
        return {("x", i): (len, ("y", i), ("z", i)) for i in range(10_000)}

    contestants = {"serrate": ours, "a dict": tuples}
    return Case(contestants, lambda got, want: check(len(got) >= len(want), "too few tasks"))


CASES = {
    "datasets: parquet into an array": parquet_read,
    "datasets: root into an array": root_read,
    "datasets: a sum over partitions": scanned_sum,
    "datasets: a histogram over partitions": scanned_histogram,
    "datasets: a sort over partitions": sorted_rows,
    "datasets: graph of 10,000 partitions": graph_of_10000,
}
