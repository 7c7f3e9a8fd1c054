# Functions of one list: numbers, tuples, records and generators, beside plain Python.
import math
import subprocess
import sys
import threading
from collections import namedtuple

import numpy as np
import pytest

import serrate as ak
from serrate import _core

numba = pytest.importorskip("numba", reason="compiles the functions")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

Jet = namedtuple("Jet", "pt y phi n")
Best = namedtuple("Best", "i j mass")


def peaks(wave, least):
    for k in range(1, len(wave) - 1):
        if wave[k] > wave[k - 1] and wave[k] > wave[k + 1] and wave[k] > least:
            yield k, wave[k]


def spread(x):
    low, high = math.inf, -math.inf
    for v in x:
        low = min(low, v)
        high = max(high, v)
    return high - low if len(x) > 0 else None


def heaviest(event):
    best, at = -1.0, (0, 0)
    for i in range(len(event)):
        for j in range(i + 1, len(event)):
            a, b = event[i], event[j]
            m = 2 * a.pt * b.pt * (math.cosh(a.eta - b.eta) - math.cos(a.phi - b.phi))
            if m > best:
                best, at = m, (i, j)
    if best < 0:
        return None
    return Best(at[0], at[1], math.sqrt(max(best, 0.0)))


def nearest(event):
    """For each electron the index of the nearest muon by a metric of our own, or -1."""
    for e in event.electrons:
        best, at = math.inf, -1
        for k in range(len(event.muons)):
            d = abs(e.eta - event.muons[k].eta) + 2 * abs(e.phi - event.muons[k].phi)
            if d < best:
                best, at = d, k
        yield at


def rule110(cells):
    """A step of the cellular automaton on a ring."""
    n = len(cells)
    for k in range(n):
        a, b, c = cells[k - 1], cells[k], cells[(k + 1) % n]
        yield (110 >> (4 * a + 2 * b + c)) & 1


def k_t_jets(particles, radius):
    """Inclusive k_t jets by repeated search for the smallest distance."""
    n = len(particles)
    pt, y, phi = np.empty(n), np.empty(n), np.empty(n)
    count = np.ones(n, np.int64)
    for k in range(n):
        pt[k], y[k], phi[k] = particles[k].pt, particles[k].y, particles[k].phi
    while n > 0:
        best, i, j = math.inf, -1, -1
        for a in range(n):
            if pt[a] ** 2 < best:
                best, i, j = pt[a] ** 2, a, -1
            for b in range(a):
                turn = abs(phi[a] - phi[b])
                turn = min(turn, 2 * math.pi - turn)
                near = (y[a] - y[b]) ** 2 + turn**2
                d = min(pt[a] ** 2, pt[b] ** 2) * near / radius**2
                if d < best:
                    best, i, j = d, a, b
        if j < 0:
            yield Jet(pt[i], y[i], phi[i], count[i])
        else:
            total = pt[i] + pt[j]
            turn = phi[i] - phi[j]
            if turn > math.pi:
                turn -= 2 * math.pi
            if turn < -math.pi:
                turn += 2 * math.pi
            y[j] = (pt[i] * y[i] + pt[j] * y[j]) / total
            phi[j] += pt[i] * turn / total
            pt[j] = total
            count[j] += count[i]
        n -= 1
        pt[i], y[i], phi[i], count[i] = pt[n], y[n], phi[n], count[n]


def waves(rows=300, seed=1):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(8, rows)
    counts[3] = 5000
    return ak.unflatten(rng.random(counts.sum()), counts)


def test_peaks():
    x = waves()
    got = ak.apply(peaks, x, 0.5, axis=1)
    assert got.to_list() == [list(peaks(w, 0.5)) for w in x.to_list()]
    assert str(got.type) == "300 * var * (int64, float64)"
    assert ak.apply(peaks, x[:0], 0.5, axis=1).to_list() == []


def test_more_yields_than_items():
    def repeated(x):
        for k in range(len(x)):
            for _ in range(k):
                yield x[k]

    x = waves()[:100]
    assert ak.apply(repeated, x, axis=-1).to_list() == [list(repeated(w)) for w in x.to_list()]


def test_numbers_and_none():
    x = ak.Array([[1.0, 4.0], [], [3.0]])
    got = ak.apply(spread, x, axis=1)
    assert got.to_list() == [3.0, None, 0.0]
    assert str(got.type) == "3 * ?float64"


def test_missing_lists_are_not_looked_at():
    x = ak.Array([[1.0, 4.0], None, [3.0]])
    assert ak.apply(spread, x, axis=1).to_list() == [3.0, None, 0.0]
    assert ak.apply(peaks, ak.Array([[0, 1.0, 0], None]), 0.5, axis=1).to_list() == [
        [(1, 1.0)],
        None,
    ]


def test_records_of_pairs():
    rng = np.random.default_rng(2)
    counts = rng.poisson(2.5, 200)
    x = ak.unflatten(ak.zip({k: rng.random(counts.sum()) for k in ("pt", "eta", "phi")}), counts)
    got = ak.apply(heaviest, x, axis=1)
    a, b = ak.unzip(ak.combinations(x, 2))
    mass = np.sqrt(2 * a.pt * b.pt * (np.cosh(a.eta - b.eta) - np.cos(a.phi - b.phi)))
    want = ak.max(mass, axis=1)
    assert ak.all(ak.isclose(got.mass, want), axis=None)
    assert str(got.type) == "200 * ?{i: int64, j: int64, mass: float64}"


def test_matching_by_a_metric():
    def particles(*pairs):
        return [{"eta": float(a), "phi": float(b)} for a, b in pairs]

    events = ak.Array(
        [
            {"electrons": particles((0, 0), (1, 1)), "muons": particles((0.9, 1), (0.1, 0))},
            {"electrons": particles((0.5, 0.5)), "muons": particles()},
            {"electrons": particles(), "muons": particles((0.0, 0.0))},
        ]
    )
    assert ak.apply(nearest, events, axis=1).to_list() == [[1, 0], [-1], []]


def test_cellular_automaton():
    x = ak.Array([[0, 0, 0, 1], [1, 1, 0, 1, 1], []])
    for _ in range(3):
        want = [list(rule110(row)) for row in x.to_list()]
        x = ak.apply(rule110, x, axis=1)
        assert x.to_list() == want


def clustered(particles, radius):
    """k_t jets by lists of Python: all pairs, sorted."""
    left = [(p["pt"], p["y"], p["phi"], 1) for p in particles]
    jets = []
    while left:
        found = [(p[0] ** 2, a, None) for a, p in enumerate(left)]
        for a, p in enumerate(left):
            for b, q in enumerate(left[:a]):
                turn = math.remainder(p[2] - q[2], 2 * math.pi)
                near = ((p[1] - q[1]) ** 2 + turn**2) / radius**2
                found.append((min(p[0], q[0]) ** 2 * near, a, b))
        _, a, b = min(found, key=lambda x: x[0])
        p = left[a]
        if b is None:
            jets.append(p)
            del left[a]
            continue
        q = left[b]
        pt = p[0] + q[0]
        turn = math.remainder(p[2] - q[2], 2 * math.pi)
        left[b] = (pt, (p[0] * p[1] + q[0] * q[1]) / pt, q[2] + p[0] * turn / pt, p[3] + q[3])
        del left[a]
    return jets


def test_jets():
    rng = np.random.default_rng(3)
    counts = rng.poisson(6, 60)
    n = counts.sum()
    columns = {"pt": rng.exponential(size=n), "y": rng.normal(size=n), "phi": rng.uniform(-3, 3, n)}
    events = ak.unflatten(ak.zip(columns), counts)
    got = ak.apply(k_t_jets, events, 0.6, axis=1)
    for jets, event in zip(got.to_list(), events.to_list(), strict=True):
        want = sorted(clustered(event, 0.6))
        have = sorted((j["pt"], j["y"], j["phi"], j["n"]) for j in jets)
        assert [j[3] for j in have] == [j[3] for j in want]
        assert np.allclose(have, want) if want else not have


def test_deeper_axes():
    x = ak.Array([[[1.0, 4.0], []], [], [[3.0]]])
    for axis in (2, -1):
        assert ak.apply(spread, x, axis=axis).to_list() == [[3.0, None], [], [0.0]]
    ramp = ak.Array([[[0.0, 1.0, 0.0], []], [], [[3.0]]])
    assert ak.apply(peaks, ramp, 0.5, axis=2).to_list() == [[[(1, 1.0)], []], [], [[]]]


def test_depths():
    """Which axes have lists."""
    for values, deepest in [
        ([{"a": [[1]], "b": 1}], 2),
        ([[("one", 2)], None], 1),
        ([[[None, [1]]]], 3),
        (["text"], 0),
        ([1, 2], 0),
    ]:
        x = ak.Array(values)
        assert x.layout.minmax_depth[1] == deepest + 1
        with pytest.raises(ValueError, match=f"axis {deepest + 1} has no lists"):
            ak.apply(spread, x, axis=deepest + 1)


def test_values_that_are_computed_by_changes():
    """A yielded value is computed once, whether there is room for it or not."""

    def popped(row):
        left = np.array([len(row)] * 2)
        while left[0] > -3:
            yield taken(left)

    x = ak.Array([[1, 2], [], [5]])
    assert ak.apply(popped, x, axis=1).to_list() == [list(popped(r)) for r in x.to_list()]


@numba.njit
def taken(left):
    left[0] -= 1
    return left[0]


def test_errors():
    x = ak.Array([[1.0, 4.0], []])

    def beyond(row):
        return row[len(row)]

    with pytest.raises(IndexError):
        ak.apply(beyond, x, axis=1)

    def refuses(row):
        if len(row) == 0:
            raise KeyError("empty")
        return row[0]

    with pytest.raises(KeyError, match="empty"):
        ak.apply(refuses, x, axis=1)

    def unknown(row):
        return row.nothing

    with pytest.raises(TypeError, match=r"unknown \(test_apply_lists\.py:\d+\)"):
        ak.apply(unknown, x, axis=1)

    def sends(row):
        y = yield 1.0
        yield y

    with pytest.raises(TypeError):
        ak.apply(sends, x, axis=1)
    with pytest.raises(ValueError, match="axis 2 has no lists"):
        ak.apply(spread, x, axis=2)
    with pytest.raises(ValueError, match="different lengths"):
        ak.apply(lambda a, b: len(a) + len(b), x, x[:1], axis=1)
    assert x.to_list() == [[1.0, 4.0], []]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [4095, 4096, 4097, 3 * 4096 + 1])
def test_blocks_of_rows(rows, threads, monkeypatch):
    """The same from any number of threads, on both sides of a block's size."""
    monkeypatch.setattr(_core, "_num_threads", lambda: threads)
    counts = np.arange(rows) % 4
    counts[7] = 3000  # one block has most of the items
    x = ak.unflatten(np.arange(counts.sum()) % 11, counts)

    def odd_twice(row):
        for v in row:
            if v % 2 == 1:
                yield v
                yield -v

    got = ak.apply(odd_twice, x, axis=1)
    assert got.to_list() == [list(odd_twice(r)) for r in x.to_list()]
    assert ak.apply(lambda r: len(r) > 2, x, axis=1).to_list() == (counts > 2).tolist()


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error(threads, monkeypatch):
    monkeypatch.setattr(_core, "_num_threads", lambda: threads)
    x = ak.Array(np.arange(20_000.0)[:, np.newaxis])

    def limited(row):
        if row[0] >= 9000:
            raise ValueError("too large")
        yield row[0]

    with pytest.raises(ValueError, match="too large") as caught:
        ak.apply(limited, x, axis=1)
    assert "list [9000] of arguments <Array [9e+03]" in caught.value.__notes__[-1]
    assert len(ak.apply(limited, x[:9000], axis=1)) == 9000

    deep = ak.Array([[[1.0]], None, [None, [2.0], [9001.0, 1.0]]])
    with pytest.raises(ValueError, match="too large") as caught:
        ak.apply(limited, deep, axis=2)
    assert "list [2, 2] of arguments" in caught.value.__notes__[-1]


FOREVER = """
import os, signal, threading
import serrate as ak

def forever(x, last):
    k = 1
    while k != last:
        k = (k * 5) % 7 + 1
    return k

def long(x, last):
    total = 0
    for k in range(last - 1):
        total = (total * 7 + k) % 11
    return total

def nothing(x, last):
    k = 1
    while True:
        if k == last:
            return
        if k < 0:
            yield k
        k = (k * 5) % 7 + 1

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
x = ak.Array([[1, 2]] * 10_000)
for f in (forever, long, nothing):
    before = ak.to_list(ak.apply(f, x, 1, axis=1))
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        ak.apply(f, x, 10**18, axis=1)
    except KeyboardInterrupt:
        print(f.__name__, before == ak.to_list(ak.apply(f, x, 1, axis=1)))
"""


@pytest.mark.parametrize("threads", ["1", "3"])
def test_ctrl_c_in_a_list(threads, monkeypatch):
    monkeypatch.setenv("SERRATE_NUM_THREADS", threads)
    monkeypatch.setenv("SERRATE_BACKEND", "cpu")
    p = subprocess.run(
        [sys.executable, "-c", "import linecache\n" + _with_lines(FOREVER)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert p.returncode == 0, p.stderr
    assert p.stdout.split("\n")[:-1] == [f"{f} True" for f in ("forever", "long", "nothing")]


def _with_lines(code):
    """The text of a generator is needed, and one of `python -c` is nowhere."""
    return (
        f"code = {code!r}\n"
        "linecache.cache['shown.py'] = (len(code), None, code.splitlines(True), 'shown.py')\n"
        "exec(compile(code, 'shown.py', 'exec'))"
    )


def test_a_stop_is_that_of_one_run():
    """Loops of other threads go on."""
    run = _core._NumbaRun()
    x = ak.Array([[1.0] * 100_000] * 4)

    def pairs(row):
        total = 0.0
        for a in row[:300]:
            for b in row:
                total += a * b
        return total

    want = [300.0 * 100_000] * 4
    assert ak.apply(pairs, x, axis=1).to_list() == want
    found = []
    thread = threading.Thread(target=lambda: found.append(ak.apply(pairs, x, axis=1)))
    thread.start()
    run.stop()
    thread.join()
    assert found[0].to_list() == want


def test_loops_without_an_end():
    def never(row):
        k = 0
        while True:
            k += len(row)

    with pytest.raises(TypeError, match="never: gives nothing but None"):
        ak.apply(never, ak.Array([[1]]), axis=1)
