# A worker process: chains as JSON, one a line, are checked; what comes of each is a line of JSON.
# It says what it does before it does it, so that the parent knows what a crash belongs to.
import faulthandler
import json
import os
import resource
import sys
import traceback
from dataclasses import asdict

from random_chains.chain import Chain, DataSet, make

MOST_MEMORY = 12 << 30


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def packed(chain):
    return asdict(chain)


def unpacked(d):
    sets = [DataSet(**s) for s in d["sets"]]
    inputs = {n: tuple(v) for n, v in d["inputs"].items()}
    return Chain(inputs, [tuple(s) for s in d["statements"]], d["exact"], sets)


def run_one(chain, number, task):
    from random_chains.check import Outcome, check, lazy_digest

    try:
        if task["role"] == "lazily":
            return Outcome(digest=lazy_digest(chain, number))
        return check(
            chain,
            number,
            task["backend"],
            task.get("awkward", True),
            lambda text: say(stage=text),
        )
    except Exception as e:
        where = traceback.extract_tb(e.__traceback__)[-1]
        kind = f"{type(e).__name__}: {str(e).splitlines()[0][:100] if str(e) else ''}"
        return Outcome(f"unexpected {kind}", f"{where.filename}:{where.lineno} {where.line}")


def work(task):
    """One task: the seeds of a range, or one chain that is given."""
    if "chain" in task:
        outcome = run_one(unpacked(task["chain"]), task["set"], task)
        damaged = {"restart": True} if outcome.kind.startswith("unexpected") else {}
        say(outcome=asdict(outcome), **damaged)
        return
    for seed in task["seeds"]:
        say(seed=seed, stage="making")
        chain = make(seed, task["sets"], task["rows"])
        if not chain.statements:
            say(seed=seed, skipped=True)
            continue
        for number in range(task["sets"]):
            if task["role"] == "lazily" and (
                chain.sets[number].rows < task["least"] or [seed, number] not in task["only"]
            ):
                continue
            say(seed=seed, set=number, stage="data")
            outcome = run_one(chain, number, task)
            say(seed=seed, set=number, outcome=asdict(outcome))
            if outcome.kind.startswith("unexpected"):
                say(restart=True)  # the heap may be damaged
                return
            if outcome.kind:
                break
    say(done=True)


def main():
    # What libraries print must not get between the messages.
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(out, "w")
    faulthandler.enable()
    if "--no-limit" not in sys.argv:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for line in sys.stdin:
        work(json.loads(line))


if __name__ == "__main__":
    main()
