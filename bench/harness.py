"""What every topic uses: a case, its requirements, checked and interleaved timing."""

import gc
import importlib
import itertools
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

OURS = "serrate"
WARM_UPS = 3
# The name of a function of the module time; process_time leaves out what others take of the cores.
CLOCK = "perf_counter"


class Different(AssertionError):
    """Two contestants computed different results."""


@dataclass(frozen=True)
class Required:
    """A promise about serrate's time: against a rival's, or in seconds."""

    rival: str | None = None
    at_least: float | None = None  # rival's time / ours
    at_most: float | None = None  # ours / rival's time, or our time in seconds without a rival

    def text(self) -> str:
        if self.at_least is not None:
            return f">= {self.at_least:g}x"
        return f"<= {self.at_most:g}x its time" if self.rival else f"<= {show(self.at_most)}"

    def met(self, seconds: dict[str, float]) -> bool:
        if self.rival is None:
            return seconds[OURS] <= self.at_most
        ratio = seconds[self.rival] / seconds[OURS]
        return ratio >= (self.at_least if self.at_least is not None else 1 / self.at_most)


@dataclass
class Case:
    """The same work by several contestants; the first listed rival is the reference for results."""

    contestants: dict[str, Callable[[], object]]
    same: Callable[[object, object], None] | None  # raises Different; None: nothing to compare
    required: list[Required] = field(default_factory=list)
    # Contestants that do other work on purpose (a baseline); their results are not compared.
    apart: tuple[str, ...] = ()
    # The contestant returns its own time in seconds (a fresh process, say).
    self_timed: bool = False
    # Work that makes many Python objects is timed as users run it: with the collector on.
    collector: bool = False


# ---- Results -------------------------------------------------------------------------------------


def check(condition: bool, text: str) -> None:
    if not condition:
        raise Different(text)


def close(rtol: float, atol: float = 0.0) -> Callable[[object, object], None]:
    """Flat arrays of equal length and type, None (see `flat`) at the same places."""

    def same(got, want):
        got, want = flat(got), flat(want)
        check(got.dtype == want.dtype, f"type {got.dtype}, expected {want.dtype}")
        check(got.shape == want.shape, f"shape {got.shape}, expected {want.shape}")
        bad = ~np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
        if bad.any():
            i = int(np.argmax(bad))
            raise Different(f"{bad.sum()} items differ, first [{i}]: {got[i]}, expected {want[i]}")

    return same


def same_list(got, want) -> None:
    got, want = (x if isinstance(x, list) else x.tolist() for x in (got, want))
    check(got == want, f"{str(got)[:80]}, expected {str(want)[:80]}")


def flat(array) -> np.ndarray:
    """As NumPy; None becomes NaN, or the smallest integer."""
    module = type(array).__module__.partition(".")[0]
    if module in ("awkward", "serrate"):
        array = importlib.import_module(module).to_numpy(array)
    elif module == "polars":
        array = array.to_numpy()
    if not isinstance(array, np.ma.MaskedArray):
        return array
    return array.filled(np.iinfo(array.dtype).min if array.dtype.kind in "iu" else np.nan)


# ---- Timing --------------------------------------------------------------------------------------


def measure(case: Case, ours: bool, rivals: bool, budget: float) -> dict:
    """Checks results, then times: {contestant: {median, lowest, quartiles, calls}} in seconds.

    Rounds are interleaved (A B C A B C ...), so that a busy machine slows all alike.
    """
    run = {n: f for n, f in case.contestants.items() if ours or not uses_serrate(n)}
    verify(case, run)
    clock = getattr(time, CLOCK)
    if not rivals:
        run = {n: f for n, f in run.items() if uses_serrate(n)}
    if case.self_timed:
        timers = {name: (f, 1) for name, f in run.items()}
    else:
        timers = {name: (timer(f, n, clock), n) for name, f in run.items() for n in [loops(f)]}
    samples: dict[str, list[float]] = {name: [] for name in timers}
    gc.collect()
    if not case.collector:
        gc.disable()
    try:
        start = time.perf_counter()
        for rounds in itertools.count():
            # Seven rounds at least; three where a rival takes very long.
            spent = time.perf_counter() - start
            if rounds >= 300 or (spent > (budget if rounds >= 7 else 4 * budget) and rounds >= 3):
                break
            for name, (f, _) in timers.items():
                samples[name].append(f())
    finally:
        gc.enable()
    return {name: summary(samples[name], timers[name][1]) for name in timers}


def uses_serrate(name: str) -> bool:
    return name.startswith(OURS)


def verify(case: Case, run: dict[str, Callable[[], object]]) -> None:
    """All results against the reference's, before anything is timed."""
    if case.same is None:
        return
    reference = next(n for n in case.contestants if not uses_serrate(n))
    want = case.contestants[reference]()
    for name, f in run.items():
        if name == reference or name in case.apart:
            continue
        try:
            case.same(f(), want)
        except Different as e:
            raise Different(f"{name} against {reference}: {e}") from None


def loops(f: Callable[[], object]) -> int:
    """Warms up; how many calls make one sample of about a millisecond or more."""
    best = float("inf")
    for _ in range(WARM_UPS):
        t = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - t)
    return max(1, min(1000, int(1e-3 / best)))


def timer(f: Callable[[], object], n: int, clock: Callable[[], float]) -> Callable[[], float]:
    def one() -> float:
        start = clock()
        result = f()
        seconds = clock() - start
        del result  # outside: freeing what was computed is not part of computing it
        return seconds

    def many() -> float:
        start = clock()
        for _ in range(n):
            f()
        return (clock() - start) / n

    return one if n == 1 else many


def summary(samples: list[float], calls: int) -> dict:
    low, median, high = statistics.quantiles(samples, n=4)
    return {
        "median_s": median,
        "lowest_s": min(samples),
        "quartiles_s": [low, high],
        "samples": len(samples),
        "calls_per_sample": calls,
    }


# ---- The machine and the table -------------------------------------------------------------------


def machine() -> dict:
    """What a reader needs to judge the figures; nothing that names the machine."""
    import importlib.metadata as metadata
    import platform

    info: dict = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    flags: set[str] = set()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as f:
            for line in f:
                key, _, value = line.partition(":")
                if key.strip() == "model name":
                    info["cpu"] = value.strip()
                elif key.strip() == "flags":
                    flags = set(value.split())
                    break
    isa = "avx512" if "avx512bw" in flags else "avx2" if "avx2" in flags else "baseline"
    info["isa"] = os.environ.get("SERRATE_ISA") or isa
    info["load"] = round(os.getloadavg()[0], 1)
    info["python"] = platform.python_version()
    names = ["awkward", "numpy", "numexpr", "numba", "polars", "boost-histogram"]
    info["versions"] = {}
    for name in names:
        try:
            info["versions"][name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return info


def show(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


HEADER = ("case", "ours", "rival", "its time", "ratio", "required", "met")


def rows(name: str, times: dict, required: list[Required]) -> list[tuple[str, ...]]:
    """Lines of the table: one per rival and per requirement without a rival."""
    seconds = {n: t["median_s"] for n, t in times.items()}
    ours = seconds.get(OURS)
    lines = []
    for r in required:
        if r.rival is None and ours is not None:
            lines.append(("", "", "", r.text(), verdict(r.met(seconds))))
    for rival, t in seconds.items():
        if rival == OURS:
            continue
        ratio = f"{t / ours:.2f}" if ours else ""
        found = [r for r in required if r.rival == rival]
        for r in found:
            met = verdict(r.met(seconds)) if ours else ""
            lines.append((rival, show(t), ratio, r.text(), met))
        if not found:
            lines.append((rival, show(t), ratio, "", ""))
    lines = lines or [("",) * 5]
    first = (name, show(ours) if ours else "")
    return [(first if i == 0 else ("", "")) + line for i, line in enumerate(lines)]


def verdict(met: bool) -> str:
    return "yes" if met else "NO"


def table(lines: list[tuple[str, ...]], right: tuple[int, ...] = (1, 3, 4)) -> str:
    """Aligned columns; those numbered in `right` at their right edge."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]

    def cell(i: int, text: str) -> str:
        return text.rjust(widths[i]) if i in right else text.ljust(widths[i])

    return "\n".join("  ".join(map(cell, range(len(line)), line)).rstrip() for line in lines)
