"""Bars, calls of progress, and Ctrl-C between partitions."""

import io
import os
import subprocess
import sys
import textwrap

import pytest

import serrate as ak
from serrate._datasets import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def x():
    return ak.scan([ak.Array([i, i + 1]) for i in range(20)])


def test_a_function_is_called(x):
    seen = []
    ak.compute(
        ak.sum(x), progress=lambda done, count, report: seen.append((done, count, report.rows))
    )
    assert [s[:2] for s in seen] == [(i, 20) for i in range(1, 21)]
    assert seen[-1][2] == 40


def test_a_bar_on_a_terminal_after_a_second(x, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    ak.compute(ak.sum(x))
    assert sys.stderr.getvalue() == ""
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    ak.compute(ak.sum(x))
    text = sys.stderr.getvalue()
    assert "20/20 partitions" in text
    assert "rows/s" in text
    assert "s left" in text


@pytest.mark.parametrize("choice", [False, None])
def test_no_bar_elsewhere(x, choice, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO() if choice is None else Terminal())
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    ak.compute(ak.sum(x), progress=choice)
    assert sys.stderr.getvalue() == ""


def test_ctrl_c_says_what_was_done():
    """The process gets SIGINT while it reads the seventh partition."""
    program = """
        import os, signal
        import serrate as ak

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored

        def read(i):
            if i == 6:
                os.kill(os.getpid(), signal.SIGINT)
            return ak.Array([i])

        x = ak.scan([lambda i=i: read(i) for i in range(1000)], example=ak.Array([1]))
        try:
            ak.compute(ak.sum(x))
        except KeyboardInterrupt as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ,
    )
    assert "of 1000 partitions were done" in done.stdout, done.stderr
    assert int(done.stdout.split()[0]) < 1000
