# A chain: inputs, statements in Python, data sets. Made of a seed, run with either library, and
# printed as a test.
import random
import re
import textwrap
import warnings
from dataclasses import dataclass, field

import awkward
import numpy as np

import serrate as ak
from random_chains import conversions, data, keys, steps, structure  # noqa: F401
from random_chains.compare import theirs
from random_chains.reference import NoReference, Reference, Values
from random_chains.shapes import MANTISSA, Shape, shape_of

NAMES = "abcdefgh"
PROBE = data.array
DEEPEST, LONGEST_TYPE = 5, 160


@dataclass
class Var:
    name: str
    shape: Shape
    exact: bool = True
    bits: int = 7

    def __str__(self):
        return self.name


@dataclass
class DataSet:
    lengths: str
    rows: int
    seed: int
    special: bool = False


@dataclass
class Chain:
    inputs: dict  # name: (type as text, salt)
    statements: list = field(default_factory=list)  # (name, source)
    exact: dict = field(default_factory=dict)  # name: are its numbers?
    sets: list = field(default_factory=list)

    def data(self, number):
        s = self.sets[number]
        return {
            name: data.array(text, s.lengths, s.rows, s.seed, salt, s.special)
            for name, (text, salt) in self.inputs.items()
        }

    @property
    def last(self):
        return self.statements[-1][0]

    def needed(self):
        """Without the statements that the last one does not ask for."""
        want, kept = {self.last}, []
        for name, source in reversed(self.statements):
            if name in want:
                kept.append((name, source))
                want |= names_in(source)
        kept.reverse()
        return Chain(
            {n: t for n, t in self.inputs.items() if n in want}, kept, self.exact, self.sets
        )

    def lines(self, number=None):
        out = []
        for name, (text, salt) in self.inputs.items():
            s = self.sets[number or 0]
            extra = ", special=True" if s.special else ""
            what = f"{text!r}, {s.lengths!r}, {s.rows}, {s.seed}, {salt}{extra}"
            out.append(f"{name} = array({what})")
        return out + [f"{n} = {source}" for n, source in self.statements]

    def as_test(self, number, name, kind):
        """A function for pytest that fails where this chain does."""
        s = self.sets[number]
        body = "\n".join(f"{n} = {source}" for n, source in self.statements)
        inputs = ",\n        ".join(f"{n}=({t!r}, {salt})" for n, (t, salt) in self.inputs.items())
        special = ", special=True" if s.special else ""
        loose = [n for n in self.exact if not self.exact[n] and n in dict(self.statements)]
        inexact = f"    inexact = {loose!r}\n" if loose else ""
        call = ", inexact=inexact" if loose else ""
        return (
            f"def test_{name}():  # {kind}\n"
            f"    inputs = dict(\n        {inputs},\n    )\n"
            f"    sets = dict(lengths={s.lengths!r}, rows={s.rows}, seed={s.seed}{special})\n"
            f'    source = """\n{textwrap.indent(body, "    ")}\n    """\n'
            f"{inexact}    check_source(source, inputs, sets{call})\n"
        )


def names_in(source):
    text = re.sub(r"'[^']*'", "", source)
    return set(re.findall(r"(?<![\w.])([a-hxyz])(?![\w(=])", text))


def evaluate(source, library, values):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(source, {"ak": library, "np": np}, dict(values))  # our own text


class Making:
    """The choice of the next step; `rng` decides everything."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.vars, self.values, self.used = [], {}, set()

    def exact(self, *operands):
        return all(isinstance(o, str) or o.exact for o in operands)

    def other(self, fits):
        found = [v for v in self.vars if fits(v.shape)]
        loose = [v for v in found if v.name not in self.used]
        some = loose if loose and self.rng.random() < 0.6 else found
        return self.rng.choice(some) if some else None

    def add(self, name, value, exact=True, bits=7):
        shape = shape_of(value)
        bits = min(bits, 1) if shape.leaf == "bool" else bits
        if bits > MANTISSA.get(shape.leaf, 64):
            exact = False
        self.vars.append(Var(name, shape, exact, bits))
        self.values[name] = value

    def attempt(self, name):
        """One more statement, or None if what was drawn does not fit."""
        rng = self.rng
        arrays = [v for v in self.vars if v.shape.depth > 0]
        x = arrays[-1] if rng.random() < 0.85 else rng.choice(arrays)
        if x.bits > 40 and x.shape.number:
            made = steps.Made(f"{x} % 97" if x.exact else f"np.tanh({x})", bits=7)
        else:
            fitting = [s for s in steps.STEPS if s[1](x.shape)]
            make = rng.choices([s[2] for s in fitting], [s[0] for s in fitting])[0]
            made = make(self, x)
        if not made:
            return None
        value = self.probe(made.source)
        if value is None:
            return None
        used = [v for v in self.vars if v.name in names_in(made.source)]
        exact = all(v.exact for v in used) if made.exact is None else made.exact
        bits = max(v.bits for v in used) if made.bits is None else made.bits
        self.add(name, value, exact, bits)
        self.used |= {v.name for v in used}
        return name, made.source

    def probe(self, source):
        """What it gives of a small array, as Awkward's; None where that is an error or too much."""
        try:
            value = evaluate(source, Reference(), self.values)
            if isinstance(value, Values):
                raise NoReference
        except NoReference:
            try:  # Awkward makes arrays now and then that are not valid
                ours = {
                    n: ak.from_awkward(v) if isinstance(v, awkward.Array) else v
                    for n, v in self.values.items()
                }
                value = theirs(ak.materialize(evaluate(source, ak, ours)))
            except (TypeError, ValueError, IndexError, OverflowError):
                return None
        except Exception:
            # An error now and then: it must be the same one lazily and step by step.
            return None
        if not isinstance(value, awkward.Array):
            return value if isinstance(value, np.generic) else None
        shape = shape_of(value)
        most = max(
            2000,
            40 * max(v.layout.nbytes for v in self.values.values() if isinstance(v, awkward.Array)),
        )
        if shape.depth > DEEPEST or len(shape.text) > LONGEST_TYPE or value.layout.nbytes > most:
            return None
        return value


def make(seed, sets=4, most_rows=200_000):
    """The chain number `seed`."""
    for attempt in range(20):
        chain = _make(f"{seed}.{attempt}", sets, most_rows)
        if len(chain.statements) >= 3:
            break
    return chain


def _make(seed, sets, most_rows):
    g = Making(seed)
    rng = g.rng
    chain = Chain({"x": (data.random_type(rng), 0)})
    if rng.random() < 0.5:
        chain.inputs["y"] = (second_type(rng, chain.inputs["x"][0]), 1)
    special = rng.random() < 0.2
    for n, (text, salt) in chain.inputs.items():
        g.add(n, PROBE(text, "poisson", 7, rng.randrange(1000), salt, special))
        chain.exact[n] = g.vars[-1].exact
    want = rng.randint(3, 8)
    for _ in range(40 * want):
        if len(chain.statements) == want or not any(v.shape.depth for v in g.vars[-2:]):
            break
        made = g.attempt(NAMES[len(chain.statements)])
        if made:
            chain.statements.append(made)
            chain.exact[made[0]] = g.vars[-1].exact
    for _ in range(sets):
        lengths = rng.choice(data.LENGTHS)
        chain.sets.append(
            DataSet(lengths, data.rows_of(rng, most_rows), rng.randrange(1000), special)
        )
    return chain.needed() if chain.statements else chain


def second_type(rng, first):
    """A type that goes with the first: its lists with other items, or one item a row."""
    r = rng.random()
    if r < 0.25:
        return first
    leaf = data.optional(rng, rng.choice(["int64", "float64", "bool", "int32", "float32", "bool"]))
    if r < 0.75:
        lists = re.findall(r"(?:var|\d+) \* ", first.split("{")[0].split("union")[0])
        return "".join(lists) + leaf
    return leaf if r < 0.9 else data.random_type(rng, 0.8)
