# Random programs of a few public functions on small arrays, for test_laziness.py: what they give
# must not depend on who looks at what, or when. `python tests/python/programs.py FIRST COUNT` runs
# as many as you like and prints those that differ.
import contextlib
import random
import sys

import numpy as np
from conftest import plain, same_values, type_text

import serrate as ak

ERRORS = (TypeError, ValueError, IndexError, OverflowError, AttributeError, KeyError)

NUMBERS = ["0", "1", "2", "3", "1", "-1"]
CONSTANTS = ["1", "2", "-1", "100", "1000", "1.5", "True", "np.int8(100)", "np.float32(0.5)"]
AXES = ["None", "0", "1", "-1", "2", "-2"]
TYPES = ["np.int8", "np.int64", "np.float32", "np.float64", "bool", "np.uint8"]
REDUCERS = ["sum", "prod", "min", "max", "any", "all", "count", "count_nonzero", "argmin"]
REDUCERS += ["argmax", "mean", "ptp", "std", "nansum", "median"]

# {0} is the value at hand, {1} and {2} are values made before, {c} a number, {a} an axis, {t} a
# type, {n} a small size, {b} True or False, {r} a reducer.
STEPS = """
{0} + {1} | {0} * {1} | {1} - {0} | {0} + {c} | {0} * {c} | {c} - {0} | {0} == {1} | {0} > {1}
{0} > {c} | ak.where({0} > 1, {0}, {1}) | ak.where({0} > 1, {c}, {c}) | ak.where({0} > 1, {0}, {c})
np.add({0}, {1}) * {2} | np.maximum({0}, {1}) | -{0} | abs({0}) | np.sqrt(abs({0}))
{0}[{0} > 1] | {0}[{0} > 1] | {0}[{1} > 1] | {0}[{0} > 100] | {0}[{0} == {0}]
{0}[1:] | {0}[:1] | {0}[::-1] | {0}[:, 1:] | {0}[:, :1] | {0}[:, ::-1] | {0}[..., :1] | {0}[2:]
{0}[0] | {0}[-1] | {0}[1] | {0}[:, 0] | {0}[:, -1] | {0}[:, 1] | {0}[..., 0] | {0}[:, :, 0]
{0}[np.newaxis] | {0}[:, np.newaxis] | {0}[..., np.newaxis] | {0}[None, 0]
{0}[[0, 0]] | {0}[[]] | {0}[[0, None]] | {0}[[-1]] | {0}[[True, False]] | {0}[[[0], []]]
{0}[ak.argmin({0}, axis={a}, keepdims=True)] | {0}[ak.argmax({0}, axis={a}, keepdims=True)]
{0}[ak.argsort({0}, axis=-1)] | {0}[ak.local_index({0}, axis=1) == 0] | {0}[ak.firsts({1})]
{0}[ak.num({0}, axis=1) > 1] | {0}[~ak.is_none({0})] | {0}[ak.argmin({1}, axis=1)]
ak.{r}({0}, axis={a}) | ak.{r}({0}, axis={a}, keepdims=True) | ak.{r}({0}, axis=-1, keepdims={b})
ak.{r}({0}, axis={a}, mask_identity={b}) | ak.{r}({0}, axis=0) | ak.{r}({0})
ak.flatten({0}, axis={a}) | ak.flatten({0}) | ak.ravel({0}) | ak.flatten({0}, axis=None)
ak.concatenate([{0}, {1}]) | ak.concatenate([{0}, {1}], axis=1) | ak.concatenate([{0}, {0}])
ak.concatenate([{1}, {0}], axis=-1) | ak.concatenate([{0}, {c}], axis=1)
ak.zip({{'a': {0}, 'b': {1}}}) | ak.zip({{'a': {0}, 'b': {c}}}) | ak.zip(({0}, {1}))
ak.zip({{'a': {0}, 'b': {1}}}, depth_limit=1) | ak.with_field({0}, {1}, 'c')
ak.with_field({0}, {c}, 'a') | {0}.a | {0}['b'] | {0}[['a']] | ak.unzip({0})[0] | ak.unzip({0})[-1]
ak.fill_none({0}, {c}) | ak.fill_none({0}, {c}, axis=-1) | ak.drop_none({0}) | ak.is_none({0})
ak.is_none({0}, axis=-1) | ak.drop_none({0}, axis=-1) | ak.pad_none({0}, {n}, axis={a})
ak.pad_none({0}, {n}, clip=True) | ak.pad_none({0}, {n}, axis=0) | ak.singletons({0})
ak.firsts({0}) | ak.firsts({0}, axis={a}) | ak.mask({0}, {0} > 1) | ak.mask({0}, {1} > 1)
ak.cartesian([{0}, {1}]) | ak.cartesian([{0}, {1}], axis=0) | ak.combinations({0}, 2)
ak.combinations({0}, 2, axis=0) | ak.argcombinations({0}, 2) | ak.num({0}) | ak.num({0}, axis={a})
ak.cartesian({{'a': {0}, 'b': {1}}}, nested=True) | ak.argcartesian([{0}, {1}])
ak.local_index({0}) | ak.local_index({0}, axis={a}) | ak.zeros_like({0}) | ak.ones_like({0})
ak.full_like({0}, {c}) | ak.values_astype({0}, {t}) | ak.nan_to_none({0})
ak.broadcast_arrays({0}, {1})[0] | ak.broadcast_arrays({0}, {1})[1]
ak.broadcast_arrays({0}, {c})[1]
ak.to_regular({0}, axis={a}) | ak.from_regular({0}, axis={a}) | ak.unflatten({0}, {n})
ak.unflatten({0}, {n}, axis=1) | ak.run_lengths({0}) | ak.sort({0}, axis={a}) | ak.argsort({0})
ak.sort({0}) | ak.sort({0}, axis=0) | ak.argsort({0}, axis=0) | ak.topk({0}, 2) | ak.cumsum({0})
ak.cumsum({0}, axis={a}) | ak.cummax({0}, axis={a}) | ak.diff({0}) | ak.rank({0}) | ak.unique({0})
ak.isin({0}, {1}) | ak.corr({0}, {1}) | ak.softmax({0}, axis=-1) | ak.to_packed({0})
ak.isclose({0}, {1}) | ak.nan_to_num({0}) | ak.round({0}) | ak.merge_option_of_records({0})
ak.without_field({0}, 'a') | ak.strings_astype({0}, np.int64) | ak.values_astype({0}, {t}) + {c}
""".replace("\n", " | ")
STEPS = [s.strip() for s in STEPS.split(" | ") if s.strip()]
# What may need none of the values it is made of.
AFTER_ERRORS = """ak.is_none({0}) | ak.zeros_like({0}) | ak.num({0}) | ak.num({0}, axis=1) | {0}[:1]
{0}[:0] | {0}[0] | {0}[-1:] | ak.local_index({0}) | ak.zip({{'a': {0}, 'b': {1}}}).b | {0}[[0]]
ak.count({0}, axis=-1) | ak.firsts({0}, axis=0) | ak.mask({0}, False) | ak.where(False, {0}, {1})
ak.pad_none({0}, 1, axis=0, clip=True) | {0} + {1} | ak.full_like({0}, 7) | ak.singletons({0})
ak.broadcast_arrays({0}, {1})[1] | ak.concatenate([{0}, {1}])[-1:] | ak.fill_none({0}, 1)
ak.zip({{'a': {0}}}) | {0}[:, :0] | {0}[:, :1] | {0}[[]] | {0}[np.newaxis] | ak.ravel({0})
"""
AFTER_ERRORS = [s.strip() for s in AFTER_ERRORS.replace("\n", " | ").split(" | ") if s.strip()]


def source(r):
    """Text of a small array: plain, missing, regular, records, strings now and then."""
    depth = r.choice([1, 1, 2, 2, 2, 3, 3])
    length = r.choice([0, 1, 1, 2, 2, 3, 4])
    kind = r.choice(["int", "int", "float", "bool", "small"])

    def number():
        if kind == "bool":
            return r.random() < 0.5
        n = r.choice([0, 1, 2, 3, 1, -2, 100 if kind == "small" else 5])
        return n + 0.5 if kind == "float" and r.random() < 0.5 else n

    if r.random() < 0.25:  # regular
        shape = [length, *(r.choice([0, 1, 1, 2, 3]) for _ in range(depth - 1))]
        flat = [number() for _ in range(int(np.prod(shape)))]
        dtype = {"int": "np.int64", "float": "float", "bool": "bool", "small": "np.int8"}[kind]
        return f"ak.Array(np.array({flat}, {dtype}).reshape({tuple(shape)}))"
    missing, missing_lists = r.random() < 0.2, r.random() < 0.15

    def value(d):
        if d == 0:
            return None if missing and r.random() < 0.3 else number()
        if missing_lists and d < depth and r.random() < 0.3:
            return None
        n = length if d == depth else r.choice([0, 1, 1, 2, 2, 3])
        return [value(d - 1) for _ in range(n)]

    text = f"ak.Array({value(depth)})"
    if r.random() < 0.1:
        text = f"ak.zip({{'a': {text}, 'b': {r.choice(CONSTANTS)}}})"
    if kind == "small":
        return f"ak.values_astype({text}, np.int8)"
    return text


def evaluated(text, values):
    with np.errstate(all="ignore"):
        return eval(text, {"ak": ak, "np": np}, dict(values))


def family(error):
    if isinstance(error, (AttributeError, KeyError)):  # of a field that there is not
        return "IndexError"
    for known in (IndexError, OverflowError, ValueError, TypeError):
        if isinstance(error, known):
            return known.__name__
    raise error


def outcome(value):
    """Type and values of what is looked at."""
    if isinstance(value, tuple):
        return tuple(outcome(v) for v in value)
    return type_text(value), plain(value)


def looked_at(value):
    return ak.materialize(value) if isinstance(value, ak.Array | ak.Record) else value


class Program:
    """Lines `v2 = ak.sum(v1, axis=0)` of a seed, and what each gives if it is computed at once."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.lines, self.expected = [], []
        values = {}
        for _ in range(r.choice([1, 2, 2])):
            self._add(source(r), values)
        wanted = len(self.lines) + r.randint(2, 5)
        for _ in range(60):
            if len(self.lines) == wanted:
                break
            self._add(self._step(STEPS, values), values)
            if self.failed:
                break
        if self.failed and r.random() < 0.8:
            for _ in range(r.choice([1, 1, 2])):
                self.lines.append(self._step(AFTER_ERRORS, values, f"v{len(self.lines) - 1}"))

    @property
    def failed(self):
        return isinstance(self.expected[-1], str)

    def _step(self, steps, values, last=None):
        r = self.r
        names = list(values)
        operands = [last or (names[-1] if r.random() < 0.85 else r.choice(names))]
        operands += [r.choice(names[-3:] if r.random() < 0.5 else names) for _ in range(2)]
        return r.choice(steps).format(
            *operands,
            c=r.choice(CONSTANTS),
            a=r.choice(AXES),
            t=r.choice(TYPES),
            n=r.choice(NUMBERS[:4]),
            b=r.choice(["True", "False"]),
            r=r.choice(REDUCERS),
        )

    def _add(self, text, values):
        try:
            value = looked_at(evaluated(text, values))
            expected = outcome(value)
        except ERRORS as e:
            # Most are of types: another step is taken. Some errors of data are kept.
            data = family(e) in ("IndexError", "ValueError") and not isinstance(e, AttributeError)
            if data and "axis=" not in str(e) and self.r.random() < 0.25:
                self.lines.append(text)
                self.expected.append(family(e))
            return
        if not isinstance(value, ak.Array | ak.Record) and self.r.random() < 0.8:
            return  # few programs end with a number
        values[f"v{len(self.lines)}"] = value
        self.lines.append(text)
        self.expected.append(expected)

    def text(self):
        return "\n".join(f"v{i} = {line}" for i, line in enumerate(self.lines))

    def run(self, look):
        """All lines, lazily; look(i, value) is called with each value when it is made."""
        values = {}
        for i, line in enumerate(self.lines):
            try:
                values[f"v{i}"] = evaluated(line, values)
            except ERRORS:
                if i < len(self.expected):
                    raise
                break  # what types tell is told at once, whatever was wrong before
            look(i, values[f"v{i}"])
        return list(values.values())

    def outcomes(self, way):
        """What the lines give when they are looked at in this way: pairs of line and outcome."""
        r = random.Random(way)
        last = len(self.lines) - 1

        def look(i, value):
            if way == "some" and r.random() < 0.4:
                looked_at(value)
            if way == "views" and r.random() < 0.7 and isinstance(value, ak.Array | ak.Record):
                ak.compute(value)
            if way == "lengths" and isinstance(value, ak.Array):
                len(value)

        try:
            values = self.run(look)
            last = len(values) - 1
            if way == "parts":
                for part in (":1", "0", "'a'", "1:", ":, :1", ":, 0", "..., 0"):
                    with contextlib.suppress(ERRORS):
                        plain(evaluated(f"v[{part}]", {"v": values[last]}))
            out = [(last, outcome(values[last]))]
            if way == "backwards":
                out += [(i, outcome(values[i])) for i in range(last - 1, -1, -1)]
            if way == "together":
                arrays = [v for v in values if isinstance(v, ak.Array | ak.Record)]
                ak.compute(*arrays)
                out += [(i, outcome(v)) for i, v in enumerate(values)]
            return out
        except ERRORS as e:
            return [(last, family(e))]

    WAYS = ("last", "some", "lengths", "parts", "backwards", "together", "views")

    def differences(self):
        """What is not as if each line had been computed at once, as text."""
        for way in self.WAYS:
            for i, got in self.outcomes(way):
                expected = self.expected[-1] if self.failed else self.expected[i]
                if not agree(got, expected):
                    return f"{self.text()}\n{way}, v{i}: {got}\nexpected {expected}"
        return ""


def agree(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if isinstance(a[0], tuple) or isinstance(b[0], tuple):
        return len(a) == len(b) and all(agree(x, y) for x, y in zip(a, b, strict=True))
    return a[0] == b[0] and same_values(a[1], b[1], 1e-5)


def main(first, count):
    found = 0
    for seed in range(first, first + count):
        try:
            text = Program(seed).differences()
        except Exception as e:
            text = f"{type(e).__name__}: {e}"
        if text:
            found += 1
            print(f"--- {seed}\n{text}", flush=True)
    print(f"{found} of {count} programs differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
