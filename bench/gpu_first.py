"""The first evaluation of an expression in a new process, whose CUDA context is there."""

import os
import statistics
import subprocess
import sys
import tempfile

FIRST = """
import time
import numpy as np
import serrate as ak
flat = [ak.Array(np.random.rand(3000)) for _ in "xy"]
x, y = (ak.to_backend(ak.unflatten(f, np.full(1000, 3)), "cuda") for f in flat)
ak.cuda.synchronize()
start = time.perf_counter()
a, b = ak.unzip(ak.combinations(x, 2))
ak.compute(ak.max(np.sqrt(2 * a * b * (np.cosh(a - b) - np.cos(a + b))), axis=-1))
ak.cuda.synchronize()
print(time.perf_counter() - start)
"""


def seconds(folder):
    env = os.environ | {"SERRATE_CACHE_DIR": folder}
    done = subprocess.run(
        [sys.executable, "-c", FIRST], env=env, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def first_kernel():
    """Compiled, and read from disk."""
    compiled, read = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            compiled.append(seconds(folder))
            read.append(seconds(folder))
    times = {"ours": statistics.median(compiled) * 1e6, "from disk": statistics.median(read) * 1e6}
    return {"timed": times, "aim_us": "120000, from disk 15000"}


CASES = {"first_kernel": first_kernel}
