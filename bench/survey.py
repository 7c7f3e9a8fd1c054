"""Every public function on 5, 1e4 and 1e6 lists beside Awkward Array, and flat arrays beside NumPy.

    ./dev survey [NAME ...] [--kinds K ...] [--sizes N ...] [--rounds N] [--all] [--json PATH]

One process, one CPU thread; contestants take turns, and the shortest time of each counts. Ours
runs from the call to the evaluated result. NAME: only calls whose text contains one of these.
Printed is every cell of more than 5 us that is slower than a rival (3x: `!!`), small calls above
5 us, calls whose time an item grows more than threefold from the middle size to the largest, and
calls whose peak memory is twice input and output. Exit status 0: it measures, it does not judge.
"""

import argparse
import gc
import json
import os
import time
import warnings

os.environ.setdefault("SERRATE_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import awkward
import numpy as np
import survey_cells as cells

import serrate as ak

SMALL, SLOW_SMALL = 5, 5e-6
GROWTH, MEMORY = 3.0, 2.0


def look(value):
    if isinstance(value, ak.Array):
        ak.compute(value)
    elif isinstance(value, (tuple, list)):
        for part in value:
            look(part)
    return value


def peak(f):
    """Bytes that f needed at most beyond those before, as the kernel counts them; or 0."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return 0
    before = resident("VmRSS")
    result = f()
    return max(0, resident("VmHWM") - before) if result is not None else 0


def resident(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(key))


def bytes_of(value):
    """Of arrays; 0 of what is none."""
    if isinstance(value, (tuple, list)):
        return sum(map(bytes_of, value))
    return getattr(value, "nbytes", 0)


def measure(calls, rounds):
    """{contestant: shortest time}; those that raise are left out, or None where ours does."""
    times, loops = {}, {}
    for name, f in calls.items():
        try:
            start = time.perf_counter()
            f()
            once = time.perf_counter() - start
            start = time.perf_counter()
            f()
            once = min(once, time.perf_counter() - start)
        except Exception:
            if name == "ours":
                return None
            continue
        loops[name] = max(1, min(200, int(5e-4 / once)))
        times[name] = once
    for _ in range(rounds):
        for name in times:
            f, n = calls[name], loops[name]
            start = time.perf_counter()
            for _ in range(n):
                f()
            times[name] = min(times[name], (time.perf_counter() - start) / n)
    return times


class Survey:
    def __init__(self, options):
        self.options = options
        self.rows = []
        self.earlier = {}  # (kind, call): its time at the size before

    def wanted(self, text):
        names = self.options.names
        return not names or any(name in text for name in names)

    def cell(self, kind, size, call, contestants, given):
        try:
            times = measure(contestants, self.options.rounds)
        except KeyboardInterrupt:
            raise
        if times is None:
            return
        ours = times.pop("ours")
        rival, least = min(times.items(), key=lambda x: x[1], default=("", None))
        row = {"kind": kind, "size": size, "call": call, "ours": ours, "rival": rival}
        row["ratio"] = ours / least if least else None
        notes = []
        if least and ours > max(1.02 * least, SLOW_SMALL):
            notes.append(f"{ours / least:.2f}x {rival}" + (" !!" if ours > 3 * least else ""))
        if size == cells.SIZES[0] and ours > SLOW_SMALL:
            notes.append("above 5 us")
        before = self.earlier.get((kind, call))
        if before and size > before[0] > SMALL and ours > 1e-3:
            growth = (ours / size) / (before[1] / before[0])
            if growth > GROWTH:
                notes.append(f"an item takes {growth:.1f}x that of {before[0]:g}")
        self.earlier[kind, call] = (size, ours)
        if size >= 1_000_000:
            result = []
            used = peak(lambda: result.append(contestants["ours"]()) or True)
            needed = given + bytes_of(result[0])
            row["memory"] = used / max(needed, 1)
            if used > MEMORY * needed and used > 1 << 24:
                notes.append(f"peak {used / needed:.1f}x input and output")
        row["notes"] = notes
        self.rows.append(row)
        if notes or self.options.all:
            unit = f"{ours * 1e6:10.1f} us"
            print(f"{kind:14} {size:>9,} {call:34} {unit}  {'; '.join(notes)}", flush=True)

    def lists(self, size):
        calls = [(t, f) for t, f in cells.public_calls() if self.wanted(t)]
        for kind, make in cells.kinds(size).items():
            if not self.kind_wanted(kind) or not calls:
                continue
            theirs = make()
            ours = ak.Array(theirs)
            look(ours)
            for text, f in calls:
                if size > SMALL and cells.is_quadratic(text, kind):
                    continue
                contestants = {"ours": lambda f=f, x=ours: look(f(ak, x))}
                if hasattr(awkward, text.split()[0]):
                    contestants["Awkward"] = lambda f=f, x=theirs: f(awkward, x)
                self.cell(kind, size, text, contestants, ours.nbytes)
            gc.collect()

    def flat(self, size):
        for arrays, calls in ((cells.flat, cells.FLAT), (cells.square, cells.MATRIX)):
            calls = [(t, f) for t, f in calls if self.wanted(t)]
            for kind, x in arrays(size).items() if calls else ():
                if not self.kind_wanted(kind):
                    continue
                ours = ak.Array(x)
                for text, f in calls:
                    contestants = {
                        "ours": lambda f=f, x=ours: look(f(x)),
                        "NumPy": lambda f=f, x=x: f(x),
                    }
                    self.cell(kind, size, text, contestants, x.nbytes)

    def kind_wanted(self, kind):
        return not self.options.kinds or any(k in kind for k in self.options.kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--sizes", nargs="+", type=lambda x: int(float(x)), default=cells.SIZES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="print the others, too")
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    gc.disable()  # what is measured before leaves objects behind
    np.seterr(all="ignore")
    survey = Survey(options)
    for size in options.sizes:
        survey.flat(size)
        survey.lists(size)
    known = [r for r in survey.rows if r["ratio"]]
    print(
        f"{len(survey.rows)} cells, {len(known)} with a rival; "
        f"{sum(' '.join(r['notes']).count('x ' + r['rival']) for r in known)} slower, "
        f"{sum(' '.join(r['notes']).count('!!') for r in known)} by more than 3x; "
        f"{sum('above 5 us' in r['notes'] for r in survey.rows)} small calls above 5 us"
    )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(survey.rows, file, indent=1)


if __name__ == "__main__":
    main()
