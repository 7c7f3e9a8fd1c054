# Steps out of the library and in again, to other types and names, and of strings.
from random_chains.steps import Made, axis, lists, number, record, step


@step(0.6)
def out_and_in(g, x):
    f = ["ak.from_buffers(*ak.to_buffers({x}))", "ak.from_arrow(ak.to_arrow({x}))"]
    f += ["ak.from_iter(ak.to_list({x}[:30]))"] if x.shape.leaf != "datetime64[s]" else []
    return Made(g.rng.choice(f).format(x=x))


@step(0.5, lambda s: s.depth > 0 and s.number)
def as_numpy(g, x):
    regular = "var" not in x.shape.sizes and not x.shape.optional
    return Made(f"ak.from_numpy(ak.to_numpy({x}), regulararray=True)") if regular else None


@step(0.8, lists)
def of_equal_lengths(g, x):
    a = axis(g, x, 1)
    size = g.rng.choice([1, 2, 3])
    source = f"ak.to_regular(ak.pad_none({x}, {size}, axis={a}, clip=True), axis={a})"
    return Made(source if g.rng.random() < 0.8 else f"ak.to_regular({x}, axis={a})")


@step(0.4)
def named(g, x):
    f = ["ak.with_name({x}, 'point')", "ak.with_parameter({x}, 'unit', 'm')"]
    f += ["ak.without_parameters({x})", "ak.with_named_axis({x}, ('event',))"]
    return Made(g.rng.choice(f[2 * (x.shape.leaf != "record") :]).format(x=x))


@step(0.4, record)
def merged(g, x):
    name = g.rng.choice(["merge_option_of_records", "merge_union_of_records"])
    return Made(f"ak.{name}({x}, axis={axis(g, x)})")


@step(0.4, number)
def of_another_type(g, x):
    text = x.shape.text
    to = g.rng.choice(["float64", "int64", "complex128"])
    if x.shape.leaf != "datetime64[s]" and text.count(x.shape.leaf) == 1:
        text = text.replace(x.shape.leaf, g.rng.choice([to, x.shape.leaf]))
    if "?" not in text and "option" not in text and g.rng.random() < 0.5:
        text = text.replace(x.shape.leaf, "?" + x.shape.leaf)
    return Made(f"ak.enforce_type({x}, '{text}')")


COMPLEX = ["np.real({})", "np.imag({})", "np.conjugate({})", "{} * (1 + 2j)", "{} + 1j"]
COMPLEX += ["{} == 1j", "ak.nan_to_num({})", "abs({} * 0)"]


@step(0.3, number)
def complex_numbers(g, x):
    if not g.exact(x) or x.bits > 20:
        return None
    return Made(g.rng.choice(COMPLEX).format(x), bits=x.bits + 4)


WORDS = [
    "length({})",
    "upper({})",
    "reverse({})",
    "capitalize({})",
    "title({})",
    "swapcase({})",
    "starts_with({}, 'x')",
    "ends_with({}, 'a')",
    "count_substring({}, 'x')",
    "find_substring({}, 'o')",
    "match_substring({}, 'b')",
    "replace_substring({}, 'x', 'yz')",
    "slice({}, 0, 2)",
    "slice({}, 1)",
    "rpad({}, 3, '.')",
    "trim({}, 'xa')",
    "repeat({}, 2)",
    "is_in({}, ['a', 'two'])",
    "index_in({}, ['a', 'two'])",
    "is_alpha({})",
    "split_pattern({}, 'x', max_splits=2)",
    "to_categorical({})",
]


@step(2.5, lambda s: s.depth > 0 and s.leaf == "string")
def of_strings(g, x):
    return Made(f"ak.str.{g.rng.choice(WORDS).format(x)}", True, 18)


@step(0.8, lambda s: s.depth > 0 and s.leaf == "string")
def strings_as_keys(g, x):
    f = ["ak.sort({x}, axis=-1)", "ak.unique({x}, axis=-1)", "ak.rank({x}, axis=-1)"]
    f += ["ak.value_counts({x}, axis=-1)", "ak.is_unique({x}, axis=-1)", "ak.run_lengths({x})"]
    f += ["ak.isin({x}, ['a', 'b'])", "ak.max(ak.str.length({x}), axis=-1)"]
    return Made(g.rng.choice(f).format(x=x), True, 18)
