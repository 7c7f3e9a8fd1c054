"""Every public function and slice of lists of every kind on a GPU, beside the same on all cores of
its host and beside a copy of its bytes.

    ./dev gpu-functions-survey [NAME ...] [--kinds K ...] [--gpu-only]

Milliseconds from the call in Python to the finished result, the shortest of a few. Printed is each
call that takes longer than on the CPU (`!!`), or ten times as long as to copy what it reads and
writes beside a launch or two; and how many there are. --warm: one call each, no times, as kernels
are compiled (several processes may share them by SERRATE_CACHE_DIR; timed is one process at a time,
as processes take turns on a GPU). Exit status 0: it measures, it does not judge.
"""

import argparse
import gc
import json
import os
import sys
import time
import warnings

os.environ.setdefault("SERRATE_NUM_THREADS", str(len(os.sched_getaffinity(0))))
import cells
import pipelines  # noqa: F401  (says where the modules of bench are)

import serrate as ak

import gpu_timing  # isort: skip

SIZE = 1_000_000
FIXED = 200e-6  # seconds of calls, launches and waits that say nothing of a kernel
FACTOR = 10
SECONDS = 2.0  # after which a call is not repeated
# What they give is Python's or NumPy's, or lies in RAM by definition.
ON_THE_HOST = ("to_", "from_", "is_tuple", "is_valid", "fields", "parameters", "type", "validity")


def look(value):
    if isinstance(value, ak.Array):
        ak.compute(value)
    elif isinstance(value, tuple) or (
        isinstance(value, list) and value and isinstance(value[0], ak.Array)
    ):
        for part in value:
            look(part)
    return value


def bytes_of(value):
    if isinstance(value, (tuple, list)):
        return sum(bytes_of(v) for v in value)
    return value.nbytes if isinstance(value, ak.Array) else 0


def shortest(call, wait, rounds):
    """Seconds of the quickest of a few calls, after one that compiles, and its result's bytes."""
    result = look(call())
    wait()
    size = bytes_of(result)
    best, begin = float("inf"), time.perf_counter()
    for _ in range(rounds):
        t = time.perf_counter()
        look(call())
        wait()
        best = min(best, time.perf_counter() - t)
        if time.perf_counter() - begin > SECONDS:
            break
    return best, size


class Functions:
    def __init__(self, options):
        self.options = options
        self.rows = []

    def wanted(self, text):
        names = self.options.names
        return not text.startswith(ON_THE_HOST) and (not names or any(n in text for n in names))

    def cell(self, kind, text, f, on_gpu, in_ram):
        if self.options.trace:
            print(kind, text, file=sys.stderr, flush=True)
        try:
            if self.options.warm:
                look(f(ak, on_gpu))
                return
            times = {}
            times["gpu"], made = shortest(
                lambda: f(ak, on_gpu), gpu_timing.cp.cuda.Device().synchronize, 5
            )
            times["cpu"] = float("inf")
            if not self.options.gpu_only:
                times["cpu"], _ = shortest(lambda: f(ak, in_ram), lambda: None, 3)
        except Exception as error:
            self.failed(kind, text, f, in_ram, error)
            return
        copied = (in_ram.nbytes + made) / gpu_timing.RATE
        row = {"kind": kind, "call": text, "copied": copied, **times}
        row["behind"] = times["gpu"] > max(times["cpu"], FIXED)
        row["slow"] = times["gpu"] > FIXED + FACTOR * copied
        self.rows.append(row)
        if row["behind"] or row["slow"] or self.options.all:
            print(
                f"{kind:14} {text:34} {times['gpu'] * 1e3:9.3f} ms  CPU {times['cpu'] * 1e3:9.3f}"
                f"  copy {copied * 1e3:7.3f}" + ("  !!" if row["behind"] else ""),
                flush=True,
            )

    def failed(self, kind, text, f, in_ram, error):
        """Said where the CPU does not fail."""
        try:
            look(f(ak, in_ram))
        except Exception:
            return
        text = f"{kind:14} {text:34} failed: {type(error).__name__}: {str(error)[:200]}"
        print(text.replace("\n", " "), flush=True)

    def survey(self):
        for kind, make in cells.kinds(self.options.size).items():
            if self.options.kinds and kind not in self.options.kinds:
                continue
            calls = [*cells.public_calls(), *cells.slices_of(kind)]
            in_ram = ak.from_awkward(make())
            on_gpu = ak.to_backend(in_ram, "cuda")
            for text, f in calls:
                if not self.wanted(text) or cells.is_quadratic(text, kind):
                    continue
                self.cell(kind, text, f, on_gpu, in_ram)
            gc.collect()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--size", type=lambda x: int(float(x)), default=SIZE)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--gpu-only", action="store_true", help="no times of the CPU")
    parser.add_argument("--trace", action="store_true", help="say on stderr what is called")
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    functions = Functions(options)
    functions.survey()
    rows = functions.rows
    print(
        f"{len(rows)} cells; {sum(r['behind'] for r in rows)} take longer than on the CPU, "
        f"{sum(r['slow'] for r in rows)} more than {FACTOR} copies"
    )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
