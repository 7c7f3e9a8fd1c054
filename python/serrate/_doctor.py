"""serrate.doctor(): what a GPU needs, found or not, and what to do about it."""

import ctypes
import os
import platform
import re
from pathlib import Path

from serrate import _core


class Report(str):
    """Text that shows itself; `ok` says whether a GPU can be used."""

    ok = False

    def __repr__(self):
        return str(self)


def doctor():
    """Says what a GPU needs and whether it is here, with what to do where it is not.

    >>> doctor().splitlines()[0]
    'serrate     ...'
    """
    facts = _core._gpu_facts()
    driver, driver_found = _driver()
    rows = [
        ("serrate", f"{_core.__version__} in {Path(_core.__file__).parent}"),
        ("Python", f"{platform.python_version()}, {platform.machine()}"),
        ("driver", driver),
        ("plug-in", facts["plugin"] or _no_plugin(facts)),
        ("GPU", _gpu(facts, driver_found)),
        ("NVRTC", _nvrtc(facts)),
        ("cache", _cache(facts)),
    ]
    report = Report("\n".join(f"{name:<12}{text}" for name, text in rows))
    report.ok = facts["gpu"] is not None and not facts["nvrtc_why"]
    return report


def _driver():
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return (
            "none: libcuda.so.1 was not found. Install NVIDIA's driver; in a container, start it "
            "with the GPU (docker run --gpus all)"
        ), False
    version = ctypes.c_int()
    text = "found"
    if library.cuDriverGetVersion(ctypes.byref(version)) == 0:
        text = f"for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    try:
        kernel = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        kernel = ""
    release = re.search(r"\b(\d{3}\.\d+(\.\d+)?)\b", kernel)
    return (f"{release[1]}, {text}" if release else text), True


def _no_plugin(facts):
    if os.environ.get("SERRATE_CUDA") == "compile-only":
        return "not used (SERRATE_CUDA=compile-only)"
    return f"none: {facts['why']}"


def _gpu(facts, driver_found):
    gpu = facts["gpu"]
    if gpu is None:
        if not driver_found:
            return "none can be used without a driver"
        return f"none: {facts['why']}" if facts["plugin"] else "none can be used without a plug-in"
    which = f"number {gpu['number']} of {gpu['count']}, " if gpu["count"] > 1 else ""
    return (
        f"{gpu['name']}, {which}compute capability {gpu['arch'] // 10}.{gpu['arch'] % 10}, "
        f"{gpu['memory'] / 2**30:.1f} GiB, {gpu['multiprocessors']} multiprocessors"
    )


def _nvrtc(facts):
    if facts["nvrtc_why"]:
        return f"none: {facts['nvrtc_why'].removeprefix('cuda: ')}"
    return f"{facts['nvrtc_version']} in {facts['nvrtc']}"


def _cache(facts):
    where = facts["cache"] or "none"
    if facts["cache_why"]:
        return (
            f"{where} is not used: {facts['cache_why']}. Kernels are compiled anew in each process;"
            " set SERRATE_CACHE_DIR to a folder where you may write"
        )
    files = list(Path(where).glob("*.kernel"))
    size = sum(f.stat().st_size for f in files)
    return f"{where}, {len(files)} kernels, {size / 2**20:.1f} MiB"
