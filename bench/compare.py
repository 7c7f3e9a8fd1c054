"""Builds two commits and runs the same cases: ./dev py bench/compare.py REF [REF].

Prints how much faster the second commit (default: HEAD) is, per case. The cases are this
checkout's; each commit is built in a worktree of its own under build/compare/.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import harness

HERE = Path(__file__).parent
ROOT = HERE.parent


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def build(commit: str) -> Path:
    """The package's folder of this commit, built; what is already built stays."""
    tree = ROOT / "build" / "compare" / commit[:12]
    if not tree.exists():
        git("worktree", "prune")
        git("worktree", "add", "--detach", str(tree), commit)
    folder = tree / "build" / "release"
    python = f"-DPython_EXECUTABLE={sys.executable}"
    commands = [
        ["cmake", "--preset", "release", "--no-warn-unused-cli", python],
        ["cmake", "--build", str(folder), "--target", "_core", "-j", str(os.cpu_count())],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{commit[:12]}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return tree / "python"


def timed(package: Path, args: argparse.Namespace) -> dict[str, float]:
    """Case -> median seconds; a case that fails is left out."""
    path = ROOT / "build" / "compare" / "times.json"
    path.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "run.py"), "--serrate-only", "--json", str(path)]
    command += ["--only", args.only, "--seconds", str(args.seconds), "--clock", args.clock]
    environment = os.environ | {"PYTHONPATH": str(package)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if not path.exists():
        sys.exit(done.stdout + done.stderr)
    cases = [case for topic in json.loads(path.read_text())["topics"].values() for case in topic]
    return {case["case"]: case["times"][harness.OURS]["median_s"] for case in cases}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("ref")
    p.add_argument("other", nargs="?", default="HEAD")
    p.add_argument("--only", metavar="NAME", default="", help="cases or topics that contain NAME")
    p.add_argument("--seconds", type=float, default=1, help="time of one case in one round")
    p.add_argument("--rounds", type=int, default=3, help="how often the two take turns")
    p.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    args = p.parse_args()

    commits = [git("rev-parse", ref + "^{commit}") for ref in (args.ref, args.other)]
    packages = [build(commit) for commit in commits]
    medians: list[dict[str, list[float]]] = [{}, {}]
    for _ in range(args.rounds):
        for package, found in zip(packages, medians, strict=True):
            for case, seconds in timed(package, args).items():
                found.setdefault(case, []).append(seconds)

    lines = [("case", args.ref, args.other, f"{args.ref} / {args.other}")]
    for case in dict.fromkeys([*medians[0], *medians[1]]):
        old, new = (statistics.median(m[case]) if case in m else None for m in medians)
        times = [harness.show(t) if t else "fails" for t in (old, new)]
        lines.append((case, *times, f"{old / new:.2f}" if old and new else ""))
    print(harness.table(lines, right=(1, 2, 3)))


if __name__ == "__main__":
    main()
