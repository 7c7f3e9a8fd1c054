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


def test_ctrl_c_in_to_list():
    """It stops on the way: most of the list is never made."""
    out, _ = run(
        """
import resource
ak.set_default_backend("cpu")
x = ak.Array(np.arange(30_000_000, dtype=float))
ak.to_list(x[:10])
mib = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = mib()
print(interrupted(lambda: x.to_list()))
print(mib() - before < 700)
print(len(x[:5].to_list()))
"""
    )
    assert out == ["True", "True", "5"]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_handlers_of_signals_look_at_arrays(threads, monkeypatch):
    """One that looks at what is being computed is told so; all else is right, and nobody hangs."""
    monkeypatch.setenv("SERRATE_NUM_THREADS", threads)
    monkeypatch.setenv("SERRATE_BACKEND", "cpu")
    out, _ = run(
        """
seen = []
x = ak.Array([[1.0] * 30_000], attrs={"k": 1})
pairs = ak.combinations(x, 2)
slow = ak.sum(pairs["0"] * pairs["1"], axis=-1)
def handler(*_):
    try:
        slow.to_list()
        seen.append("done")
    except ValueError as e:
        seen.append("interrupted" in str(e))
    seen.append(((slow + 1).type == slow.type, len(slow)))
    seen.append((ak.sum(x, axis=-1) + ak.Array([1], attrs={"other": 2})).to_list())
    try:
        ak.materialize(x[:, 40_000])
    except IndexError as e:
        seen.append("position 0" in str(e))
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.02)
print(slow.to_list(), dict(slow.attrs))
print(seen)
"""
    )
    assert out[0] == "[449985000.0] {'k': 1}"
    assert out[1] in (f"[{first}, (True, 1), [30001.0], True]" for first in ("True", "'done'"))


def test_handlers_of_signals_while_lists_are_read():
    """What a handler does with arrays is no part of the call that it interrupts."""
    out, _ = run(
        """
x = ak.Array([1], attrs={"other": 2})
seen = []
def handler(*_):
    seen.append((x + 1).to_list())
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
y = ak.from_iter([[1.0, 2.0]] * 3_000_000, attrs={"k": 1})
signal.setitimer(signal.ITIMER_REAL, 0)
print(dict(y.attrs), len(y), seen[:1])
"""
    )
    assert out == ["{'k': 1} 3000000 [[2]]"]


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
