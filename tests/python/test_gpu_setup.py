# What is said of a GPU: where none can be used, in the report of doctor, by the environment.
import os
import subprocess
import sys

import pytest
from gpu import EMULATED, REAL

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def run(code, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("SERRATE_CUDA", "SERRATE_BACKEND")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_environment_says_the_default_backend():
    code = "import serrate as ak; print(ak.default_backend(), ak.backend(ak.Array([1])))"
    device = {} if REAL else {"SERRATE_CUDA": "compile-only"}
    assert run(code, SERRATE_BACKEND="cuda", **device) == "cuda cuda"
    assert run(code, SERRATE_BACKEND="cpu") == "cpu cpu"
    code = """
import serrate as ak
try:
    ak.Array([1])
except ValueError as e:
    print(e)
"""
    assert "SERRATE_BACKEND" in run(code, SERRATE_BACKEND="tpu")


NO_GPU = """
import serrate as ak
x = ak.Array([1, 2])
assert (x + 1).to_list() == [2, 3]
assert not ak.cuda.is_available()
for use in [lambda: ak.to_backend(x, "cuda"), lambda: ak.Array([1], backend="cuda"),
            lambda: ak.set_default_backend("cuda"), ak.cuda.memory]:
    try:
        use()
    except RuntimeError as e:
        print(e)
    else:
        raise AssertionError("there is a GPU")
report = ak.doctor()
assert not report.ok
print(report)
"""


def test_without_a_gpu_the_error_says_what_is_missing(tmp_path):
    out = run(NO_GPU, SERRATE_CUDA="off")
    assert out.count("SERRATE_CUDA is 'off'") >= 4
    out = run(NO_GPU, SERRATE_CUDA_PLUGIN="/nowhere/plugin.so")
    assert out.count("/nowhere/plugin.so can't be loaded") >= 4
    out = run(NO_GPU, SERRATE_CUDA="on")
    assert "expected 'off' or 'compile-only'" in out


@pytest.mark.skipif(not REAL or EMULATED, reason="there is no GPU")
@pytest.mark.parametrize("number", ["99", "-1", "one", "0x", " 0"])
def test_there_is_no_such_gpu(number):
    out = run(NO_GPU, SERRATE_CUDA_DEVICE=number)
    assert out.count(f"SERRATE_CUDA_DEVICE is '{number}', there ") >= 4


FORKED = """
import os, sys
import serrate as ak
x = ak.Array([[1, 2], [3]], backend="cuda")
assert ak.sum(x) == 6
child = os.fork()
if child == 0:
    try:
        ak.to_list(x + 1)
    except RuntimeError as e:
        print(e, flush=True)
    os._exit(0)
os.waitpid(child, 0)
assert ak.to_list(x + 1) == [[2, 3], [4]]
"""


@pytest.mark.skipif(not REAL or EMULATED, reason="there is no GPU")
def test_a_forked_process_says_that_it_may_not_use_the_gpu():
    assert 'Start it with multiprocessing\'s "spawn"' in run(FORKED)


def test_doctor(tmp_path):
    report = ak.doctor()
    assert str(report) == repr(report)
    names = [line.split()[0] for line in report.splitlines()]
    assert names == ["serrate", "Python", "driver", "plug-in", "GPU", "NVRTC", "cache"]
    command = [sys.executable, "-m", "serrate", "doctor"]
    (tmp_path / "file").touch()
    for directory, text in [
        (tmp_path / "cache", ", 0 kernels"),
        (tmp_path / "file" / "x", "not used"),
    ]:
        env = os.environ | {"SERRATE_CACHE_DIR": str(tmp_path / directory)}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert done.returncode == (0 if report.ok else 1), done.stderr
        assert f"{tmp_path / directory}" in done.stdout
        assert text in done.stdout
