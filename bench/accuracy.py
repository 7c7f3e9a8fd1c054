"""Measures the error of the maths functions: python bench/accuracy.py [--json PATH] [--page].

The oracle is NumPy's longdouble: the C library's functions of 80-bit numbers, whose 64 bits of
mantissa leave 11 to spare over float64, 40 over float32. What is measured is the largest distance
from the exact result in units in the last place (ULP) of the type, over random arguments of all
sizes that a function takes, and the neighbours of its special points.

--page measures every instruction set of this CPU, in a process each, adds what results/ has of a
GPU, and writes the table of docs/accuracy.md.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "accuracy.json"
PAGE = HERE.parent / "docs" / "accuracy.md"
SIZE = 400_000
BEGIN, END = "<!-- measured: bench/accuracy.py --page -->\n", "<!-- end -->\n"
COLUMNS = {"baseline": "SSE2", "avx2": "AVX2", "avx512": "AVX-512", "cuda": "GPU"}

RNG = np.random.default_rng(11)


def spread(low, high, n=None):
    """Both signs, all sizes from low to high alike."""
    n = n or SIZE
    return np.exp(RNG.uniform(np.log(low), np.log(high), n)) * RNG.choice([-1, 1], n)


def near(*points):
    return np.concatenate([p * (1 + spread(1e-9, 1e-2, SIZE // 20)) for p in points])


def arguments(name, dtype):
    """Columns of arguments of a function, as numbers of dtype."""
    wide = 700 if dtype == "float64" else 85
    turn = np.pi * np.arange(1, 40) / 2
    unary = {
        "sin": (spread(1e-6, 1e6), near(*turn)),
        "cos": (spread(1e-6, 1e6), near(*turn)),
        "tan": (spread(1e-6, 1e6), near(*turn)),
        "arcsin": (spread(1e-6, 1), near(0.5, 0.999)),
        "arccos": (spread(1e-6, 1), near(0.5, 0.999)),
        "arctanh": (spread(1e-6, 1), near(0.5, 0.98)),
        "arctan": (spread(1e-6, 1e6),),
        "arccosh": (1 + np.abs(spread(1e-6, 1e8)),),
        "arcsinh": (spread(1e-6, 1e8),),
        "sinh": (spread(1e-6, wide),),
        "cosh": (spread(1e-6, wide),),
        "tanh": (spread(1e-6, 50),),
        "exp": (spread(1e-6, wide),),
        "exp2": (spread(1e-6, wide),),
        "expm1": (spread(1e-6, wide),),
        "log": (np.abs(spread(1e-30, 1e30)), near(1)),
        "log2": (np.abs(spread(1e-30, 1e30)), near(1, 2, 4)),
        "log10": (np.abs(spread(1e-30, 1e30)), near(1, 10)),
        "log1p": (np.abs(spread(1e-8, 1e8)), -np.abs(spread(1e-8, 0.999))),
        "cbrt": (spread(1e-30, 1e30),),
        "sqrt": (np.abs(spread(1e-30, 1e30)),),
        "reciprocal": (spread(1e-30, 1e30),),
        "deg2rad": (spread(1e-6, 1e6),),
        "rad2deg": (spread(1e-6, 1e6),),
    }
    if name in unary:
        return [np.concatenate(unary[name])]
    n = SIZE
    return {
        "power": lambda: [np.abs(spread(1e-3, 1e3)), RNG.uniform(-12, 12, n)],
        "float_power": lambda: [np.abs(spread(1e-3, 1e3)), RNG.uniform(-12, 12, n)],
        "arctan2": lambda: [spread(1e-6, 1e6), spread(1e-6, 1e6)],
        "hypot": lambda: [spread(1e-10, 1e10), spread(1e-10, 1e10)],
        "logaddexp": lambda: [np.abs(spread(1e-3, 80)), RNG.uniform(-30, 30, n)],
        "logaddexp2": lambda: [np.abs(spread(1e-3, 80)), RNG.uniform(-30, 30, n)],
        "divide": lambda: [spread(1e-10, 1e10), spread(1e-10, 1e10)],
        "fmod": lambda: [spread(1e-3, 1e12), spread(1e-3, 1e3)],
        "remainder": lambda: [spread(1e-3, 1e3), spread(1e-3, 1e3)],
    }[name]()


NAMES = [
    *("sqrt", "reciprocal", "divide", "fmod", "remainder", "deg2rad", "rad2deg", "sin", "cos"),
    *("tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh"),
    *("arccosh", "arctanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt"),
    *("hypot", "power", "float_power", "logaddexp", "logaddexp2"),
]


def error(name, dtype):
    """The largest error, in ULP of the result's type."""
    import serrate as ak

    args = [a.astype(dtype) for a in arguments(name, dtype)]
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*[a.astype(np.longdouble) for a in args])
    got = getattr(ak, name)(*[ak.Array(a) for a in args])
    got = ak.to_backend(got, "cpu").to_numpy()
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        counts = np.isfinite(rounded) & (np.abs(rounded) >= np.finfo(got.dtype).tiny)
        unit = np.abs(np.spacing(rounded)).astype(np.longdouble)
        # A power of two has the smaller numbers closer by.
        ulp = np.where(counts, np.abs(got - exact) / unit, 0)
    return float(ulp.max())


def measure():
    import serrate as ak

    where = "cuda" if ak.default_backend() == "cuda" else os.environ.get("SERRATE_ISA", "default")
    return {where: {t: {n: round(error(n, t), 2) for n in NAMES} for t in ("float32", "float64")}}


def every_instruction_set():
    """What each one of this CPU gives, measured in a process of its own."""
    found = {}
    for isa in ("baseline", "avx2", "avx512"):
        done = subprocess.run(
            [sys.executable, __file__],
            env={**os.environ, "SERRATE_ISA": isa, "SERRATE_BACKEND": "cpu"},
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            found |= json.loads(done.stdout)
        elif "not available" not in done.stderr:
            raise SystemExit(done.stderr)
    return found


def table(found):
    known = [c for c in COLUMNS if c in found]
    heads = [f"{t}, {COLUMNS[c]}" for t in ("float32", "float64") for c in known]
    lines = ["| function | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for name in NAMES:
        row = [f"{found[c][t][name]:.2f}" for t in ("float32", "float64") for c in known]
        lines.append(f"| `{name}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def write_page(found):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + table(found) + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--json", metavar="PATH", help="write what this process measures here")
    p.add_argument("--add", metavar="PATH", help="with --page: a column measured elsewhere")
    p.add_argument("--page", action="store_true", help="all instruction sets, into the page")
    options = p.parse_args()
    if options.page:
        known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        known |= every_instruction_set()
        if options.add:
            known |= json.loads(Path(options.add).read_text())
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")
        write_page(known)
    else:
        text = json.dumps(measure())
        Path(options.json).write_text(text) if options.json else print(text)
