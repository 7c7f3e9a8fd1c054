"""A dataset larger than memory: HT and dimuon masses beside the decoder alone, and on clusters.

    ./dev py bench/larger.py [--gigabytes 12] [--limit 2.048e9] [--folder DIR] [--workers 1 2]
                             [--backend cuda]

Each contestant has a process of its own, in turn, whose address space is limited (not on a GPU,
whose driver reserves more). One row group is written again and again, so the right histograms are
known: that group's, times their number.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow.parquet

import serrate as ak

ROWS = 250_000  # of a row group
FIELDS = ("pt", "eta", "phi", "mass")
READ = ("Jet_pt", "Muon_pt", "Muon_eta", "Muon_phi")


def row_group():
    r = np.random.default_rng(1)
    columns = {"MET_pt": r.exponential(30, ROWS).astype(np.float32), "run": np.arange(ROWS)}
    for name, mean in (("Jet", 4), ("Muon", 1.5), ("Electron", 1.5)):
        counts = np.minimum(r.poisson(mean, ROWS), 12)
        n = int(counts.sum())
        for field in FIELDS:
            is_length = field in ("pt", "mass")
            values = r.exponential(30, n) if is_length else r.normal(0, 1.3, n)
            columns[f"{name}_{field}"] = ak.unflatten(ak.Array(values.astype(np.float32)), counts)
    made = ak.zip({k: ak.Array(v) for k, v in columns.items()}, depth_limit=1)
    return ak.to_arrow_table(made, extensionarray=False, list_to32=True)


def written(path, size):
    """The file, of at least so many bytes."""
    if os.path.exists(path) and os.path.getsize(path) >= size:
        return
    table = row_group()
    how = {"compression": "snappy", "use_dictionary": False}
    with pyarrow.parquet.ParquetWriter(path, table.schema, **how) as writer:
        while not os.path.exists(path) or os.path.getsize(path) < size:
            writer.write_table(table, row_group_size=ROWS)


def leaves(meta):
    """Numbers and names of the columns that are read."""
    names = [meta.schema.column(i).path for i in range(meta.num_columns)]
    return [(i, name) for i, name in enumerate(names) if name.split(".")[0] in READ]


def program(x):
    """HT, and the masses of two muons."""
    ht = ak.sum(x.Jet_pt, axis=-1)
    two = x[ak.num(x.Muon_pt) == 2]
    (p1, e1, f1), (p2, e2, f2) = (
        [two[f"Muon_{field}"][:, i] for field in ("pt", "eta", "phi")] for i in (0, 1)
    )
    mass = np.sqrt(2 * p1 * p2 * (np.cosh(e1 - e2) - np.cos(f1 - f2)))
    return ak.histogram(ht, 100, 0, 500), ak.histogram(mass, 100, 0, 200)


def counts_of(histograms):
    counts = (h[0] if isinstance(h, tuple) else h for h in histograms)
    return [np.asarray(ak.to_numpy(ak.to_backend(x, "cpu"))) for x in counts]


def decoder(path):
    file = pyarrow.parquet.ParquetFile(path)
    names = [name for _, name in leaves(file.metadata)]
    for group in range(file.num_row_groups):
        file.read_row_group(group, names)


def serrate(path):
    return ak.compute(*program(ak.scan_parquet(path)), progress=False)


def checked(found, path, groups):
    expected = counts_of(program(ak.from_parquet(path, row_groups=[0])))
    for have, one in zip(counts_of(found), expected, strict=True):
        assert np.array_equal(have, one * groups), "the histograms are wrong"


def one(name, path, limit, backend):
    """What a process of its own does."""
    ak.set_default_backend(backend)
    if backend == "cpu":
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    else:
        ak.compute(ak.sum(ak.Array([1.0])))  # starts the driver
    meta = pyarrow.parquet.read_metadata(path)
    groups, chosen = meta.num_row_groups, [i for i, _ in leaves(meta)]
    size = groups * sum(meta.row_group(0).column(i).total_compressed_size for i in chosen)
    clock, cpu = time.perf_counter(), time.process_time()
    found = {"decoder": decoder, "serrate": serrate}[name](path)
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    if found is not None:
        checked(found, path, groups)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{name}: {clock:.2f} s, {cpu:.2f} s of CPU, {size / 1e9:.2f} GB of columns at "
        f"{size / clock / 1e9:.3f} GB/s, {memory:.0f} MB resident",
        flush=True,
    )


def weak_scaling(path, workers, repeats):
    """As many times the file as there are workers of one thread each, beside the decoder alone in
    the same workers, in turn. CPU time of the workers a file is what a busy machine changes
    least."""
    import distributed

    groups, best, clusters = pyarrow.parquet.read_metadata(path).num_row_groups, {}, {}
    for n in workers:
        how = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        clusters[n] = distributed.Client(distributed.LocalCluster(n_workers=n, **how))

    def measured(name, n, f):
        clock, before = time.perf_counter(), clusters[n].run(time.process_time)
        found = f()
        clock, after = time.perf_counter() - clock, clusters[n].run(time.process_time)
        cpu = sum(after[w] - before[w] for w in before) / n
        known = best.get((name, n), (np.inf, np.inf))
        best[name, n] = min(known[0], clock), min(known[1], cpu)
        return found

    for _ in range(repeats):
        for n, client in clusters.items():
            x = ak.concatenate([ak.scan_parquet(path) for _ in range(n)])
            how = {"scheduler": client, "progress": False}
            found = measured("serrate", n, lambda x=x, how=how: ak.compute(*program(x), **how))
            checked(found, path, n * groups)
            measured("decoder", n, lambda client=client: client.run(decoder, path))
    for (name, n), (clock, cpu) in sorted(best.items()):
        first_clock, first_cpu = best[name, workers[0]]
        print(
            f"{name}, {n} workers: {clock:.2f} s, {cpu:.2f} s of CPU a file; efficiency "
            f"{first_clock / clock:.2f}, of CPU {first_cpu / cpu:.2f}"
        )
    for client in clusters.values():
        client.cluster.close()
        client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=12)
    parser.add_argument("--limit", type=float, default=2.048e9, help="bytes of a process")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", help="weak scaling on Dask instead")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.workers and given.backend != "cpu":
        parser.error("weak scaling is of workers on CPUs: without --backend")
    path = os.path.join(given.folder, f"serrate-larger-{given.gigabytes:g}.parquet")
    if given.one:
        return one(given.one, path, int(given.limit), given.backend)
    written(path, given.gigabytes * 1e9)
    if given.workers:
        return weak_scaling(path, given.workers, given.repeats)
    for _ in range(given.repeats):
        for name in ("decoder", "serrate"):
            subprocess.run([sys.executable, *sys.argv, "--one", name], check=True)
    return None


if __name__ == "__main__":
    main()
