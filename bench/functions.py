"""What every public function costs on five short lists: ./dev py bench/functions.py [NAME] [cuda].

Each call builds its expression anew and evaluates it; times are of this thread's CPU, in
microseconds, the slowest first.
"""

import sys
import time

import numpy as np

import serrate as ak

BACKEND = "cuda" if "cuda" in sys.argv else "cpu"
LISTS = [[1.1, 2.2, 3.3], [], [4.4, 5.5], [6.6], [7.7, 8.8, 9.9, 1.5]]


def arrays(backend):
    def array(values):
        return ak.to_backend(ak.Array(values), backend)

    return {
        "x": array(LISTS),
        "i": array([[int(v) for v in r] for r in LISTS]),
        "flat": array([3, 1, 2, 2, 5]),
        "missing": array([[1.1, None], None, [2.2], [], [None]]),
        "records": array([[{"a": v, "b": 1} for v in r] for r in LISTS]),
        "words": array(["one", "two", "", "two", "five"]),
        "regular": array(np.arange(10.0).reshape(5, 2)),
        "square": array(np.arange(4.0).reshape(2, 2)),
        "pair": array(np.arange(2.0)),
        "times": array(np.array(["2024-01-01", "NaT"], "datetime64[D]")),
        "complex": array([1j, 2 + 1j, 0, 1, 2]),
    }


A = arrays(BACKEND)
X, INTEGERS, FLAT, MISSING, RECORDS = (A[k] for k in ("x", "i", "flat", "missing", "records"))
WORDS, REGULAR, COMPLEX, TIMES = (A[k] for k in ("words", "regular", "complex", "times"))
SQUARE, PAIR = A["square"], A["pair"]

# What takes other arguments than one array of numbers.
CALLS = {
    "broadcast_arrays": lambda: ak.broadcast_arrays(X, FLAT),
    "broadcast_fields": lambda: ak.broadcast_fields(RECORDS, RECORDS),
    "cartesian": lambda: ak.cartesian([X, X]),
    "argcartesian": lambda: ak.argcartesian([X, X]),
    "combinations": lambda: ak.combinations(X, 2),
    "argcombinations": lambda: ak.argcombinations(X, 2),
    "concatenate": lambda: ak.concatenate([X, X]),
    "concatenate axis=1": lambda: ak.concatenate([X, X], axis=1),
    "drop_none": lambda: ak.drop_none(MISSING),
    "fill_none": lambda: ak.fill_none(MISSING, 0.0),
    "is_none": lambda: ak.is_none(MISSING),
    "pad_none": lambda: ak.pad_none(X, 2),
    "singletons": lambda: ak.singletons(ak.firsts(X)),
    "mask": lambda: ak.mask(X, X > 2),
    "enforce_type": lambda: ak.enforce_type(X, "var * ?float32"),
    "values_astype": lambda: ak.values_astype(X, "float32"),
    "clip": lambda: ak.clip(X, 2, 5),
    "quantile": lambda: ak.quantile(X, 0.25, axis=-1),
    "percentile": lambda: ak.percentile(X, 25, axis=-1),
    "nanquantile": lambda: ak.nanquantile(X, 0.25, axis=-1),
    "nanpercentile": lambda: ak.nanpercentile(X, 25, axis=-1),
    "full_like": lambda: ak.full_like(X, 7),
    "from_regular": lambda: ak.from_regular(REGULAR),
    "to_regular": lambda: ak.to_regular(REGULAR[:, :1]),
    "histogram": lambda: ak.histogram(X, 10, 0, 10),
    "isnat": lambda: ak.isnat(TIMES),
    "isclose": lambda: ak.isclose(X, X),
    "almost_equal": lambda: ak.almost_equal(X, X),
    "array_equal": lambda: ak.array_equal(X, X),
    "angle": lambda: ak.angle(COMPLEX),
    "imag": lambda: ak.imag(COMPLEX),
    "real": lambda: ak.real(COMPLEX),
    "conjugate": lambda: ak.conjugate(COMPLEX),
    "categories": lambda: ak.categories(WORDS),
    "strings_astype": lambda: ak.strings_astype(ak.Array(["1", "2"]), float),
    "unflatten": lambda: ak.unflatten(FLAT, 1),
    "unflatten lengths": lambda: ak.unflatten(FLAT, [2, 0, 3]),
    "unzip": lambda: ak.unzip(RECORDS),
    "zip": lambda: ak.zip({"a": X, "b": X}),
    "zip_no_broadcast": lambda: ak.zip_no_broadcast([X, X]),
    "with_field": lambda: ak.with_field(RECORDS, X, "c"),
    "with_name": lambda: ak.with_name(RECORDS, "point"),
    "without_field": lambda: ak.without_field(RECORDS, "a"),
    "with_parameter": lambda: ak.with_parameter(X, "key", 1),
    "with_named_axis": lambda: ak.with_named_axis(X, ("event", "hit")),
    "Histogram": lambda: ak.Histogram(ak.axis.Regular(10, 0, 10)).fill(X),
    "fill_histogram": lambda: ak.fill_histogram(ak.Histogram(ak.axis.Regular(10, 0, 10)), X),
    "topk": lambda: ak.topk(X, 2),
    "argtopk": lambda: ak.argtopk(X, 2),
    "matmul": lambda: ak.matmul(SQUARE, SQUARE),
    "matvec": lambda: ak.matvec(SQUARE, PAIR),
    "vecmat": lambda: ak.vecmat(PAIR, SQUARE),
    "vecdot": lambda: ak.vecdot(PAIR, PAIR),
    "moment": lambda: ak.moment(X, 2, axis=-1),
    "where": lambda: ak.where(X > 2, X, 0.0),
    "x[mask]": lambda: X[X > 2],
    "x[:, :1]": lambda: X[:, :1],
    "x[1:]": lambda: X[1:],
    "x[flat > 1]": lambda: X[FLAT > 1],
    "x[[0, 2]]": lambda: X[[0, 2]],
    "records.a": lambda: RECORDS.a,
    "x + 1": lambda: X + 1,
    "to_list": lambda: ak.to_list(X),
    "to_numpy": lambda: ak.to_numpy(ak.to_backend(REGULAR, "cpu")),
    "from_iter": lambda: ak.from_iter(LISTS),
    "from_numpy": lambda: ak.from_numpy(np.arange(5)),
    "fields": lambda: ak.fields(RECORDS),
    "type": lambda: ak.type(X),
    "str": lambda: str(X),
    "rank": lambda: ak.rank(INTEGERS),
    "unique": lambda: ak.unique(INTEGERS),
    "run_lengths": lambda: ak.run_lengths(INTEGERS),
    "sort strings": lambda: ak.sort(WORDS),
    "words == words": lambda: WORDS == WORDS,
}
# Not functions of arrays, or about other libraries, files and classes.
OTHERS = [
    "Array",
    "ArrayBuilder",
    "Explanation",
    "Record",
    "Type",
    "absolute",
    "backend",
    "behavior",
    "boost_histogram",
    "compute",
    "copy",
    "cuda",
    "default_backend",
    "doctor",
    "errors",
    "explain",
    "forms",
    "from_awkward",
    "from_buffers",
    "from_categorical",
    "from_cupy",
    "from_datashape",
    "from_dlpack",
    "merge_option_of_records",
    "merge_union_of_records",
    "mixin_class",
    "mixin_class_method",
    "operations",
    "parameters",
    "set_default_backend",
    "to_awkward",
    "to_buffers",
    "to_cupy",
    "to_dataframe",
    "to_backend",
    "types",
    "transform",
    "validity_error",
    "with_named_axis",
    "zip_no_broadcast",
]
# Of whole numbers, or of lists of them.
WHOLE = [
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_right_shift",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "gcd",
    "invert",
    "lcm",
    "ldexp",
    "left_shift",
    "right_shift",
]


def calls():
    """Every public function, by its own arguments or by the usual ones."""
    for name in sorted({*ak.__all__, *CALLS}):
        if name in CALLS:
            yield name, CALLS[name]
            continue
        f = getattr(ak, name)
        if name in OTHERS or name.startswith("__") or not callable(f):
            continue
        x = INTEGERS if name in WHOLE else X
        for arguments in ((x,), (x, x)):
            try:
                ak.compute(f(*arguments))
            except TypeError:
                continue
            yield name, lambda f=f, arguments=arguments: f(*arguments)
            break
        else:
            raise TypeError(f"{name}: say in CALLS what it is called with")


def look(value):
    if isinstance(value, ak.Array):
        ak.compute(value)
    elif isinstance(value, tuple) and value and isinstance(value[0], ak.Array):
        ak.compute(*value)


def microseconds(call):
    for _ in range(20):
        look(call())
    times = []
    for _ in range(15):
        start = time.thread_time()
        for _ in range(20):
            look(call())
        times.append((time.thread_time() - start) / 20 * 1e6)
    return min(times)


def main():
    only = [a for a in sys.argv[1:] if a != "cuda"]
    rows = []
    for name, call in calls():
        if not only or only[0] in name:
            rows.append((microseconds(call), name))
    for us, name in sorted(rows, reverse=True):
        print(f"{us:8.1f}  {name}")
    if rows:
        within = sum(us <= 10 for us, _ in rows)
        print(f"{within} of {len(rows)} within 10 us, {sum(us > 25 for us, _ in rows)} above 25 us")


if __name__ == "__main__":
    main()
