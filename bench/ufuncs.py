"""All ufuncs beside NumPy's: 1e6 items of a type, and one call on five short lists.

    python bench/ufuncs.py [--types f8 f4 i8] [--only NAME] [--json PATH] [--worst N]

One thread each. Calls take turns, the best of several rounds counts; results are compared with
NumPy's before. `ratio` is NumPy's time over serrate's: above 1, serrate is faster. `short` is one
call on five short lists, evaluation included, in microseconds.
"""

import argparse
import json
import os
import time

os.environ.setdefault("SERRATE_NUM_THREADS", "1")
import numpy as np

import serrate as ak

ITEMS = 1_000_000
SHORT = [[0.5, 0.25, 0.75], [], [0.5], [0.25, 0.125], [1.0]]
PRODUCTS = ("matmul", "matvec", "vecdot", "vecmat")
NAMES = sorted({f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc)} - {*PRODUCTS})


def numbers(rng, name, dtype):
    """Arguments that every function takes: between 0 and 1, or small integers."""
    if dtype[0] == "f":
        x = (rng.random(ITEMS) * 0.98 + 0.01).astype(dtype)
        return x + x.dtype.type(1) if name == "arccosh" else x
    return rng.integers(1, 30, ITEMS).astype(dtype)


def arguments(name, dtype):
    rng = np.random.default_rng(1)
    args = [numbers(rng, name, dtype) for _ in range(getattr(np, name).nin)]
    if name == "ldexp":
        args[1] = np.full(ITEMS, 3, "i4")
    return args


def best(*calls, rounds=9):
    """The shortest time of each call; they take turns."""
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, t in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            t.append(time.perf_counter() - start)
    return [min(t) for t in times]


def check(name, ours, theirs):
    for got, want in zip(ours, theirs, strict=True):
        got = ak.to_numpy(got)
        if got.dtype != want.dtype:
            raise AssertionError(f"{name}: {got.dtype} is not {want.dtype}")
        np.testing.assert_allclose(got, want, rtol=1e-5 if want.itemsize < 8 else 1e-14)


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def measure(name, dtype):
    """Seconds of both for 1e6 items, and for short lists; None if the type is not taken."""
    ufunc = getattr(np, name)
    plain = arguments(name, dtype)
    try:
        theirs = as_tuple(ufunc(*plain))
    except TypeError:
        return None
    arrays = [ak.Array(a) for a in plain]
    lists = [ak.values_astype(ak.Array(SHORT), a.dtype) for a in plain]
    ak.compute(*lists)

    def run(args):
        return ak.compute(*as_tuple(ufunc(*args)))

    check(name, as_tuple(run(arrays)), theirs)
    ours, numpys = best(lambda: run(arrays), lambda: ufunc(*plain))
    run(lists)
    (short,) = best(lambda: run(lists), rounds=200)
    return {"serrate_s": ours, "numpy_s": numpys, "short_s": short}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--types", nargs="+", default=["f8", "f4"])
    p.add_argument("--only", default="")
    p.add_argument("--json", metavar="PATH")
    p.add_argument("--worst", type=int, default=1000, help="only the lowest ratios")
    options = p.parse_args()
    found = {}
    for dtype in options.types:
        for name in NAMES:
            if options.only in name and (times := measure(name, dtype)):
                found[f"{name} {dtype}"] = times
    ranked = sorted(found.items(), key=lambda item: item[1]["numpy_s"] / item[1]["serrate_s"])
    print(f"{'function':20} {'serrate':>10} {'numpy':>10} {'ratio':>7} {'short':>8}")
    for name, t in ranked[: options.worst]:
        ratio = t["numpy_s"] / t["serrate_s"]
        print(
            f"{name:20} {t['serrate_s'] * 1e3:7.3f} ms {t['numpy_s'] * 1e3:7.3f} ms"
            f" {ratio:7.2f} {t['short_s'] * 1e6:5.1f} us"
        )
    if options.json:
        with open(options.json, "w") as f:
            json.dump(found, f, indent=1)


if __name__ == "__main__":
    main()
