# The table of steps: each writes one call on a value as Python source, or None where it does not
# fit. What Awkward refuses on a small array is dropped again by chain.py.
from dataclasses import dataclass

STEPS = []


@dataclass
class Made:
    """Source, and what becomes of exactness and of the size of numbers (in bits)."""

    source: str
    exact: bool | None = None  # None: that of the operands
    bits: int | None = None
    clipped: bool = False


def step(weight=1.0, when=None):
    """`when` asks the shape of the value; exact=True steps are the business of their own."""

    def add(make):
        STEPS.append((weight, when or (lambda s: s.depth > 0), make))
        return make

    return add


def number(s):
    return s.depth > 0 and s.number


def signed(s):
    return s.depth > 0 and s.signed


def integer(s):
    return s.depth > 0 and s.integer


def lists(s):
    return s.depth > 1


def number_lists(s):
    return s.depth > 1 and s.number


def record(s):
    return s.depth > 0 and s.leaf == "record" and s.fields


def plain_items(s):
    return s.depth > 0 and s.leaf not in ("record", "union", "unknown")


def axis(g, x, first=0, last=0):
    """A legal axis of x, counted from either end; `last`: levels of the items below."""
    depth = x.shape.depth - last
    a = g.rng.randrange(first, max(depth, first + 1))
    return a - x.shape.depth if g.rng.random() < 0.45 and x.shape.leaf != "record" else a


def options(g, **choices):
    """Keyword arguments, some of them, as text behind a comma."""
    out = [f", {k}={g.rng.choice(v)}" for k, v in choices.items() if g.rng.random() < 0.35]
    return "".join(out)


# ---- Element by element

CONSTANTS = ["2", "-3", "1.5", "0", "7", "1", "True", "np.int8(3)", "np.float32(0.5)", "-1", "100"]
CONSTANTS += ["np.int64(5)", "np.uint8(9)", "0.25"]


@step(2.0, number)
def with_constant(g, x):
    op = g.rng.choice(["+", "-", "*", "+", "*", "-"])
    c = g.rng.choice(CONSTANTS)
    source = f"{x} {op} {c}" if g.rng.random() < 0.7 else f"{c} {op} {x}"
    return Made(source, bits=x.bits + (7 if op == "*" else 1))


@step(2.5, number)
def with_another(g, x):
    y = g.other(lambda s: s.number)
    if y is None:
        return None
    op = g.rng.choice(["+", "-", "*", "+"])
    bits = x.bits + y.bits if op == "*" else max(x.bits, y.bits) + 1
    return Made(f"{x} {op} {y}", bits=bits)


@step(0.8, number)
def smaller_or_larger(g, x):
    y = g.other(lambda s: s.number) if g.rng.random() < 0.5 else g.rng.choice(CONSTANTS)
    if y is None:
        return None
    return Made(f"np.{g.rng.choice(['maximum', 'minimum', 'fmax', 'fmin'])}({x}, {y})")


@step(1.2, number)
def compared(g, x):
    y = g.other(lambda s: s.number) if g.rng.random() < 0.4 else g.rng.choice(CONSTANTS)
    if y is None or not g.exact(x, y):
        return None
    return Made(f"{x} {g.rng.choice(['<', '>', '<=', '>=', '==', '!='])} {y}", bits=1)


@step(0.6, integer)
def of_bits(g, x):
    y = g.other(lambda s: s.integer) if g.rng.random() < 0.5 else g.rng.choice(["3", "True", "12"])
    return y and Made(f"{x} {g.rng.choice('&|^')} {y}")


@step(1.0, signed)
def of_one(g, x):
    exact = ["-{}", "abs({})", "np.sign({})", "np.positive({})", "np.square({}) % 50"]
    f = g.rng.choice(exact)
    return Made(f.format(x), bits=x.bits + 1) if "%" not in f or g.exact(x) else None


@step(0.25, number)
def asked_of_one(g, x):
    return Made(g.rng.choice(["np.isnan({})", "np.logical_not({})", "np.isfinite({})"]).format(x))


@step(0.8, number)
def inexact_functions(g, x):
    f = ["np.sqrt(abs({}))", "np.exp(-abs({}) / 64)", "np.log1p(abs({}))", "np.tanh({})", "{} / 3"]
    if x.shape.leaf in ("bool", "uint8", "int8", "float16") or x.bits > 20:
        return None
    return Made(g.rng.choice(f + ["np.arctan({})", "np.cbrt({})"]).format(x), exact=False)


@step(0.7, integer)
def another_type(g, x):
    to = g.rng.choice(["int64", "float64", "int8", "float32", "bool", "uint16", "float16"])
    return Made(f"ak.values_astype({x}, '{to}')")


@step(0.4, signed)
def remainders(g, x):
    if not g.exact(x) or x.bits > 50:
        return None
    return Made(f"{x} {g.rng.choice(['%', '//'])} {g.rng.choice(['7', '-3', '13'])}")


@step(0.3)
def alike(g, x):
    name = g.rng.choice(["zeros_like", "ones_like", "full_like"])
    value = f", {g.rng.choice(['3', '1.5', 'True', '100'])}" if name == "full_like" else ""
    kind = g.rng.choice(["", "", ", dtype='int8'", ", dtype='float64'"])
    return Made(f"ak.{name}({x}{value}{kind})", exact=True, bits=8)


# ---- Along an axis

FOLDS = ["sum", "sum", "sum", "min", "max", "min", "max", "any", "count", "argmin", "argmax", "all"]
FOLDS += ["count_nonzero"]
FOLDS += ["prod", "mean", "var", "std", "ptp", "nansum", "nanmax", "nanmin", "nanmean"]
INEXACT = {"mean", "var", "std", "nanmean", "softmax"}
ORDER = {"argmin", "argmax", "any", "all", "count_nonzero"}


@step(4.5, number)
def folded(g, x):
    name = g.rng.choice(FOLDS)
    if (name in ORDER and not g.exact(x)) or (name in INEXACT and x.bits > 24):
        return None
    if name == "prod" and not x.shape.integer:
        return None
    if name in ("sum", "prod", "nansum"):
        bits = 64 if name == "prod" else x.bits + 18
    else:
        bits = {"count": 18, "argmin": 18, "argmax": 18, "any": 1, "all": 1}.get(name)
    ax = "None" if g.rng.random() < 0.12 else axis(g, x)
    extra = options(g, keepdims=["True"], mask_identity=["True", "False"])
    exact = False if name in INEXACT else None
    return Made(f"ak.{name}({x}, axis={ax}{extra})", exact, bits)


@step(0.5, lambda s: s.depth > 0 and not s.number)
def folded_others(g, x):
    name = g.rng.choice(["count", "any", "all", "count_nonzero", "argmax", "argmin"])
    return Made(f"ak.{name}({x}, axis={axis(g, x)})", True, 18)


@step(0.5, number_lists)
def against_folded(g, x):
    """x beside what its own lists give."""
    name = g.rng.choice(["sum", "max", "min", "mean"])
    if name == "mean":
        return Made(f"{x} - ak.mean({x}, axis=-1)", False, x.bits + 1)
    return Made(f"{x} - ak.{name}({x}, axis={axis(g, x)}, keepdims=True)", bits=x.bits + 19)


@step(2.5, lambda s: s.depth > 0 and (s.number or s.leaf == "string"))
def ordered(g, x):
    if not g.exact(x):
        return None
    name = g.rng.choice(["sort", "argsort"])
    extra = options(g, ascending=["False", "True"], stable=["False", "True"])
    return Made(
        f"ak.{name}({x}, axis={axis(g, x)}{extra})", True, 18 if name == "argsort" else None
    )


@step(1.8, number)
def scanned(g, x):
    name = g.rng.choice(["cumsum", "cummax", "cummin", "diff", "rank", "cumsum"])
    if not g.exact(x):
        return None
    bits = {"cumsum": x.bits + 18, "diff": x.bits + 1, "rank": 18}.get(name)
    return Made(f"ak.{name}({x}, axis={axis(g, x)})", bits=bits)


@step(1.0, number)
def chosen(g, x):
    if not g.exact(x):
        return None
    source = g.rng.choice(
        [
            "ak.unique({x}, axis={a})",
            "ak.topk({x}, 2, axis={a})",
            "ak.median({x}, axis={a})",
            "ak.quantile({x}, 0.25, axis={a})",
            "ak.run_lengths({x})",
            "ak.isin({x}, [1, 5, 7, -3])",
            "ak.clip({x}, -5, 12)",
        ]
    )
    exact = False if "quantile" in source or "median" in source else None
    return Made(source.format(x=x, a=axis(g, x)), exact)


@step(0.3, number_lists)
def soft(g, x):
    return Made(f"ak.softmax({x}, axis=-1)", False) if x.bits < 12 else None


@step(0.6)
def counted(g, x):
    if g.rng.random() < 0.5 and x.shape.depth > 1:
        return Made(f"ak.num({x}, axis={axis(g, x, 1)})", True, 18)
    return Made(f"ak.local_index({x}, axis={axis(g, x)})", True, 18)
