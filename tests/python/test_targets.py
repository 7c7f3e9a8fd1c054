# The same results for any number of threads, and the suite's core on every instruction set.
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent

PROGRAM = """
import hashlib
import numpy as np
import serrate as ak

rng = np.random.default_rng(3)
giant = np.concatenate([[1_500_000], np.ones(20_000, int)])
for counts in (rng.poisson(3, 150_000), giant, rng.poisson(0.1, 100_000)):
    x = ak.unflatten(ak.from_numpy(rng.normal(size=int(counts.sum()))), ak.from_numpy(counts))
    outputs = ak.compute(
        ak.sum(x * x, axis=-1),
        ak.sum(x[x > 0], axis=-1),
        ak.argmax(x, axis=-1),
        ak.num(x[x > 0.5]),
        x[x > 1],
        ak.histogram(x, 50, -2, 2, weight=abs(x)),
    )
    digest = hashlib.sha1(repr((ak.sum(x), ak.mean(x), ak.std(x))).encode())
    for array in outputs:
        buffers = ak.to_buffers(array)[2]
        for key in sorted(buffers):
            digest.update(np.asarray(buffers[key]).tobytes())
    print(digest.hexdigest())
"""


def run(arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "SERRATE_BACKEND": "cpu", **environment},
        capture_output=True,
        text=True,
        cwd=HERE,
    )


def test_results_do_not_depend_on_threads():
    results = []
    for threads in ("1", "2", "5"):
        done = run(["-c", PROGRAM], SERRATE_NUM_THREADS=threads)
        assert done.returncode == 0, done.stderr
        results.append(done.stdout)
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_every_instruction_set(isa):
    probe = run(["-c", "import serrate as ak; ak.compute(ak.Array([1]) + 1)"], SERRATE_ISA=isa)
    if probe.returncode != 0:
        # Refused by name, and only where the processor lacks it.
        assert f"SERRATE_ISA={isa}: not available on this CPU" in probe.stderr
        assert isa != "baseline"
        return
    suite = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_pipelines.py"]
    suite += ["test_ufuncs.py", "test_accuracy.py"]
    done = run(suite, SERRATE_ISA=isa)
    assert done.returncode == 0, done.stdout[-3000:]


def test_eager_evaluation():
    done = run(["-c", "import serrate as ak; ak.Array([[1], []])[:, 0]"], SERRATE_EAGER="1")
    assert "IndexError" in done.stderr
    lazy = run(["-c", "import serrate as ak; ak.Array([[1], []])[:, 0]"])
    assert lazy.returncode == 0, lazy.stderr
