"""Nested arrays to a GPU and back, beside the bus: copies of as many bytes of pinned memory.

In a process of its own, in which serrate has all threads.
"""

import functools
import json
import os
import subprocess
import sys

import cupy as cp
import data
import numpy as np
from gpu_timing import synchronised

import serrate as ak

LARGE, SMALL = 8 << 20, 800  # items of three columns
ASKED = 1 / 0.85


@functools.lru_cache(maxsize=2)
def events(items):
    random = np.random.default_rng(9)
    offsets = data.offsets_of(random.poisson(3, items // 3))
    n = int(offsets[-1])
    columns = {k: random.normal(size=n).astype(np.float32) for k in ("pt", "eta", "phi")}
    return ak.from_awkward(data.awkward_lists(offsets, **columns))


def pinned_copies(size):
    """Calls that copy so many bytes of pinned memory up and down."""
    host = cp.cuda.alloc_pinned_memory(size)
    device = cp.cuda.alloc(size)
    stream = cp.cuda.Stream.null
    return {
        "up": lambda: device.copy_from_host_async(host.ptr, size, stream),
        "down": lambda: device.copy_to_host_async(host.ptr, size, stream),
    }


def measured():
    """Microseconds of ours and of pinned copies, for each size and way."""
    rows = {}
    for items in (LARGE, SMALL):
        here = events(items)
        there = ak.to_backend(here, "cuda")
        assert ak.array_equal(ak.to_backend(there, "cpu"), here)
        moves = {
            "up": lambda a=here: ak.to_backend(a, "cuda"),
            "down": lambda a=there: ak.to_backend(a, "cpu"),
        }
        pinned = pinned_copies(here.nbytes)
        for way, move in moves.items():
            times = {"ours": synchronised(move), "pinned": synchronised(pinned[way])}
            rows[f"{items} {way}"] = {k: v * 1e6 for k, v in times.items()}
    return rows


@functools.cache
def rows():
    environment = os.environ | {"SERRATE_NUM_THREADS": str(os.cpu_count())}
    done = subprocess.run([sys.executable, __file__], env=environment, stdout=-1, check=True)
    return json.loads(done.stdout)


def large(way):
    return {"timed": rows()[f"{LARGE} {way}"], "within": ASKED, "than": "pinned"}


def small(way):
    return {"timed": rows()[f"{SMALL} {way}"], "aim_us": 30}


CASES = {
    "transfer_up": functools.partial(large, "up"),
    "transfer_down": functools.partial(large, "down"),
    "transfer_up_10kB": functools.partial(small, "up"),
    "transfer_down_10kB": functools.partial(small, "down"),
}

if __name__ == "__main__":
    print(json.dumps(measured()))
