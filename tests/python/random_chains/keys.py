# Steps by keys and by order that Awkward mostly does not have, and statistics: ours are compared
# lazily, step by step, from buffers and by other threads all the same.
from random_chains.steps import (
    CONSTANTS,
    Made,
    axis,
    integer,
    lists,
    number,
    number_lists,
    options,
    plain_items,
    record,
    signed,
    step,
)


def any_axis(g, x):
    return "None" if g.rng.random() < 0.15 else axis(g, x)


@step(0.7, plain_items)
def grouped(g, x):
    if not g.exact(x) or x.shape.depth > 3:
        return None
    y = g.other(lambda s: s.depth > 0 and s.leaf not in ("record", "union", "unknown"))
    keys = y if y is not None and g.exact(y) else x
    f = ["ak.group_by({x}, {y}, axis={a})[1]", "ak.group_by({x}, {y}, axis={a})[0]"]
    f += ["ak.sum(ak.group_by({x}, {y}, axis={a})[1], axis=-1)"] * x.shape.number
    source = g.rng.choice(f)
    return Made(source.format(x=x, y=keys, a=axis(g, x)), bits=x.bits + 18)


@step(0.7, plain_items)
def counted_values(g, x):
    if not g.exact(x):
        return None
    f = ["ak.value_counts({x}, axis={a})", "ak.is_unique({x}, axis={a})"]
    f += ["ak.unique({x}, axis={a})", "ak.num(ak.unique({x}, axis={a}), axis=-1)"]
    extra = g.rng.choice(["return_index", "return_inverse", "return_counts"])
    f.append(f"ak.unique({{x}}, axis={{a}}, {extra}=True)[1]")
    return Made(g.rng.choice(f).format(x=x, a=any_axis(g, x)), True, 18)


@step(0.8, number)
def selected(g, x):
    """Of a partition only what does not depend on the order within its parts."""
    if not g.exact(x):
        return None
    k = g.rng.choice([0, 1, 2, 3, 5])
    f = ["ak.max(ak.partition({x}, {k}, axis=-1)[..., :{n}], axis=-1)"]
    f += ["ak.partition({x}, {k}, axis=-1)[..., {k}:{n}]"]
    f += ["{x}[ak.argpartition({x}, {k}, axis=-1)][..., {k}:{n}]"]
    f += ["ak.topk({x}, {n}, axis={a}, largest={b})", "ak.argtopk({x}, {n}, axis={a}, largest={b})"]
    largest = g.rng.choice([True, False])
    source = g.rng.choice(f).format(x=x, k=k, n=k + 1, a=axis(g, x), b=largest)
    return Made(source, bits=max(x.bits, 18))


@step(0.7, number)
def ranked(g, x):
    if not g.exact(x):
        return None
    extra = options(
        g, method=["'min'", "'max'", "'dense'", "'average'", "'ordinal'"], ascending=["False"]
    )
    return Made(f"ak.rank({x}, axis={any_axis(g, x)}{extra})", bits=19)


@step(0.8, number)
def looked_up(g, x):
    y = g.other(lambda s: s.number and s.depth > 0)
    if y is None or not g.exact(x, y):
        return None
    side = g.rng.choice(["left", "right"])
    f = ["ak.isin({x}, {y})", "ak.isin({x}, {y}, axis=-1)", "ak.isin({x}, {y}, axis={a})"]
    f += ["ak.isin({x}, {y}, invert=True)"]
    f += [f"ak.searchsorted(ak.sort({{y}}, axis=-1), {{x}}, side='{side}', axis=-1)"]
    f += [f"ak.searchsorted(ak.sort(ak.ravel({{y}})), {{x}}, side='{side}')"]
    return Made(g.rng.choice(f).format(x=x, y=y, a=axis(g, x)), True, 18)


@step(0.6, integer)
def products_so_far(g, x):
    return Made(f"ak.cumprod({x}, axis={axis(g, x)}) % 97", bits=7) if g.exact(x) else None


@step(0.7, number)
def ordered_as_a_whole(g, x):
    if not g.exact(x):
        return None
    name = g.rng.choice(["sort", "argsort", "cummax", "unique", "run_lengths"])
    if name == "run_lengths":
        return Made(f"ak.run_lengths({x}, axis={any_axis(g, x)})", True, 18)
    return Made(f"ak.{name}({x}, axis=None)", bits=max(x.bits, 18))


@step(0.9, signed)
def spread(g, x):
    if x.bits > 20 or not g.exact(x):
        return None
    f = ["ak.quantile({x}, 0.4, axis={a}{o})", "ak.percentile({x}, 90, axis={a}{o})"]
    f += ["ak.nanmedian({x}, axis={a}{o})", "ak.moment({x}, 2, axis={a}{o})"]
    f += ["ak.nanvar({x}, axis={a}{o})", "ak.nanstd({x}, axis={a}{o})", "ak.ptp({x}, axis={a}{o})"]
    f += ["ak.nanprod({x} > 3, axis={a}{o})"] + ["ak.softmax({x}, axis={a})"] * (x.bits < 9)
    f += ["ak.nanargmax({x}, axis={a})", "ak.nanargmin({x}, axis={a})"]
    source = g.rng.choice(f)
    extra = options(g, keepdims=["True"], mask_identity=["True", "False"])
    exact = "arg" in source
    return Made(source.format(x=x, a=any_axis(g, x), o=extra), exact, 20)


@step(0.6, signed)
def of_two(g, x):
    y = g.other(lambda s: s.signed and s.depth > 0)
    if y is None or max(x.bits, y.bits) > 18:
        return None
    name = g.rng.choice(["corr", "covar", "linear_fit", "mean"])
    if name == "mean":
        return Made(f"ak.mean({x}, weight=abs({y}) + 1, axis={any_axis(g, x)})", False)
    return Made(f"ak.{name}({x}, {y}, axis={any_axis(g, x)})", False)


@step(0.5, signed)
def parts_of_numbers(g, x):
    if not g.exact(x) or x.bits > 50:
        return None
    c = g.rng.choice(["7", "-3", "2.5"])
    f = [f"np.divmod({x}, {c})[{g.rng.choice([0, 1])}]", f"np.modf({x})[1]", f"ak.round({x}, 1)"]
    f += [f"np.frexp({x})[{g.rng.choice([0, 1])}]", f"ak.isclose({x}, {g.rng.choice(CONSTANTS)})"]
    f += [f"np.heaviside({x}, 1)", f"np.copysign({x}, {c})", f"np.remainder({x}, {c})"]
    f += [f"np.floor({x} / 4)", f"np.trunc({x} * 0.5)", f"np.hypot({x}, 0)"]
    return Made(g.rng.choice(f), None)


@step(0.4, number_lists)
def by_ufunc_methods(g, x):
    if not g.exact(x):
        return None
    f = ["np.add.reduce({x}, axis={a})", "np.maximum.reduce({x}, axis={a})"]
    f += ["np.add.accumulate({x}, axis={a})"]
    return Made(g.rng.choice(f).format(x=x, a=axis(g, x)), bits=x.bits + 18)


@step(0.5, lists)
def without_broadcast(g, x):
    y = g.other(lambda s: s.depth > 1)
    return y and Made(f"ak.zip_no_broadcast({{'a': {x}, 'b': {y}}})")


@step(0.5, record)
def fields_in_order(g, x):
    """All fields by the order of one."""
    numbers = [n for n, s in x.shape.fields.items() if s.number and s.depth == x.shape.depth]
    if not numbers:
        return None
    name = g.rng.choice(numbers)
    f = ["{x}[ak.argsort({x}[{n!r}], axis=-1)]", "{x}[ak.argmax({x}[{n!r}], axis=-1, keepdims=1)]"]
    f += ["{x}[{x}[{n!r}] > 3]", "ak.mask({x}, {x}[{n!r}] != 2)"]
    return Made(g.rng.choice(f).format(x=x, n=name))
