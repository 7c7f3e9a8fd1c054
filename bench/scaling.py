"""How times fall with the number of threads: python bench/scaling.py [--json PATH].

1e8 float64, each number of threads in a process of its own. A compute-bound chain should take all
cores; sums and stored results are bound by the memory's rate, which few cores reach.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

ITEMS = 100_000_000
THREADS = (1, 2, 4, 8, 16)


def cases(ak):
    random = np.random.default_rng(1)
    x = ak.from_numpy(random.random(ITEMS))
    giant = ak.unflatten(x, [ITEMS - 1000, *[1] * 1000])
    short = ak.unflatten(x, ITEMS // 10 * [10])
    box = ak.from_numpy(random.random((1000, ITEMS // 100_000, 100)))
    ak.compute(giant, short, box)
    return {
        "chain": lambda: ak.sum(np.exp(-x * x) * np.sin(x) + np.log1p(np.sqrt(x)), axis=None),
        "chain, lists of 10": lambda: ak.sum(np.exp(-short * short) * np.sin(short), axis=-1),
        "chain, a giant list": lambda: ak.sum(np.exp(-giant * giant) * np.sin(giant), axis=-1),
        "sum": lambda: ak.sum(x, axis=None),
        "sum of lists of 10": lambda: ak.sum(short, axis=-1),
        "sum of a giant list": lambda: ak.sum(giant, axis=-1),
        "x * x + 1, stored": lambda: x * x + 1,
        "x[x > 0.5], stored": lambda: x[x > 0.5],
        "x[x > 0.5], a giant list": lambda: giant[giant > 0.5],
        "x[:, ::-1], a giant list": lambda: ak.values_astype(giant[:, ::-1], "float32"),
        "sum, last axis of a box": lambda: ak.sum(box, axis=-1),
        "sum, axis 0, few lists": lambda: ak.sum(giant[:1], axis=0),
        "sort of lists of 10": lambda: ak.sort(short),
        "histogram": lambda: ak.histogram(x, 100, 0, 1),
    }


def seconds(rounds=2):
    import serrate as ak

    out = {}
    for name, call in cases(ak).items():
        ak.compute(call())
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            ak.compute(call())
            times.append(time.perf_counter() - start)
        out[name] = min(times)
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--json", metavar="PATH")
    p.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = p.parse_args()
    if options.one:
        print(json.dumps(seconds()))
        return
    found = {}
    for n in THREADS:
        if n > os.cpu_count():
            break
        done = subprocess.run(
            [sys.executable, __file__, "--one"],
            env={**os.environ, "SERRATE_NUM_THREADS": str(n)},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        found[n] = json.loads(done.stdout)
    print(f"{'':26}" + "".join(f"{n:>9}" for n in found) + "   gain")
    for name, once in found[1].items():
        times = [t[name] for t in found.values()]
        row = "".join(f"{t * 1e3:6.0f} ms" for t in times)
        print(f"{name:26}{row}  {once / times[-1]:5.1f}x")
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"cores": os.cpu_count(), "seconds": found}, f, indent=1)


if __name__ == "__main__":
    main()
