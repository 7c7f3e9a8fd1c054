# The random driver itself: it finds what differs, survives crashes, shrinks, and prints tests.
import json
import os

import pytest
from random_chains import __main__ as parent
from random_chains import check, processes, shrink, worker
from random_chains.chain import Chain, DataSet, make

import serrate as ak

TEXT = """
a = x * 2
b = ak.sort(a, axis=-1)
c = ak.sum(b, axis=1)
"""


def chain(statements, rows=200, type_="var * int64"):
    lines = [tuple(line.split(" = ", 1)) for line in statements.strip().splitlines()]
    return Chain({"x": (type_, 0)}, lines, {}, [DataSet("poisson", rows, 3)] * 2)


def test_chains_are_those_of_their_seed():
    assert make(5).lines(0) == make(5).lines(0)
    assert make(5).lines(0) != make(6).lines(0)


@pytest.mark.parametrize("seed", [4, 5, 9, 12, 23, 27])
def test_a_few_chains(seed):
    made = make(seed, most_rows=100)
    for number in range(2):
        assert check.check(made, number, ak.default_backend()).kind == ""


def test_wrong_answers_are_found_and_shrunk(monkeypatch, new_arrays_on_the_cpu):
    """With a sort that forgets an item, all but the sort and a few rows go."""
    monkeypatch.setattr(ak, "sort", lambda x, axis: x[..., ::-1])
    found = check.check(chain(TEXT), 0, "cpu")
    assert found.kind == "Awkward: values"
    assert "ak.sort" in found.at

    def differs(candidate):
        return check.check(worker.unpacked(candidate), 0, "cpu").kind

    small = shrink.Shrinker(differs, found.kind, tries=60).shrink(chain(TEXT))
    assert [s for _, s in small.statements] == ["ak.sort(x, axis=-1)"]
    assert small.sets[0].rows <= 20
    text = small.as_test(0, "it", found.kind)
    space = {"check_source": check.check_source}
    exec(text, space)
    with pytest.raises(AssertionError, match="values"):
        space["test_it"]()


class InProcess:
    """A runner that needs no process."""

    def __init__(self, **options):
        pass

    def outcome(self, chain, number, role, backend):
        found = check.check(worker.unpacked(chain), number, backend)
        return found.kind, found.text, found.digest

    def stop(self):
        pass


def test_findings_are_printed_as_tests(monkeypatch, capsys):
    monkeypatch.setattr(ak, "sort", lambda x, axis: x[..., ::-1])
    monkeypatch.setattr(parent, "Runner", InProcess)
    monkeypatch.setattr(parent, "make", lambda *_: chain(TEXT))
    monkeypatch.setattr("sys.argv", ["random", "--shrink", "1", "--chains", "4"])
    run = parent.Run(parent.options())
    run.note("Awkward: values", "", 7, 0)
    parent.report(run)
    assert "def test_seed_7():  # Awkward: values" in capsys.readouterr().out


def test_lazily_is_not_step_by_step(monkeypatch):
    """What depends on whether an operand was looked at."""
    real = ak.sum
    looked = set()
    monkeypatch.setattr(ak, "sum", lambda x, axis: real(x, axis=axis) + (id(x) in looked))
    materialize = ak.materialize
    keep = []

    def look(x):
        y = materialize(x)
        keep.append(y)
        looked.add(id(y))
        return y

    monkeypatch.setattr(ak, "materialize", look)
    assert check.check(chain(TEXT), 0, "cpu").kind.startswith("lazily: values")


on_cpu = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND", "cpu") != "cpu", reason="processes of a CPU"
)


@on_cpu
def test_crashes_are_survived():
    crash = chain("a = x + 1\nb = __import__('os').kill(__import__('os').getpid(), 11)")
    runner = processes.Runner(limit=600)
    try:
        assert runner.outcome(worker.packed(crash), 0)[0] == "crash: SIGSEGV"
        kind, text, digest = runner.outcome(worker.packed(chain(TEXT)), 0)
        assert (kind, text) == ("", ": ")
        assert len(digest.split()[-1]) == 16
    finally:
        runner.stop()


@on_cpu
def test_hangs_are_ended():
    runner = processes.Runner(limit=0.2)
    hang = chain("a = x + 1\nb = __import__('time').sleep(10_000)")
    assert runner.outcome(worker.packed(hang), 0)[0].startswith("hang")
    assert runner.worker is None


def test_other_threads_compute_what_was_compared(monkeypatch):
    said = []
    monkeypatch.setattr(worker, "say", lambda **message: said.append(message))
    task = {"seeds": [11], "sets": 2, "rows": 100, "role": "lazily", "least": 0}
    worker.work(task | {"only": [[11, 1]]})
    assert [m["set"] for m in said if "outcome" in m] == [1]


def test_chains_travel_as_text():
    made = make(11)
    assert worker.unpacked(json.loads(json.dumps(worker.packed(made)))) == made
