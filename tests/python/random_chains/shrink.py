# What differs, made small: fewer statements, rows and levels of types, as long as it still differs.
import copy
import re
import time

from random_chains.chain import names_in
from random_chains.data import LENGTHS
from random_chains.worker import packed, unpacked


def family(kind):
    """Kinds that count as the same finding."""
    for word in ("crash", "hang", "lazily", "GPU", "threads", "unexpected"):
        if kind.startswith(word):
            return word
    text = re.sub(r"[\d.]+", "", kind)
    return text.split(":")[0] + text.split(":")[1][:12] if ":" in text else text


class Shrinker:
    """`differs` gives the kind of a chain on its only data set ("" where nothing differs)."""

    def __init__(self, differs, kind, tries=400, end=None):
        self.differs, self.family, self.left = differs, family(kind), tries
        self.end = end or time.monotonic() + 600

    def holds(self, chain):
        if time.monotonic() > self.end:
            self.left = 0
        if self.left <= 0:
            return False
        self.left -= 1
        kind = self.differs(packed(chain))
        return bool(kind) and family(kind) == self.family

    def shrink(self, chain):
        chain = chain.needed()
        while self.left > 0:
            for smaller in self.candidates(chain):
                if self.holds(smaller):
                    chain = smaller
                    break
            else:
                break
        return chain

    def candidates(self, chain):
        yield from shorter(chain)
        yield from fewer_rows(chain)
        yield from simpler_types(chain)
        yield from simpler_source(chain)


def shorter(chain):
    """Without the last statement, or with an operand in place of one."""
    if len(chain.statements) > 1:
        out = copy.deepcopy(chain)
        out.statements.pop()
        yield out.needed()
    for k in range(len(chain.statements) - 1):
        name, source = chain.statements[k]
        for operand in sorted(names_in(source)):
            out = copy.deepcopy(chain)
            del out.statements[k]
            out.statements = [
                (n, re.sub(rf"(?<![\w.'\"]){name}(?![\w('\"=])", operand, s))
                for n, s in out.statements
            ]
            yield out.needed()


def fewer_rows(chain):
    rows = chain.sets[0].rows
    for n in sorted({0, 1, 2, 3, rows // 8, rows // 2, rows * 3 // 4, rows - rows // 10, rows - 1}):
        if 0 <= n < rows:
            out = copy.deepcopy(chain)
            out.sets[0].rows = n
            yield out
    if chain.sets[0].seed > 5 and rows < 100:
        for seed in range(6):
            out = copy.deepcopy(chain)
            out.sets[0].seed = seed
            yield out
    if chain.sets[0].lengths != "poisson":
        for lengths in LENGTHS[:1] + LENGTHS[4:5]:
            out = copy.deepcopy(chain)
            out.sets[0].lengths = lengths
            if lengths != chain.sets[0].lengths:
                yield out
    if chain.sets[0].special:
        out = copy.deepcopy(chain)
        out.sets[0].special = False
        yield out


TYPES = [(r"option\[(.*)\]", r"\1"), (r"\?", ""), (r"^var \* ", ""), (r"^\d+ \* ", "")]
TYPES += [
    (r"\b(u?int8|u?int16|u?int32|uint64|float32|bool)\b", "int64"),
    (r"\{p: (\w+), .*\}", r"\1"),
]


def simpler_types(chain):
    for name, (text, salt) in chain.inputs.items():
        for pattern, by in TYPES:
            new = re.sub(pattern, by, text, count=1)
            if new != text:
                out = copy.deepcopy(chain)
                out.inputs[name] = (new, salt)
                yield out
    if len(chain.inputs) > 1 and len({t for t, _ in chain.inputs.values()}) > 1:
        for text, _ in chain.inputs.values():
            out = copy.deepcopy(chain)
            out.inputs = {n: (text, s) for n, (_, s) in chain.inputs.items()}
            yield out


SOURCE = [(r", (ascending|stable|mask_identity|clip|replacement|keepdims)=\w+", "")]
SOURCE += [(r"np\.\w+\((-?[\d.]+)\)", r"\1"), (r"ak\.(min|max|prod|any|all)\(", "ak.sum(")]


def simpler_source(chain):
    for k, (name, source) in enumerate(chain.statements):
        for pattern, by in SOURCE:
            new = re.sub(pattern, by, source, count=1)
            if new != source:
                out = copy.deepcopy(chain)
                out.statements[k] = (name, new)
                yield out


def shrunk(chain, number, runner, kind, backend="cpu", end=None):
    """The smallest chain found that differs in the same way, on one data set."""
    chain = unpacked(packed(chain))
    chain.sets = [chain.sets[number]]
    # The way depends on whether the number of the data set is odd: both are tried.
    chain.sets = chain.sets * 2

    def differs(candidate):
        candidate["sets"] = [candidate["sets"][0]] * 2
        return runner.outcome(candidate, 1, "all", backend)[0]

    if family(differs(packed(chain))) != family(kind):
        return chain
    out = Shrinker(differs, kind, end=end).shrink(chain)
    out.sets = [out.sets[0]] * 2
    return out
