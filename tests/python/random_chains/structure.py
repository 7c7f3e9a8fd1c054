# Steps that change structure: lists, options, records, tuples.
from random_chains.steps import (
    CONSTANTS,
    Made,
    axis,
    lists,
    number,
    number_lists,
    options,
    plain_items,
    record,
    step,
)


@step(2.0, lists)
def flattened(g, x):
    r = g.rng.random()
    if r < 0.12:
        return Made(f"ak.flatten({x}, axis=None)")
    if r < 0.2:
        return Made(f"ak.ravel({x})")
    return Made(f"ak.flatten({x}, axis={axis(g, x, 0 if r < 0.3 else 1)})")


@step(1.2)
def lists_again(g, x):
    r = g.rng.random()
    if x.shape.depth > 4:
        return None
    if r < 0.35 and x.shape.depth > 1:
        return Made(f"ak.unflatten(ak.flatten({x}, axis=1), ak.num({x}, axis=1))")
    if r < 0.55:
        return Made(f"ak.unflatten({x}[: len({x}) // 2 * 2], 2)")
    if r < 0.7 and x.shape.depth > 1:
        return Made(f"ak.unflatten({x}[:, :2], 1, axis=1)")
    y = g.other(lambda s: s.depth > 1)
    return y and Made(f"ak.unflatten(ak.flatten({x}, axis=None), ak.num({y}, axis=1))")


@step(2.5)
def padded(g, x):
    clip = options(g, clip=["True", "False"])
    source = f"ak.pad_none({x}, {g.rng.choice([0, 1, 2, 3, 5])}, axis={axis(g, x)}{clip})"
    if g.rng.random() < 0.3 and x.shape.number:
        source = f"ak.fill_none({source}, {g.rng.choice(CONSTANTS)}, axis=-1)"
    return Made(source)


@step(1.5, lambda s: s.depth > 0 and s.optional)
def filled(g, x):
    value = g.rng.choice(CONSTANTS) if x.shape.number else "'z'" if x.shape.leaf == "string" else 0
    return Made(f"ak.fill_none({x}, {value}, axis={g.rng.choice(['None', -1, axis(g, x)])})")


@step(1.5)
def dropped(g, x):
    return Made(f"ak.drop_none({x}, axis={g.rng.choice(['None', axis(g, x), axis(g, x)])})")


@step(1.0)
def asked_for_none(g, x):
    return Made(f"ak.is_none({x}, axis={axis(g, x)})", True, 1)


@step(1.5, number)
def masked(g, x):
    m = g.other(lambda s: s.leaf == "bool" and not s.optional)
    if m is None or g.rng.random() < 0.5:
        if not g.exact(x):
            return None
        m = f"{x} > {g.rng.choice([0, 3, -10])}"
    return Made(f"ak.mask({x}, {m}{options(g, valid_when=['False'])})")


@step(1.2, lists)
def first_ones(g, x):
    return Made(f"ak.firsts({x}, axis={axis(g, x, 1)})")


@step(0.8)
def in_lists_of_one(g, x):
    return Made(f"ak.singletons({x}, axis={axis(g, x)})") if x.shape.depth < 4 else None


@step(2.2)
def joined(g, x):
    y = g.other(lambda s: s.leaf == x.shape.leaf or (s.number and x.shape.number))
    if y is None:
        return None
    more = [f"{x}", f"{y}"] + ([f"{x}[:3]"] if g.rng.random() < 0.2 else [])
    a = axis(g, x)
    if len(more) == 3 and a not in (0, -x.shape.depth):
        more.pop()
    return Made(f"ak.concatenate([{', '.join(more)}], axis={a})")


@step(1.2, number)
def one_or_other(g, x):
    y = g.other(lambda s: s.number) if g.rng.random() < 0.6 else g.rng.choice(CONSTANTS)
    c = g.other(lambda s: s.leaf == "bool")
    if c is None or g.rng.random() < 0.5:
        c = f"{x} > {g.rng.choice([0, 3, -10])}" if g.exact(x) else None
    return y and c and Made(f"ak.where({c}, {x}, {y})")


@step(1.8)
def tuples(g, x):
    a = axis(g, x)
    name = "argcombinations" if g.rng.random() < 0.2 else "combinations"
    few = few_of(x, a, g.rng.choice([4, 6]))
    extra = options(g, replacement=["True"])
    source = f"ak.{name}({few}, {g.rng.choice([2, 2, 3])}, axis={a}{extra})"
    if g.rng.random() < 0.6:
        source = f"ak.unzip({source})[{g.rng.choice([0, 1])}]"
    return Made(source, bits=max(x.bits, 18) if name[0] == "a" else None)


def few_of(x, a, n):
    """x with few items in the lists along an axis."""
    a = a + x.shape.depth if a < 0 else a
    return f"{x}[{':, ' * a}:{n}]"


@step(1.5)
def products(g, x):
    y = g.other(lambda s: s.depth > 0) or x
    a = axis(g, x)
    if y.shape.depth < (a + x.shape.depth if a < 0 else a) + 1:
        return None
    few = f"[{few_of(x, a, 5)}, {few_of(y, a, 4)}]"
    name = "argcartesian" if g.rng.random() < 0.2 else "cartesian"
    source = f"ak.{name}({few}, axis={a}{options(g, nested=['True'])})"
    if g.rng.random() < 0.6:
        source = f"ak.unzip({source})[{g.rng.choice([0, 1])}]"
    return Made(source, bits=max(x.bits, 18))


@step(1.5)
def zipped(g, x):
    y = g.other(lambda s: s.depth > 0)
    if y is None or len(x.shape.text) > 80:
        return None
    depth = options(g, depth_limit=["1", "2"])
    second = y if g.rng.random() < 0.8 else g.rng.choice(CONSTANTS)
    parts = f"{{'a': {x}, 'b': {second}}}" if g.rng.random() < 0.7 else f"({x}, {second})"
    return Made(f"ak.zip({parts}{depth})")


@step(6.0, record)
def of_a_field(g, x):
    name = g.rng.choice(list(x.shape.fields))
    return Made(f"{x}[{name!r}]")


@step(0.8, record)
def with_another_field(g, x):
    if g.rng.random() < 0.3:
        return Made(f"ak.without_field({x}, {g.rng.choice(list(x.shape.fields))!r})")
    y = g.other(lambda s: s.depth > 0)
    return y and Made(f"ak.with_field({x}, {y}, {g.rng.choice(['c', 'a', 'p'])!r})")


@step(1.2)
def broadcast(g, x):
    y = g.other(lambda s: s.depth > 0) if g.rng.random() < 0.7 else g.rng.choice(CONSTANTS)
    if y is None:
        return None
    n = g.rng.choice([0, 1])
    exact = None if isinstance(y, str) else g.exact(x, y) or False
    return Made(f"ak.broadcast_arrays({x}, {y})[{n}]", exact)


@step(0.6, lists)
def of_other_lists(g, x):
    return Made(f"ak.from_regular({x}, axis={g.rng.choice(['None', axis(g, x, 1)])})")


@step(0.4)
def the_same(g, x):
    return Made(g.rng.choice(["ak.to_packed({})", "ak.copy({})", "ak.nan_to_none({})"]).format(x))


@step(0.4, number)
def without_nan(g, x):
    return Made(f"ak.nan_to_num({x}, nan=3)")


@step(0.5, lambda s: s.depth > 0 and s.leaf == "string")
def words(g, x):
    return Made(
        f"{x} {g.rng.choice(['==', '!='])} {g.rng.choice(['a', 'two', '', 'b'])!r}", True, 1
    )


# ---- Slices


@step(4.0)
def sliced(g, x):
    items = []
    for _ in range(g.rng.randint(1, min(x.shape.depth, 3))):
        first = g.rng.choice(["", "", "", "", "1", "1", "2", "-3", "100"])
        last = g.rng.choice(["", "", "", "-1", "3", "100", "5", "-2"])
        pace = g.rng.choice(["", "", "", ":2", ":-1", ":-2", ":3"])
        items.append(f"{first}:{last}{pace}" if "-" not in pace else f"{last}:{first}{pace}")
    if g.rng.random() < 0.25:
        items.insert(0, "...")
    return Made(f"{x}[{', '.join(items)}]")


@step(1.2, number)
def filtered(g, x):
    if not g.exact(x):
        return None
    return Made(f"{x}[{x} {g.rng.choice(['>', '<', '!='])} {g.rng.choice([0, 2, -10, 5])}]")


@step(2.0)
def chosen_by_another(g, x):
    m = g.other(lambda s: s.leaf in ("bool", "int64") and s.depth <= x.shape.depth)
    return m and Made(f"{x}[{m}]")


@step(1.2, lists)
def chosen_rows(g, x):
    few = g.rng.choice(["> 0", "> 1", "< 3", "== 2"])
    source = f"{x}[ak.num({x}, axis=1) {few}]"
    if g.rng.random() < 0.4 and few[0] == ">":
        source += f"[:, {g.rng.choice([0, -1])}]"
    return Made(source)


@step(1.0, number_lists)
def by_order(g, x):
    if not g.exact(x):
        return None
    f = ["{0}[ak.argsort({0}, axis=-1)]", "{0}[ak.argmax({0}, axis=-1, keepdims=True)]"]
    f += ["{0}[ak.argmin({0}, axis={1}, keepdims=True)]", "{0}[ak.local_index({0}) > 0]"]
    f += ["{0}[ak.sum({0}, axis=-1) > 3]", "{0}[{0} > ak.max({0}, axis=-1) - 9]"]
    return Made(g.rng.choice(f).format(x, axis(g, x)))


@step(1.0)
def with_new_axis(g, x):
    if x.shape.depth > 3:
        return None
    return Made(f"{x}[{g.rng.choice(['np.newaxis', ':, np.newaxis', '..., np.newaxis'])}]")


@step(1.0)
def by_positions(g, x):
    where = ["{0}[[0, -1, 0]]", "{0}[np.arange(len({0})) % 3 != 1]", "{0}[[0, None, -1]]"]
    where += ["{0}[np.arange(len({0}))[::-1]]", "{0}[0]", "{0}[-1]", "{0}[..., 0]"]
    if g.rng.random() < 0.05:
        where = ["{0}[[]]"]
    return Made(g.rng.choice(where).format(x))


@step(0.5, plain_items)
def fields_of_folds(g, x):
    if not x.shape.number or not x.shape.depth > 1:
        return None
    a = axis(g, x)
    return Made(f"ak.zip({{'s': ak.sum({x}, axis={a}), 'n': ak.count({x}, axis={a})}})", bits=40)
