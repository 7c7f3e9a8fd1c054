# Random chains of calls in worker processes: what differs is shrunk and printed as tests.
import argparse
import queue
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from random_chains.chain import make
from random_chains.processes import Runner
from random_chains.shrink import family, shrunk
from random_chains.worker import packed

BLOCK = 25  # seeds of one task
FOUND = Path(__file__).resolve().parent.parent / "test_found.py"


def options():
    p = argparse.ArgumentParser(prog="dev random", description="random chains of calls, compared")
    p.add_argument("--chains", type=int, default=2000, help="chains times data sets")
    p.add_argument("--sets", type=int, default=4, help="data sets of each chain")
    p.add_argument("--seed", type=int, default=0, help="the first seed")
    p.add_argument("--jobs", type=int, default=1, help="worker processes")
    p.add_argument("--minutes", type=float, default=None, help="stop after these")
    p.add_argument("--rows", type=int, default=200_000, help="most rows")
    p.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    p.add_argument("--threads", default="2,16", help="other numbers of threads; none: 0")
    p.add_argument("--perturb", default="half", choices=["half", "always", "never"])
    p.add_argument("--no-awkward", action="store_true", help="lazily against step by step only")
    p.add_argument("--shrink", type=int, default=8, help="findings that are shrunk")
    p.add_argument("--shrink-seconds", type=float, default=90, help="for all of them together")
    p.add_argument("--keep", action="store_true", help=f"append tests to {FOUND.name}")
    p.add_argument("--show", type=int, help="print the chain of this seed and stop")
    p.add_argument("--limit", type=float, default=60, help="seconds without news of a worker")
    return p.parse_args()


class Run:
    """The state that all threads of the parent share."""

    def __init__(self, o):
        self.o = o
        self.tasks = queue.Queue()
        seeds = -(-o.chains // o.sets)
        for first in range(o.seed, o.seed + seeds, BLOCK):
            self.tasks.put(list(range(first, min(first + BLOCK, o.seed + seeds))))
        self.lock = threading.Lock()
        self.checked = self.compared = self.too_large = 0
        self.notes, self.found = Counter(), []
        self.end = time.time() + o.minutes * 60 if o.minutes else None
        self.began = self.told = time.time()

    def over(self):
        return self.end is not None and time.time() > self.end

    def tell(self, always=False):
        with self.lock:
            if always or time.time() - self.told > 20:
                self.told = time.time()
                seconds = self.told - self.began
                print(
                    f"{self.checked} chains in {seconds:.0f} s, {self.compared} with other threads,"
                    f" {self.too_large} too large, {len(self.found)} found",
                    flush=True,
                )

    def note(self, kind, text, seed, number, at=""):
        with self.lock:
            self.found.append((kind, text, seed, number, at))
            print(f"seed {seed}, data set {number}: {kind} {at and 'in ' + at}", flush=True)


def block(run, seeds, turn):
    """Checks the chains of some seeds: everything in one process, then with other threads."""
    o = run.o
    perturb = {"always": True, "never": False, "half": turn % 2 == 1}[o.perturb]
    runner = Runner(perturb=perturb, backend=o.backend, limit=o.limit)
    base = {"sets": o.sets, "rows": o.rows, "backend": o.backend, "awkward": not o.no_awkward}
    digests = {}
    for (seed, number), outcome in outcomes(run, runner, seeds, base | {"role": "all"}):
        with run.lock:
            run.checked += 1
            run.notes.update(outcome["notes"])
            run.too_large += "too large" in outcome["notes"]
        digests[seed, number] = outcome["digest"]
        if outcome["kind"]:
            run.note(outcome["kind"], outcome["text"], seed, number, outcome["at"])
        run.tell()
    runner.stop()
    threads = [int(t) for t in o.threads.split(",") if int(t) > 1]
    if o.backend != "cpu" or not threads:
        return
    runner = Runner(threads=threads[turn % len(threads)], perturb=perturb, limit=o.limit)
    # What has no digest, such as chains that are too large, need not be computed here either.
    compared = [key for key, digest in digests.items() if digest]
    task = base | {"role": "lazily", "least": 4000, "only": compared}
    for key, outcome in outcomes(run, runner, seeds, task):
        chain, _, value = outcome["digest"].partition(" ")
        chain_before, _, value_before = digests[key].partition(" ")
        if value and chain == chain_before:
            with run.lock:
                run.compared += 1
            if value != value_before:
                n = runner.options["threads"]
                run.note(f"threads: 1 and {n} differ", "", *key)
    runner.stop()


def outcomes(run, runner, seeds, task):
    """((seed, data set), outcome) of each; the dead are noted, and their seeds left behind."""
    left = list(seeds)
    while left and not run.over():
        at, stage = (left[0], 0), ""
        for message in runner.messages(task | {"seeds": left}):
            if "dead" in message:
                run.note(message["dead"], f"while {stage}", *at)
                break
            at = (message.get("seed", at[0]), message.get("set", at[1]))
            stage = message.get("stage", stage)
            if "outcome" in message:
                yield at, message["outcome"]
            if "done" in message:
                return
        left = left[left.index(at[0]) + 1 :]


def job(run):
    turn = 0
    while not run.over():
        try:
            seeds = run.tasks.get_nowait()
        except queue.Empty:
            return
        block(run, seeds, seeds[0] // BLOCK + turn)


def report(run):
    """Shrinks some findings of each kind, by several threads, and prints them as tests."""
    o = run.o
    kinds = {}
    for f in run.found:
        kinds.setdefault(family(f[0]), []).append(f)
    per_kind = max(1, o.shrink // max(len(kinds), 1))
    some = queue.Queue()
    for kind, found in kinds.items():
        print(f"\n{kind}: {len(found)} times, seeds {[f[2] for f in found][:30]}")
        for f in found[: per_kind if o.shrink else 0]:
            some.put(f)
    tests, end = [], time.monotonic() + o.shrink_seconds

    def job():
        while not some.empty():
            try:
                tests.append(small_test(o, some.get_nowait(), end))
            except queue.Empty:
                return

    in_threads(job, o.jobs)
    if tests and o.keep:
        with FOUND.open("a") as out:
            out.write("\n\n" + "\n\n".join(tests))


def small_test(o, finding, end):
    kind, text, seed, number, _ = finding
    runner = Runner(limit=min(o.limit, 15), backend=o.backend)
    small = shrunk(make(seed, o.sets, o.rows), number, runner, kind, o.backend, end)
    now, words, _ = runner.outcome(packed(small), 1, "all", o.backend)
    runner.stop()
    test = small.as_test(0, f"seed_{seed}", (now or kind)[:60])
    print(f"\n# {now or kind}\n# {(words if now else text)[:600]}\n{test}", flush=True)
    return test


def in_threads(job, n):
    threads = [threading.Thread(target=job) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main():
    o = options()
    if o.show is not None:
        chain = make(o.show, o.sets, o.rows)
        for number in range(o.sets):
            print("\n".join(chain.lines(number)), end="\n\n")
        return 0
    run = Run(o)
    in_threads(lambda: job(run), o.jobs)
    run.tell(always=True)
    print("not compared with Awkward:", dict(run.notes.most_common(12)))
    report(run)
    return 1 if run.found else 0


if __name__ == "__main__":
    sys.exit(main())
