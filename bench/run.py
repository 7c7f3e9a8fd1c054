"""Times serrate beside its rivals: ./dev bench [--only NAME] [--json PATH]. See bench/README.md."""

import argparse
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TOPICS = (
    *(
        "dielectron",
        "ragged_sum",
        "reducers",
        "sorting",
        "keys",
        "flat",
        "histograms",
        "quadratic",
        "small",
    ),
    *("objects", "structure", "outer_axes", "imports", "vectors", "arrow", "apply"),
    "json_files",
    "datasets",
    "adl",
)
THREADS = (
    "SERRATE_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
)


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--only", metavar="NAME", default="", help="cases or topics that contain NAME")
    p.add_argument("--json", metavar="PATH", help="one file, instead of bench/results/TOPIC.json")
    p.add_argument("--seconds", type=float, default=4, help="time for the rounds of one case")
    p.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu leaves out the time other processes take; for cases of one thread",
    )
    p.add_argument("--rivals-only", action="store_true", help="leave serrate out")
    p.add_argument("--serrate-only", action="store_true", help="check against rivals, time serrate")
    p.add_argument("--case", nargs=2, help=argparse.SUPPRESS)  # one topic and case, in a child
    return p.parse_args()


# ---- In the child: one case ----------------------------------------------------------------------


def one(args: argparse.Namespace) -> int:
    import harness

    topic, name = args.case
    module = importlib.import_module(topic)
    if args.clock == "cpu" and name not in getattr(module, "ALL_THREADS", ()):
        harness.CLOCK = "process_time"
    case = module.CASES[name]()
    try:
        times = harness.measure(case, not args.rivals_only, not args.serrate_only, args.seconds)
    except harness.Different as e:
        print(f"{name}: results differ: {e}", file=sys.stderr)
        return 1
    seconds = {contestant: t["median_s"] for contestant, t in times.items()}
    required = [
        {"rival": r.rival, "text": r.text(), "met": r.met(seconds)}
        for r in case.required
        if harness.OURS in seconds and (r.rival is None or r.rival in seconds)
    ]
    rows = harness.rows(name, times, case.required)
    print(json.dumps({"case": name, "times": times, "required": required, "rows": rows}))
    return 0


# ---- In the parent: a fresh process per case -----------------------------------------------------


def child(args: argparse.Namespace, topic: str, name: str, threads: int) -> dict | None:
    command = [sys.executable, __file__, "--case", topic, name]
    command += ["--seconds", str(args.seconds), "--clock", args.clock]
    command += ["--rivals-only"] * args.rivals_only + ["--serrate-only"] * args.serrate_only
    environment = os.environ | dict.fromkeys(THREADS, str(threads))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{name}: failed with {done.returncode}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1]) | {"threads": threads}


def main() -> int:
    args = arguments()
    if args.case:
        return one(args)
    os.environ |= dict.fromkeys(THREADS, "1")
    import harness

    if not args.rivals_only:
        try:
            import serrate
        except ImportError as e:
            print(f"{e}; ./dev bench builds it, --rivals-only leaves it out", file=sys.stderr)
            return 1
    machine = harness.machine() | {"clock": args.clock}
    if not args.rivals_only:
        machine["versions"]["serrate"] = serrate.__version__
    print(
        f"{machine['cpu']}, {machine['cores']} cores, {machine['isa']}, load {machine['load']}, "
        f"{args.clock} clock"
    )
    if machine["load"] > machine["cores"] / 2:
        print("Other processes are running: only the ratios count, and they vary.")
    lines, failed = [], []
    report: dict = {}
    for topic in TOPICS:
        try:
            module = importlib.import_module(topic)
        except ImportError as e:
            print(f"{topic}: left out: {e}", file=sys.stderr)
            continue
        for name in module.CASES:
            if args.only not in topic and args.only not in name:
                continue
            print(f"... {name}", file=sys.stderr)
            threads = os.cpu_count() if name in getattr(module, "ALL_THREADS", ()) else 1
            result = child(args, topic, name, threads)
            if result is None:
                failed.append(name)
                continue
            lines += result.pop("rows")
            report.setdefault(topic, []).append(result)
            if not (args.json or args.rivals_only or args.serrate_only):
                keep(HERE / "results" / f"{topic}.json", machine, result, list(module.CASES))
    print(harness.table([harness.HEADER, *lines]))
    if args.json:
        write(Path(args.json), {"machine": machine, "topics": report})
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed or not lines else 0


def keep(path: Path, machine: dict, result: dict, names: list[str]) -> None:
    """Puts one case's result among those of its topic, at once: a long run may be stopped."""
    known = json.loads(path.read_text())["cases"] if path.exists() else []
    cases = {c["case"]: c for c in [*known, result]}
    write(path, {"machine": machine, "cases": [cases[n] for n in names if n in cases]})


def write(path: Path, content: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
