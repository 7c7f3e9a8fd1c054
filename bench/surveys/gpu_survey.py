"""Pipelines on a GPU beside kernels by hand, a thread an event: ./dev gpu-survey [NAME ...].

Microseconds from the call in Python to the finished result, of 300,000 and 3,000,000 events; the
contestants' results are compared first. Printed is every pipeline, as plain lines and as a function
that is compiled (ak.compile), slower ones than 1.1 times the kernel with `!!`, and how many there
are. Exit status 0: it measures, it does not judge.
"""

import argparse
import json
import os
import traceback

os.environ.setdefault("SERRATE_NUM_THREADS", "1")  # the CPU beside a GPU is one thread
import cupy as cp
import numpy as np
import pipelines
from pipeline_cases import CASES

import serrate as ak

import gpu_timing  # isort: skip  (pipelines says where it is)

MOST = 1.1
SIZES = (300_000, 3_000_000)
# NVRTC has no <math.h>.
PRELUDE = "#define HERE __device__ inline\n#define INFINITY __int_as_float(0x7f800000)\n"
HEAD = 'extern "C" __global__ void'
FOOT = "long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\nif (i >= n) return;"


def kernel(pipeline, inputs):
    source = PRELUDE + pipelines.text(pipeline, inputs, HEAD, FOOT)
    f = cp.RawKernel(source, "f")
    arrays = [cp.asarray(a) for _, a in pipelines.arguments(pipeline.of, inputs)]
    n = len(arrays[0]) - 1

    def call():
        out = cp.empty(n, pipeline.out)
        f(((n + 127) // 128,), (128,), (*arrays, np.int64(n), out))
        return out

    return call


def row(pipeline, inputs, arrays):
    by_hand = kernel(pipeline, inputs)
    got = ak.fill_none(ak.to_backend(pipeline.ours(arrays), "cpu"), pipeline.none)
    pipelines.agree(np.asarray(got, "f8"), by_hand().get().astype("f8"))
    compiled = ak.compile(pipeline.ours)
    compiled(arrays)  # what the next call is made of
    again = ak.fill_none(ak.to_backend(compiled(arrays), "cpu"), pipeline.none)
    pipelines.agree(np.asarray(again, "f8"), np.asarray(got, "f8"))
    ours = gpu_timing.synchronised(gpu_timing.looked(lambda: pipeline.ours(arrays)))
    kept = gpu_timing.synchronised(lambda: compiled(arrays))
    theirs = gpu_timing.synchronised(by_hand)
    return {
        "ours": ours * 1e6,
        "compiled": kept * 1e6,
        "by hand": theirs * 1e6,
        "ratio": ours / theirs,
        "compiled ratio": kept / theirs,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", nargs="+", type=lambda x: int(float(x)), default=SIZES)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for size in options.sizes:
        inputs = pipelines.events(size)
        arrays = {
            name: gpu_timing.lists(offsets, **fields) for name, (offsets, fields) in inputs.items()
        }
        for name, pipeline in CASES.items():
            if options.names and not any(n in name for n in options.names):
                continue
            try:
                found = row(pipeline, inputs, arrays)
            except Exception as e:
                last = traceback.extract_tb(e.__traceback__)[-1]
                print(f"{name:28} {size:>9,} failed in {last.name}: {str(e)[:300]}", flush=True)
                continue
            rows.append({"name": name, "size": size, **found})
            print(
                f"{name:28} {size:>9,} ours {found['ours']:9.1f} us  compiled "
                f"{found['compiled']:9.1f}  by hand {found['by hand']:9.1f}  "
                f"{found['ratio']:5.2f}x  {found['compiled ratio']:5.2f}x"
                + ("  !!" if found["compiled ratio"] > MOST else ""),
                flush=True,
            )
    slower = [sum(r[key] > MOST for r in rows) for key in ("ratio", "compiled ratio")]
    print(
        f"{len(rows)} cells, above {MOST}x of a kernel by hand: {slower[0]}, compiled {slower[1]}"
    )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
