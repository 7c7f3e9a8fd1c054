# Ctrl-C, other interpreters, forks, and the end of the interpreter: each in a process of its own.
import subprocess
import sys

import pytest

START = """
import os, signal, sys, threading, time
import numpy as np
import serrate as ak

def interrupted(work):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        work()
    except KeyboardInterrupt:
        return True
    return False
"""


def run(code, *, start=START):
    p = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, timeout=100
    )
    assert p.returncode == 0, p.stderr
    return p.stdout.split("\n")[:-1], p.stderr


@pytest.mark.parametrize("threads", ["1", "3"])
def test_ctrl_c_in_a_long_run(threads, monkeypatch):
    monkeypatch.setenv("SERRATE_NUM_THREADS", threads)
    monkeypatch.setenv("SERRATE_BACKEND", "cpu")
    out, _ = run(
        """
x = ak.Array([[1.0] * 100000])
fours = ak.combinations(x, 4)
print(interrupted(lambda: float(ak.sum(fours["0"] * fours["3"], axis=None))))
print(ak.sum(x, axis=None))
"""
    )
    assert out == ["True", "100000.0"]


def test_ctrl_c_in_from_iter():
    out, _ = run(
        """
rows = [[1.0, 2.0]] * 10_000_000
print(interrupted(lambda: ak.from_iter(rows)))
print(ak.from_iter(rows[:2]).to_list())
"""
    )
    assert out == ["True", "[[1.0, 2.0], [1.0, 2.0]]"]


def test_sub_interpreters_are_refused():
    pytest.importorskip("_xxsubinterpreters")
    code = """
import _xxsubinterpreters as interpreters
text = '''
import sys
sys.modules["numpy"] = None
import serrate._core
'''
try:
    interpreters.run_string(interpreters.create(), text)
except Exception as e:
    print("interpreter" in str(e))
"""
    assert run(code, start="")[0] == ["True"]


def test_forks_of_a_process_with_threads(monkeypatch):
    monkeypatch.setenv("SERRATE_BACKEND", "cpu")  # a GPU is not the child's
    out, _ = run(
        """
import warnings
warnings.simplefilter("ignore")
x = ak.Array(np.arange(300_000.0))
ak.sum(x * 2)
stop = threading.Event()
def busy():
    while not stop.is_set():
        float(ak.sum(ak.sort(x * 2)))
threads = [threading.Thread(target=busy) for _ in range(3)]
for t in threads:
    t.start()
for k in range(10):
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        os._exit(int(float(ak.sum(ak.sort(x + k), axis=None)) != 44999850000 + 300000 * k))
    print(os.waitpid(pid, 0)[1])
stop.set()
""",
    )
    assert out == ["0"] * 10


def test_arrays_that_outlive_everything():
    out, err = run(
        """
import atexit
x = ak.Array([[1, 2], [3]])
lazy = x + 1
class Late:
    def __del__(self):
        print(ak.to_list(lazy))
sys.late = Late()
late_too = Late()
loop = [lazy]
loop.append(loop)
lazy.attrs["loop"] = loop
atexit.register(lambda: print(ak.sum(lazy, axis=None)))
def busy():
    while True:
        float(ak.sum(ak.sort(ak.Array(np.arange(100_000.0)))))
threading.Thread(target=busy, daemon=True).start()
time.sleep(0.1)
"""
    )
    assert out[0] == "9"
    assert "Fatal" not in err
    assert "terminate" not in err
