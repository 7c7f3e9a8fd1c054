# Random calls for test_random.py and fuzz.py: each makes a call of the library and its arguments.
CALLS = {}
AXES = [-2, -1, -1, 0, 0, 1, 1, 2]


def call(make):
    CALLS[make.__name__] = make
    return make


@call
def slices(g):
    x = g.array()
    return (lambda ak, x, where: x[where]), (x, g.slicer(x))


def some(g, **options):
    """Some of the keyword arguments."""
    return {k: g.pick(v) for k, v in options.items() if g.chance(0.6)}


def simple(name, kinds=(), /, **options):
    """One array and keyword arguments."""

    def make(g):
        g.kinds = kinds or g.kinds
        o = some(g, **options)
        return (lambda ak, x, o: getattr(ak, name)(x, **o)), (g.array(), o)

    CALLS[name] = make


for _name in ["num", "local_index", "is_none", "singletons", "firsts"]:
    simple(_name, axis=AXES)
for _name in ["flatten", "to_regular", "from_regular", "drop_none"]:
    simple(_name, axis=[*AXES, None])
for _name in [
    "ravel",
    "to_packed",
    "copy",
    "nan_to_none",
    "without_parameters",
    "from_categorical",
]:
    simple(_name)
for _name in ["is_valid", "categories", "is_categorical", "is_tuple", "fields", "parameters"]:
    simple(_name)
for _name in ["real", "imag", "angle", "round"]:
    simple(_name, ("number", "record", "union", "unknown"))
simple("nan_to_num", ("number", "record", "unknown"), nan=[1.5], posinf=[3], neginf=[0.5])
simple("run_lengths", ("number", "string", "unknown"))
simple("fill_none", value=[0, 1.5, "x", True, 1j], axis=[*AXES, None])
simple("pad_none", target=[0, 1, 2, 3], axis=AXES, clip=[False, True])
simple("merge_option_of_records", axis=[0, 1, -1])
simple("merge_union_of_records", axis=[0, 1, -1])
simple("zeros_like", dtype=[None, "float32", "int8"], including_unknown=[False, True])
simple("ones_like", dtype=[None, "float32", "int8"], including_unknown=[False, True])
simple("full_like", fill_value=[2, 1.5, True, 3j], dtype=[None, "float32"])
simple(
    "values_astype", to=["float32", "int8", "bool", "complex128"], including_unknown=[False, True]
)
simple("with_name", name=["Other", None])
simple("with_parameter", parameter=["p"], value=[1, None, "x"])
simple("combinations", n=[1, 2, 3], axis=AXES, replacement=[False, True], with_name=["P"])
simple("argcombinations", n=[2, 3], axis=AXES, replacement=[False, True])
simple("unzip", how=[tuple, dict])
simple("sort", ("number", "string", "unknown", "time"), axis=[-1, 0, 1], ascending=[True, False])
simple("argsort", ("number", "unknown"), axis=[-1, 0, 1], ascending=[True, False])


def alike(g, x):
    """Another array that has something to do with x."""
    if g.chance(0.35):
        return x
    if g.chance(0.3):
        return x[g.rng.permutation(len(x))]
    if g.chance(0.5):
        return g.array(length=len(x))
    return g.array()


def several(g, at_most=3):
    x = g.array()
    return [x, *(alike(g, x) for _ in range(g.pick(range(1, at_most))))]


@call
def zip(g):
    parts = several(g)
    arrays = g.pick([parts, {f"f{i}": p for i, p in enumerate(parts)}])
    o = some(
        g,
        depth_limit=[None, 1, 2],
        with_name=["P"],
        right_broadcast=[True, False],
        optiontype_outside_record=[True, False],
        parameters=[{"p": 1}],
    )
    return (lambda ak, a, o: ak.zip(a, **o)), (arrays, o)


@call
def zip_no_broadcast(g):
    return (lambda ak, a: ak.zip_no_broadcast(a)), (several(g),)


@call
def concatenate(g):
    o = some(g, axis=[0, 0, 1, 1, -1, 2], mergebool=[True, False])
    return (lambda ak, a, o: ak.concatenate(a, **o)), (several(g, 4), o)


@call
def where(g):
    x = g.array()
    y = g.pick([alike(g, x), 1, 2.5, "x", True])
    condition = g.condition(x)
    o = some(g, mergebool=[True, False])
    return (lambda ak, c, x, y, o: ak.where(c, x, y, **o)), (condition, x, y, o)


@call
def where_one(g):
    g.kinds = ("number",)
    return (lambda ak, x: ak.where(x)), (g.array(),)


@call
def mask(g):
    x = g.array()
    o = some(g, valid_when=[True, False])
    return (lambda ak, x, m, o: ak.mask(x, m, **o)), (x, g.condition(x), o)


@call
def broadcast_arrays(g):
    o = some(
        g,
        depth_limit=[None, 1, 2],
        left_broadcast=[True, False],
        right_broadcast=[True, False],
        broadcast_parameters_rule=["one_to_one", "intersect", "all_or_nothing", "none"],
    )
    return (lambda ak, a, o: ak.broadcast_arrays(*a, **o)), (several(g), o)


@call
def broadcast_fields(g):
    g.kinds = ("record", "number")
    return (lambda ak, a: ak.broadcast_fields(*a)), (several(g),)


@call
def cartesian(g):
    parts = several(g)
    arrays = g.pick([parts, {f"f{i}": p for i, p in enumerate(parts)}])
    o = some(g, axis=[0, 1, 1, -1, 2], nested=[None, True, False], with_name=["P"])
    return (lambda ak, a, o: ak.cartesian(a, **o)), (arrays, o)


@call
def argcartesian(g):
    o = some(g, axis=[0, 1, 1, -1, 2], nested=[None, True, False])
    return (lambda ak, a, o: ak.argcartesian(a, **o)), (several(g), o)


@call
def unflatten(g):
    x = g.array()
    counts = g.pick([1, 2, g.rng.integers(0, 3, g.pick([1, 2, 3])), [1, 0, None, 2]])
    if isinstance(counts, list) or g.chance(0.5):
        left, counts = len(x), []
        while left > 0:
            counts.append(int(g.rng.integers(0, min(left, 3), endpoint=True)))
            left -= counts[-1]
    o = some(g, axis=[0, 0, 1, -1])
    return (lambda ak, x, c, o: ak.unflatten(x, c, **o)), (x, counts, o)


@call
def with_field(g):
    g.kinds = ("record", "record", "number", "union")
    x = g.array()
    what = g.pick([alike(g, x), 1, "x"])
    where = g.pick(["x", "new", None, ["x", "y"], ["x", "new"], "0"])
    return (lambda ak, x, what, where: ak.with_field(x, what, where)), (x, what, where)


@call
def without_field(g):
    g.kinds = ("record", "record", "union")
    where = g.pick(["x", "y", ["x", "y"], "0"])
    return (lambda ak, x, where: ak.without_field(x, where)), (g.array(), where)


@call
def set_item(g):
    g.kinds = ("record", "record", "number")
    x = g.array()

    def run(ak, x, where, what):
        x = ak.Array(x)
        x[where] = what
        return x

    where = g.pick(["x", "new", ("x", "y"), ("x", "new"), 0])
    return run, (x, where, g.pick([alike(g, x), 1, "x"]))


@call
def del_item(g):
    g.kinds = ("record", "record", "number")

    def run(ak, x, where):
        x = ak.Array(x)
        del x[where]
        return x

    return run, (g.array(), g.pick(["x", "y", ("x", "y"), ("x", "x"), 0]))


def pairs(name, **options):
    def make(g):
        x = g.array()
        o = some(g, **options)
        return (lambda ak, x, y, o: getattr(ak, name)(x, y, **o)), (x, alike(g, x), o)

    CALLS[name] = make


pairs("isclose", equal_nan=[True, False], rtol=[0.1])
for _name in ["array_equal", "almost_equal"]:
    pairs(
        _name,
        dtype_exact=[True, False],
        check_parameters=[True, False],
        check_regular=[True, False],
    )

TYPES = ["float64", "?int64", "var * float32", "var * ?float64", "2 * float64", "?var * int64"]
TYPES += ["option[var * ?int8]", "union[int64, string]", "{x: int64}", "{x: float32, y: ?float64}"]
TYPES += ["string", "var * string", "?string", "(int64, float64)", "var * var * float64"]
TYPES += ["{x: ?int64, y: var * int64, z: ?int64}", "var * {x: int64}", "complex128", "bool"]
TYPES += ["var * 2 * int64", "union[float64, var * float64]", "categorical[type=string]", "unknown"]


@call
def enforce_type(g):
    return (lambda ak, x, to: ak.enforce_type(x, to)), (g.array(), g.pick(TYPES))


@call
def equal(g):
    x = g.array()
    y = g.pick([alike(g, x), alike(g, x), "two", b"b", 1])
    op = g.pick(["__eq__", "__ne__", "__lt__", "__add__", "__and__", "__mul__"])
    return (lambda ak, x, y, op: getattr(x, op)(y)), (x, y, op)


@call
def reduce(g):
    name = g.pick(["sum", "any", "all", "count", "min", "max", "argmin", "prod", "count_nonzero"])
    o = some(g, axis=[None, -1, 0, 1], keepdims=[False, True], mask_identity=[False, True])
    return (lambda ak, x, name, o: getattr(ak, name)(x, **o)), (g.array(), name, o)
