# One chain on one data set: lazily, step by step, each step beside Awkward; a GPU beside the CPU.
import hashlib
import random
import re
from dataclasses import dataclass, field

import awkward
from conftest import plain

import serrate as ak
from random_chains import known
from random_chains.chain import Chain, DataSet, evaluate, names_in
from random_chains.compare import Held, difference, digest, wide
from random_chains.reference import NoReference, Reference

# Bytes of one intermediate value: chains that make more are left out, and counted.
MOST_BYTES = 48_000_000
# More than this is no product of these lists, but a mistake.
MOST_THAT_IS_MEANT = 2**44
FAMILIES = (TypeError, ValueError, IndexError, OverflowError)


@dataclass
class Outcome:
    """What came of it: `kind` of the difference ("" if there is none), and words about it."""

    kind: str = ""
    text: str = ""
    at: str = ""  # the statement
    digest: str = ""
    notes: list = field(default_factory=list)  # what was not compared, and why


class TooLarge(Exception):
    """An intermediate value of more bytes than are allowed."""


@dataclass
class Failed:
    """An error of ours, as a value."""

    error: Exception

    def too_long(self):
        return False

    def __str__(self):
        return f"{type(self.error).__name__}: {str(self.error).splitlines()[0][:160]}"


def materialized(x):
    return ak.materialize(x) if isinstance(x, ak.Array | ak.Record) else x


def ours_in(values, backend="cpu"):
    arrays = {n: ak.from_awkward(v) for n, v in values.items()}
    if backend != "cpu":
        return {n: ak.to_backend(a, backend) for n, a in arrays.items()}
    return arrays


def lazily(chain, values, looked_at=()):
    """The last value; `looked_at` are evaluated on the way, and it itself unless that is None."""
    values = dict(values)
    for name, source in chain.statements:
        values[name] = evaluate(source, ak, values)
        if looked_at and name in looked_at:
            values[name] = materialized(values[name])
    return values[chain.last] if looked_at is None else materialized(values[chain.last])


def reloaded(x):
    """The same array as others see it: of its type and buffers, with nothing of how it was made."""
    return ak.from_buffers(*ak.to_buffers(x)) if isinstance(x, ak.Array) else materialized(x)


def from_buffers(chain, values):
    """The last value, each one before it read from its buffers."""
    values = {n: reloaded(x) for n, x in values.items()}
    for name, source in chain.statements:
        values[name] = reloaded(evaluate(source, ak, values))
    return values[chain.last]


def compiled(chain, values):
    """The last value of a function that was written down for the rows in reverse."""
    names = list(values)
    f = ak.compile(lambda *arrays: lazily(chain, dict(zip(names, arrays, strict=True)), None))
    before = [ak.materialize(x[::-1]) for x in values.values()]
    now = [ak.materialize(x[::-1]) for x in before]
    held_or_failed(lambda: f(*before))
    return f(*now)


def step_by_step(chain, values):
    """What each statement gives, held, up to the first that failed."""
    values, out = dict(values), {}
    for name, source in chain.statements:
        try:
            values[name] = materialized(evaluate(source, ak, values))
            if isinstance(values[name], ak.Array) and values[name].nbytes > MOST_BYTES:
                raise TooLarge(source)
            out[name] = Held(values[name])
        except MemoryError as e:
            if max(map(int, re.findall(r"\d+", str(e))), default=0) > MOST_THAT_IS_MEANT:
                raise
            raise TooLarge(source) from e
        except FAMILIES as e:
            out[name] = Failed(e)
            return out
    return out


def same_outcome(a, b, exact):
    """What differs between two ways to the same value, or None."""
    if not isinstance(a, Failed) and not isinstance(b, Failed):
        return difference(a, b, exact)
    if isinstance(a, Failed) and isinstance(b, Failed):
        return None if type(a.error) is type(b.error) else f"errors: {a} / {b}"
    return f"an error, {a}, for a value" if isinstance(a, Failed) else f"a value for the error {b}"


def words_of(a, b):
    def short(v):
        try:
            return str(v if isinstance(v, Failed) else plain(v.value))[:300]
        except Exception as e:
            return f"({type(e).__name__})"

    return f"{short(a)}  !=  {short(b)}"


def check(chain, number, backend="cpu", against_awkward=True, stage=lambda text: None):
    """All comparisons of one process."""
    data = chain.data(number)
    values = ours_in(data)
    stage("steps")
    try:
        steps = step_by_step(chain, values)
    except TooLarge:
        return Outcome(notes=["too large"])
    out = Outcome()
    last = list(steps.values())[-1]
    exact = all(chain.exact.get(n, True) and not steps[n].too_long() for n in steps if n != "x")
    if backend != "cpu":
        stage("on the GPU")
        values = ours_in(data, backend)
    names = [n for n, _ in chain.statements[:-1]]
    for looked_at in ways(names, number, backend):
        stage(f"lazily {sorted(looked_at)}")
        lazy = held_or_failed(lambda looked_at=looked_at: lazily(chain, values, looked_at))
        d = same_outcome(lazy, last, exact)
        if d:
            how = "lazily" if backend == "cpu" else "GPU"
            how += " after looks" if looked_at else ""
            return Outcome(f"{how}: {d}", words_of(lazy, last), ",".join(sorted(looked_at)))
        if not looked_at:
            out.digest = digest_in(chain, lazy)
    if number % 2 == 0 and backend == "cpu":
        stage("from buffers")
        again = held_or_failed(lambda: from_buffers(chain, values))
        if d := same_outcome(again, last, exact):
            return Outcome(f"from buffers: {d}", words_of(again, last))
    stage("compiled")
    again = held_or_failed(lambda: compiled(chain, values))
    if d := same_outcome(again, last, exact):
        return Outcome(f"compiled: {d}", words_of(again, last))
    if against_awkward and backend == "cpu":
        stage("Awkward")
        beside_awkward(chain, data, steps, out)
    return out


def held_or_failed(call):
    try:
        return Held(call())
    except FAMILIES as e:
        return Failed(e)


def digest_in(chain, value):
    """Of the value, behind that of the chain: what Awkward says of small arrays, which decides the
    next step, depends on memory now and then, as the type of pad_none of no lists does."""
    text = repr((chain.statements, chain.sets))
    of_chain = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{of_chain} {value if isinstance(value, Failed) else digest(value)}"


def lazy_digest(chain, number):
    """For another process: what comes of it without a look in between."""
    values = ours_in(chain.data(number))
    return digest_in(chain, held_or_failed(lambda: lazily(chain, values)))


def ways(names, number, backend):
    """Which intermediate values are looked at: none, and for some data sets a few. On a GPU these
    are the same for all: each way has kernels of its own that must be compiled."""
    out = [frozenset()]
    if number % 2 == 1 and names:
        r = random.Random(number if backend == "cpu" else 1)
        out.append(frozenset(r.sample(names, r.randint(1, len(names)))))
    return out


def beside_awkward(chain, data, steps, out):
    """Each step of ours beside the same of Awkward, from our values before it."""
    wide_data = {n: awkward.Array(wide(x.layout)) for n, x in data.items()}
    for name, source in chain.statements:
        if name not in steps:
            return
        ours = steps[name]
        used = names_in(source)
        operands = {n: wide_data[n] if n in data else steps[n].awkward for n in used}
        try:
            other = Held(evaluate(source, Reference(), operands))
        except NoReference as e:
            out.notes.append(str(e))
            continue
        except Exception as e:
            if isinstance(ours, Failed):
                return
            reason = known.explain_error(source, operands, e)
            if reason:
                out.notes.append(reason)
                continue
            out.kind = f"Awkward: {type(e).__name__} for a value: {str(e).splitlines()[0][:80]}"
            out.text, out.at = words_of(ours, Failed(e)), source
            return
        if isinstance(ours, Failed):
            reason = known.explain_refusal(source, operands, ours.error)
            if reason:
                out.notes.append(reason)
                return
            out.kind, out.at = f"Awkward: a value for an error: {ours}"[:160], source
            out.text = words_of(ours, other)
            return
        exact = chain.exact.get(name, True) and not ours.too_long()
        exact = exact and all(n in data or not steps[n].too_long() for n in used)
        d = difference(ours, other, exact, zeros=False)
        reason = d and known.explain(source, operands, ours, other, d)
        if reason:
            out.notes.append(reason)
        elif d:
            out.kind, out.text, out.at = f"Awkward: {d}", words_of(ours, other), source
            return


def check_source(source, inputs, sets, inexact=()):
    """For tests: this chain has no difference."""
    statements = [tuple(line.strip().split(" = ", 1)) for line in source.strip().splitlines()]
    exact = {n: n not in inexact for n, _ in statements}
    chain = Chain(dict(inputs), statements, exact, [DataSet(**sets)] * 2)
    for number in (0, 1):
        outcome = check(chain, number, ak.default_backend())
        assert not outcome.kind, f"{outcome.kind} in {outcome.at}: {outcome.text}"
