"""Every public function and slice on 5, 1e4 and 1e6 lists beside Awkward Array, flat arrays and
every ufunc of every type beside NumPy, whole analyses beside loops by hand, functions of what
others give (--kinds pair) lazily beside step by step.

    ./dev survey [NAME ...] [--kinds K ...] [--sizes N ...] [--rounds N] [--all] [--json PATH]
    ./dev survey --memory ...: no times and no rivals, only what memory calls need

One process, one CPU thread; contestants take turns, and the shortest CPU time of each counts, as
other programs may run. What seems slower is measured again. Ours runs from the call to the
evaluated result. NAME: only calls whose text contains one of these. Printed is every cell of more
than 5 us that is slower than a rival (3x: `!!`), small calls above 5 us, calls whose time an item
grows more than threefold (and twice as much as a rival's) from the middle size to the largest, and
calls that need more memory at a time than input, output and a tenth of both. At the end they are
counted, by the function that is called. Exit status 0: it measures, it does not judge.
"""

import argparse
import ctypes
import gc
import json
import os
import sys
import time
import warnings
from collections import defaultdict

os.environ.setdefault("SERRATE_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import awkward
import box_cells
import cells
import flat_cells
import numpy as np
import pair_cases
import pipeline_cases
import pipelines

import serrate as ak

SMALL, SLOW_SMALL = 5, 5e-6
GROWTH, MEMORY = 3.0, 1.1
ROOM = 1 << 22  # bytes that blocks and pages of any call take, whatever its arrays
clock = time.process_time


def look(value):
    if isinstance(value, ak.Array):
        ak.compute(value)
    elif isinstance(value, tuple) or (isinstance(value, list) and value and is_array(value[0])):
        for part in value:  # of lists of numbers the walk itself would be measured
            look(part)
    return value


def is_array(value):
    return isinstance(value, ak.Array)


def peak(f):
    """Bytes that f needed at most beyond those before, as the kernel counts them; or 0."""
    ak._core._trim_memory()  # or memory kept from before would hide it
    ctypes.CDLL(None).malloc_trim(0)
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


def bytes_of(value, seen=None):
    """Of arrays, and of Python's objects, each once."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if is_array(value) or isinstance(value, np.ndarray):
        return value.nbytes
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (tuple, list, dict)):
        inside = ()
    # Objects come in sizes of 16 bytes.
    size = sys.getsizeof(value) if not isinstance(value, (bool, type(None))) else 0
    return (size + 15) // 16 * 16 + sum(bytes_of(x, seen) for x in inside)


def measured(calls, rounds):
    """As measure(); what seems slower than a rival, or too slow, is measured again."""
    times = measure(calls, rounds)
    if times and len(times) > 1 and 0.98 * times["ours"] > min(times.values()):
        again = measure({name: calls[name] for name in times}, 2 * rounds)
        times = {name: min(t, again[name]) for name, t in times.items()}
    return times


def measure(calls, rounds):
    """{contestant: shortest time}; those that raise are left out, or None where ours does."""
    times, loops = {}, {}
    for name, f in calls.items():
        try:
            start = clock()
            f()
            once = clock() - start
            start = clock()
            f()
            once = min(once, clock() - start)
        except Exception:
            if name == "ours":
                return None
            continue
        loops[name] = max(1, min(200, int(5e-4 / once)))
        times[name] = once
    for _ in range(rounds):
        for name in times:
            f, n = calls[name], loops[name]
            start = clock()
            for _ in range(n):
                f()
            times[name] = min(times[name], (clock() - start) / n)
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
        if self.options.memory:
            contestants = {"ours": contestants["ours"]}
            times = measure(contestants, 0)
        else:
            times = measured(contestants, self.options.rounds)
        if times is None:
            return
        ours = times.pop("ours")
        rival, least = min(times.items(), key=lambda x: x[1], default=("", None))
        row = {"kind": kind, "size": size, "call": call, "ours": ours, "rival": rival}
        row["ratio"] = ours / least if least else None
        notes = []
        row["slower"] = bool(least and ours > max(1.02 * least, SLOW_SMALL))
        if row["slower"]:
            notes.append(f"{ours / least:.2f}x {rival}" + (" !!" if ours > 3 * least else ""))
        row["small"] = size == cells.SIZES[0] and ours > SLOW_SMALL
        if row["small"]:
            notes.append("above 5 us")
        before = self.earlier.get((kind, call))
        row["grows"] = False
        if before and size > before[0] > SMALL and ours > 1e-3:
            growth = (ours / size) / (before[1] / before[0])
            # Of what is beyond the caches any item takes longer: a rival shows by how much.
            theirs = least / size / (before[2] / before[0]) if least and before[2] else 1.0
            row["grows"] = growth > GROWTH * max(1.0, theirs / 1.5)
            if row["grows"]:
                notes.append(f"an item takes {growth:.1f}x that of {before[0]:g}")
        self.earlier[kind, call] = (size, ours, least)
        row["large"] = False
        if size >= 1_000_000 or self.options.memory:
            result = []
            used = peak(lambda: result.append(contestants["ours"]()) or True)
            needed = given + bytes_of(result[0])
            row["memory"] = (given + used) / max(needed, 1)
            row["large"] = given + used > MEMORY * needed + ROOM
            if row["large"]:
                notes.append(f"peak {row['memory']:.1f}x input and output")
        row["notes"] = notes
        self.rows.append(row)
        if notes or self.options.all:
            unit = f"{ours * 1e6:10.1f} us"
            print(f"{kind:14} {size:>9,} {call:34} {unit}  {'; '.join(notes)}", flush=True)

    def lists(self, size):
        functions = [(t, f) for t, f in cells.public_calls() if self.wanted(t)]
        for kind, make in cells.kinds(size).items():
            calls = functions + [(t, f) for t, f in cells.slices_of(kind) if self.wanted(t)]
            if not self.kind_wanted(kind) or not calls:
                continue
            theirs = make()
            ours = ak.Array(theirs)
            look(ours)
            for text, f in calls:
                if size > SMALL and cells.is_quadratic(text, kind):
                    continue
                contestants = {"ours": lambda f=f, x=ours: look(f(ak, x))}
                if "x[" in text or hasattr(awkward, text.split()[0]):
                    contestants["Awkward"] = lambda f=f, x=theirs: f(awkward, x)
                self.cell(kind, size, text, contestants, ours.nbytes)
            gc.collect()

    def flat(self, size):
        calls = [(t, f) for t, f in flat_cells.FLAT if self.wanted(t)]
        for kind, x in flat_cells.flat(size).items() if calls else ():
            if not self.kind_wanted(kind):
                continue
            ours = ak.Array(x)
            for text, f in calls:
                contestants = {
                    "ours": lambda f=f, x=ours: look(f(x)),
                    "NumPy": lambda f=f, x=x: f(x),
                }
                self.cell(kind, size, text, contestants, x.nbytes)

    def boxes(self, size):
        calls = [(t, f) for t, f in box_cells.BOXES if self.wanted(t)]
        for kind, x in box_cells.boxes(size).items() if calls else ():
            if not self.kind_wanted(kind):
                continue
            ours, given = ak.Array(x), box_cells.Given(x, ak.Array)
            look(list(vars(given).values()))
            theirs = box_cells.Given(x, np.asarray)
            for text, f in calls:
                contestants = {
                    "ours": lambda f=f, x=ours, g=given: look(f(x, g)),
                    "NumPy": lambda f=f, x=x, g=theirs: f(x, g),
                }
                self.cell(kind, size, text, contestants, x.nbytes)
            gc.collect()

    def ufuncs(self, size):
        for kind, x in flat_cells.of_types(size).items():
            if not self.kind_wanted(kind):
                continue
            y = x[::-1].copy()
            ours, second = ak.Array(x), ak.Array(y)
            for text, f in flat_cells.ufuncs(x):
                if not self.wanted(text):
                    continue
                contestants = {
                    "ours": lambda f=f, x=ours, y=second: look(f(x, y)),
                    "NumPy": lambda f=f, x=x, y=y: f(x, y),
                }
                self.cell(kind, size, text, contestants, x.nbytes)

    def analyses(self, size):
        """Whole analyses, and the same as functions of ak.compile, beside the loop that one would
        write, compiled."""
        wanted = [(name, p) for name, p in pipeline_cases.CASES.items() if self.wanted(name)]
        if not wanted or not self.kind_wanted("pipeline"):
            return
        inputs = pipelines.events(size)
        arrays = {
            name: ak.Array(cells.lists_of(offsets, fields))
            for name, (offsets, fields) in inputs.items()
        }
        look(list(arrays.values()))
        for name, p in wanted:
            loop = pipelines.by_hand(p, inputs)
            got = ak.to_numpy(ak.fill_none(p.ours(arrays), p.none)).astype("f8")
            pipelines.agree(got, loop().astype("f8"))
            kept = ak.compile(p.ours)
            for kind, ours in (("pipeline", p.ours), ("pipeline kept", kept)):
                contestants = {"ours": lambda f=ours: look(f(arrays)), "loop": loop}
                self.cell(kind, size, name, contestants, sum(arrays[k].nbytes for k in p.of))

    def pairs(self, size):
        """Functions of what others give, lazily beside step by step."""
        if not self.kind_wanted("pair"):
            return
        inputs = pair_cases.arrays(size)
        given = sum(x.nbytes for x in inputs.values())
        for first, g in pair_cases.FIRST.items():
            for second, f in pair_cases.SECOND.items():
                text = f"{second} of {first}"
                if not self.wanted(text):
                    continue
                contestants = {
                    "ours": lambda f=f, g=g: look(f(g(inputs))),
                    "step by step": lambda f=f, g=g: look(f(ak.materialize(g(inputs)))),
                }
                self.cell("pair", size, text, contestants, given)
            gc.collect()

    def kind_wanted(self, kind):
        return not self.options.kinds or any(k in kind for k in self.options.kinds)


def print_counts(rows):
    """How many cells of what kind there are, in all and by the function that is called."""
    known = [r for r in rows if r["ratio"]]
    print(
        f"\n{len(rows)} cells, {len(known)} with a rival; "
        f"{sum(r['slower'] for r in known)} slower, "
        f"{sum(r['slower'] and r['ratio'] > 3 for r in known)} by more than 3x; "
        f"{sum(r['small'] for r in rows)} small calls above 5 us; "
        f"{sum(r['grows'] for r in rows)} grow faster than their size; "
        f"{sum(r['large'] for r in rows)} with more memory than input, output and a tenth"
    )
    classes = defaultdict(list)
    for r in rows:
        if r["notes"]:
            classes[r["call"].split(" axis=")[0]].append(r)
    if classes:
        print(f"{'class':28} slower  most    3x  small  grows  memory  most  kinds")
    for name, found in sorted(classes.items(), key=lambda x: -sum(r["slower"] for r in x[1])):
        worst = max((r["ratio"] for r in found if r["slower"]), default=0)
        memory = max((r["memory"] for r in found if r["large"]), default=0)
        print(
            f"{name:28} {sum(r['slower'] for r in found):6} {worst:5.1f} "
            f"{sum(r['slower'] and r['ratio'] > 3 for r in found):5} "
            f"{sum(r['small'] for r in found):6} {sum(r['grows'] for r in found):6} "
            f"{sum(r['large'] for r in found):7} {memory:5.1f}  "
            f"{', '.join(sorted({r['kind'] for r in found}))}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kinds", nargs="+", help="of arrays, as printed; pipeline: analyses")
    parser.add_argument("--sizes", nargs="+", type=lambda x: int(float(x)), default=cells.SIZES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="print the others, too")
    parser.add_argument("--memory", action="store_true", help="no times, only peaks of memory")
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    gc.disable()  # what is measured before leaves objects behind
    np.seterr(all="ignore")
    survey = Survey(options)
    for size in options.sizes:
        survey.flat(size)
        survey.boxes(size)
        survey.ufuncs(size)
        survey.lists(size)
        if size > SMALL:
            survey.analyses(size)
            survey.pairs(size)
    print_counts(survey.rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(survey.rows, file, indent=1)


if __name__ == "__main__":
    main()
