"""How things on a GPU are timed, and the arrays that are timed."""

import os
import statistics
import time

import cupy as cp
import data

import serrate as ak

SECONDS = 0.25
os.environ.setdefault("SERRATE_NUM_THREADS", "1")  # the CPU beside a GPU is one thread


def synchronised(call):
    """Median seconds of a call from Python with its synchronisation, inputs on the GPU."""
    for _ in range(3):
        call()
        cp.cuda.Device().synchronize()
    times = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < SECONDS or len(times) < 5:
        t = time.perf_counter()
        call()
        cp.cuda.Device().synchronize()
        times.append(time.perf_counter() - t)
    return statistics.median(times)


def copy_rate():
    """Bytes a second that a copy on the device moves, read and written."""
    a = cp.zeros(1 << 27)
    b = cp.empty_like(a)
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    times = []
    for _ in range(10):
        start.record()
        cp.copyto(b, a)
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) / 1e3)
    return 2 * a.nbytes / statistics.median(times)


def looked(expression):
    """The call that evaluates an expression."""

    def call():
        ak.compute(expression())

    return call


def lists(offsets, **fields):
    array = ak.from_awkward(data.awkward_lists(offsets, **fields))
    return ak.to_backend(array, "cuda")


RATE = copy_rate()
