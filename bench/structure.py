"""Structure: slices, concatenation, missing values, records, words, behaviours, Python objects.

`python bench/structure.py` prints what each function costs on five short lists.
"""

import statistics
import time
from itertools import pairwise

import awkward as ak
import data
import numpy as np
from harness import Case, Required, close, same_list

EVENTS = 3_000_000


def both(theirs, work, same, *required: Required) -> Case:
    """work(library, *arrays), evaluated, against the same with Awkward Array."""
    sr = data.serrate_or_none()
    ours = [sr.from_awkward(x) for x in theirs] if sr else []
    contestants = {
        "serrate": lambda: sr.compute(work(sr, *ours)),
        "awkward": lambda: work(ak, *theirs),
    }
    return Case(contestants, same, list(required))


def here(x):
    """As Awkward Array's, and on the CPU."""
    sr = data.serrate_or_none()
    if not sr or not isinstance(x, sr.Array):
        return x
    x = sr.to_backend(x, "cpu")
    return sr.to_awkward(x) if x.ndim else float(x)


def same_arrays(got, want) -> None:
    """Equal lists, by the buffers that Awkward Array sees."""
    got = here(got)
    if not ak.array_equal(got, want, dtype_exact=False, check_regular=False, equal_nan=True):
        from harness import Different

        raise Different(f"{got}, expected {want}")


def particles(lists: int):
    p = data.particles(lists, 2.5)
    return data.awkward_lists(p["offsets"], pt=p["pt"], eta=p["eta"])


def slices() -> Case:
    def work(library, x):
        return library.sum(x[:, :2][x.pt[:, :2] > 10].eta[..., 0], axis=None)

    # Two items at least, so that Awkward Array's [..., 0] is defined.
    random = np.random.default_rng(4)
    offsets = data.offsets_of(random.integers(1, 5, 10_000_000))
    pt = (11 + random.exponential(30, offsets[-1])).astype(np.float32)
    eta = random.uniform(-2.4, 2.4, offsets[-1]).astype(np.float32)
    return both(
        [data.awkward_lists(offsets, pt=pt, eta=eta)],
        work,
        lambda got, want: close(rtol=1e-2)(np.atleast_1d(here(got)), np.atleast_1d(want)),
        Required("awkward", at_least=10),
    )


def concatenated() -> Case:
    x = particles(EVENTS).pt
    return both(
        [x, x * 2],
        lambda library, x, y: library.concatenate([x, y], axis=1),
        same_arrays,
        Required("awkward", at_least=4),
    )


def pairs() -> Case:
    x = particles(EVENTS).pt
    return both(
        [x],
        lambda library, x: library.cartesian({"a": x, "b": x}, nested=True),
        same_arrays,
        Required("awkward", at_least=4),
    )


def padded() -> Case:
    return both(
        [particles(EVENTS).pt],
        lambda library, x: library.fill_none(library.pad_none(x, 3, axis=1), 0),
        same_arrays,
        Required("awkward", at_least=4),
    )


def chosen() -> Case:
    p = particles(EVENTS)
    return both(
        [p.pt, p.eta],
        lambda library, x, y: library.where(x > 20, x, y),
        same_arrays,
        Required("awkward", at_least=4),
    )


# ---- Words ---------------------------------------------------------------------------------------


def words(n: int = 11_000_000):
    """Words of 3 to 9 letters, and the same with one in two replaced by another."""
    random = np.random.default_rng(8)
    known = ["".join(random.choice(list("abcdefghij"), k)) for k in random.integers(3, 10, 5000)]
    a = random.integers(0, 5000, n)
    b = np.where(random.random(n) < 0.5, a, random.integers(0, 5000, n))
    array = ak.to_packed(ak.Array(known))
    return ak.to_packed(array[a]), ak.to_packed(array[b])


def words_equal() -> Case:
    def work(library, x, y):
        return library.sum(x == y, axis=None)

    return both(words(), work, scalars, Required("awkward", at_least=4))


def scalars(got, want) -> None:
    same_list([int(here(got))], [int(want)])


def words_sorted() -> Case:
    x, _ = words()
    return both([x], lambda library, x: library.sort(x), same_arrays, *FOUR)


def words_joined() -> Case:
    return both(words(), lambda library, x, y: library.concatenate([x, y]), same_arrays, *FOUR)


FOUR = (Required("awkward", at_least=4),)


# ---- Python objects ------------------------------------------------------------------------------


def records() -> Case:
    sr = data.serrate_or_none()
    random = np.random.default_rng(9)
    columns = random.normal(size=(2, 100_000)).tolist()
    whole = random.integers(0, 99, (2, 100_000)).tolist()
    rows = zip(*columns, *whole, strict=True)
    objects = [{"x": x, "y": y, "i": i, "j": j} for x, y, i, j in rows]
    contestants = {
        "serrate": lambda: sr.from_iter(objects),
        "awkward": lambda: ak.from_iter(objects),
    }
    return Case(contestants, same_list, [Required("awkward", at_least=10)], collector=True)


def lists_of_floats() -> list[list[float]]:
    offsets = data.short(600_000)
    items = np.random.default_rng(6).normal(size=offsets[-1]).tolist()
    return [items[i:j] for i, j in pairwise(offsets)]


def from_lists() -> Case:
    sr, objects = data.serrate_or_none(), lists_of_floats()
    contestants = {
        "serrate": lambda: sr.from_iter(objects),
        "awkward": lambda: ak.from_iter(objects),
    }
    return Case(contestants, same_list, [Required("awkward", at_least=10)], collector=True)


def to_lists() -> Case:
    theirs = ak.Array(lists_of_floats())
    ours, sr = data.serrate_lists(theirs)
    contestants = {"serrate": lambda: sr.to_list(ours), "awkward": lambda: ak.to_list(theirs)}
    return Case(contestants, same_list, [Required("awkward", at_least=4)], collector=True)


# ---- Behaviours ----------------------------------------------------------------------------------


def vectors(library) -> dict:
    behavior: dict = {}

    @library.mixin_class(behavior, "Vector")
    class Vector:
        @property
        def mass(self):
            p2 = self.px * self.px + self.py * self.py + self.pz * self.pz
            return np.sqrt(self.e * self.e - p2)

        @library.mixin_class_method(np.add, {"Vector"})
        def add(self, other):
            fields = {f: self[f] + other[f] for f in ("px", "py", "pz", "e")}
            return library.zip(fields, with_name="Vector")

    return behavior


def by_mixins(library, x):
    a, b = library.unzip(library.combinations(x, 2))
    return library.max((a + b).mass, axis=-1)


def by_hand(library, x):
    a, b = library.unzip(library.combinations(x, 2))
    px, py, pz, e = a.px + b.px, a.py + b.py, a.pz + b.pz, a.e + b.e
    return library.max(np.sqrt(e * e - (px * px + py * py + pz * pz)), axis=-1)


def heaviest_pair() -> Case:
    p = data.particles(300_000, 1.5)
    px, py = p["pt"] * np.cos(p["phi"]), p["pt"] * np.sin(p["phi"])
    pz = p["pt"] * np.sinh(p["eta"])
    e = np.sqrt(px * px + py * py + pz * pz + 1)
    theirs = data.awkward_lists(p["offsets"], px=px, py=py, pz=pz, e=e)
    ours, sr = data.serrate_lists(theirs)

    if sr:
        ours = sr.with_name(ours, "Vector", behavior=vectors(sr))
    theirs = ak.with_name(theirs, "Vector", behavior=vectors(ak))
    return Case(
        {
            "serrate": lambda: sr.compute(by_mixins(sr, ours)),
            "awkward": lambda: by_mixins(ak, theirs),
            "serrate, by hand": lambda: sr.compute(by_hand(sr, ours)),
        },
        lambda got, want: close(rtol=1e-2, atol=1e-2)(here(got), want),
        [Required("serrate, by hand", at_most=1.2), Required("awkward", at_least=4)],
    )


# ---- Five short lists ----------------------------------------------------------------------------

LISTS = [[1.1, 2.2, 3.3], [], [4.4, 5.5], [6.6], [7.7, 8.8, 9.9]]
MISSING = [[1.1, None, 3.3], [], None, [6.6], [7.7, 8.8]]
RECORDS = [[{"x": 1, "y": 1.5}, {"x": 2, "y": 2.5}], [], [{"x": 3, "y": 3.5}], [], []]
FUNCTIONS = {
    "x[:, :1]": lambda ak, x, o, r, w, n: x[:, :1],
    "x[x > 2]": lambda ak, x, o, r, w, n: x[x > 2],
    "x[[0, 2]]": lambda ak, x, o, r, w, n: x[[0, 2]],
    "x[..., None]": lambda ak, x, o, r, w, n: x[..., np.newaxis],
    "x[argmax]": lambda ak, x, o, r, w, n: x[ak.argmax(x, axis=1, keepdims=True)],
    "mask": lambda ak, x, o, r, w, n: x.mask[x > 2],
    "r.x": lambda ak, x, o, r, w, n: r.x,
    'r[["x"]]': lambda ak, x, o, r, w, n: r[["x"]],
    "zip": lambda ak, x, o, r, w, n: ak.zip({"a": x, "b": x}),
    "zip_no_broadcast": lambda ak, x, o, r, w, n: ak.zip_no_broadcast({"a": x, "b": x}),
    "unzip": lambda ak, x, o, r, w, n: ak.unzip(r)[0],
    "with_field": lambda ak, x, o, r, w, n: ak.with_field(r, 1, "z"),
    "without_field": lambda ak, x, o, r, w, n: ak.without_field(r, "x"),
    "with_name": lambda ak, x, o, r, w, n: ak.with_name(r, "P"),
    "with_parameter": lambda ak, x, o, r, w, n: ak.with_parameter(x, "p", 1),
    "without_parameters": lambda ak, x, o, r, w, n: ak.without_parameters(w),
    "with_named_axis": lambda ak, x, o, r, w, n: ak.with_named_axis(x, ("a", "b")),
    "concatenate": lambda ak, x, o, r, w, n: ak.concatenate([x, x]),
    "concatenate, axis=1": lambda ak, x, o, r, w, n: ak.concatenate([x, x], axis=1),
    "where": lambda ak, x, o, r, w, n: ak.where(x > 2, x, 0),
    "broadcast_arrays": lambda ak, x, o, r, w, n: ak.broadcast_arrays(n, x)[0],
    "broadcast_fields": lambda ak, x, o, r, w, n: ak.broadcast_fields(r, r[["x"]])[1],
    "num": lambda ak, x, o, r, w, n: ak.num(x),
    "local_index": lambda ak, x, o, r, w, n: ak.local_index(x),
    "flatten": lambda ak, x, o, r, w, n: ak.flatten(x),
    "ravel": lambda ak, x, o, r, w, n: ak.ravel(x),
    "unflatten": lambda ak, x, o, r, w, n: ak.unflatten(n, [2, 3]),
    "to_regular": lambda ak, x, o, r, w, n: ak.to_regular(x[:, :0]),
    "from_regular": lambda ak, x, o, r, w, n: ak.from_regular(x),
    "pad_none": lambda ak, x, o, r, w, n: ak.pad_none(x, 2),
    "pad_none, clip": lambda ak, x, o, r, w, n: ak.pad_none(x, 2, clip=True),
    "fill_none": lambda ak, x, o, r, w, n: ak.fill_none(o, 0),
    "drop_none": lambda ak, x, o, r, w, n: ak.drop_none(o),
    "is_none": lambda ak, x, o, r, w, n: ak.is_none(o),
    "firsts": lambda ak, x, o, r, w, n: ak.firsts(x),
    "singletons": lambda ak, x, o, r, w, n: ak.singletons(ak.firsts(x)),
    "nan_to_none": lambda ak, x, o, r, w, n: ak.nan_to_none(x),
    "merge_option_of_records": lambda ak, x, o, r, w, n: ak.merge_option_of_records(
        ak.mask(r, r.x > 1)
    ),
    "enforce_type": lambda ak, x, o, r, w, n: ak.enforce_type(x, "var * float32"),
    "values_astype": lambda ak, x, o, r, w, n: ak.values_astype(x, "float32"),
    "full_like": lambda ak, x, o, r, w, n: ak.full_like(x, 5),
    "nan_to_num": lambda ak, x, o, r, w, n: ak.nan_to_num(x),
    "round": lambda ak, x, o, r, w, n: ak.round(x),
    "real": lambda ak, x, o, r, w, n: ak.real(x),
    "to_packed": lambda ak, x, o, r, w, n: ak.to_packed(x),
    "copy": lambda ak, x, o, r, w, n: ak.copy(x),
    "cartesian": lambda ak, x, o, r, w, n: ak.cartesian([x, x]),
    "cartesian, nested": lambda ak, x, o, r, w, n: ak.cartesian([x, x], nested=True),
    "combinations": lambda ak, x, o, r, w, n: ak.combinations(x, 2),
    "argcombinations": lambda ak, x, o, r, w, n: ak.argcombinations(x, 2),
    "words ==": lambda ak, x, o, r, w, n: w == w,
    "strings_astype": lambda ak, x, o, r, w, n: ak.strings_astype(w, "int64"),
    "array_equal": lambda ak, x, o, r, w, n: ak.array_equal(x, x),
    "type": lambda ak, x, o, r, w, n: ak.type(x),
    "from_iter": lambda ak, x, o, r, w, n: ak.from_iter(LISTS),
    "to_list": lambda ak, x, o, r, w, n: ak.to_list(x),
    "from_numpy": lambda ak, x, o, r, w, n: ak.from_numpy(NUMBERS),
    "to_numpy": lambda ak, x, o, r, w, n: ak.to_numpy(n),
}
NUMBERS = np.arange(5)


def arrays(library) -> tuple:
    values = (LISTS, MISSING, RECORDS, ["1", "22", "3", "4", "5"], [1, 2, 3, 4, 5])
    return tuple(map(library.Array, values))


def each_function(library, repeats: int = 200) -> dict[str, float]:
    """Seconds of one call, evaluated: the median of the calls."""
    ours = hasattr(library, "compute")
    given = arrays(library)
    out = {}
    for name, call in FUNCTIONS.items():

        def evaluated(call=call):
            made = call(library, *given)
            return library.compute(made) if ours and isinstance(made, library.Array) else made

        times = []
        for i in range(repeats if ours else 10):
            start = time.perf_counter()
            evaluated()
            if i > 2:
                times.append(time.perf_counter() - start)
        out[name] = statistics.median(times)
    return out


def slowest() -> Case:
    """The slowest of all functions on five short lists, and the median one."""
    sr = data.serrate_or_none()
    return Case(
        {
            "serrate": lambda: max(each_function(sr).values()),
            "serrate, median function": lambda: statistics.median(each_function(sr).values()),
            "awkward": lambda: max(each_function(ak).values()),
        },
        None,
        [Required(at_most=25e-6)],
        self_timed=True,
    )


CASES = {
    "slice_chain_10M": slices,
    "concatenate_3M": concatenated,
    "cartesian_nested_3M": pairs,
    "pad_fill_3M": padded,
    "where_3M": chosen,
    "words_equal_11M": words_equal,
    "words_sort_11M": words_sorted,
    "words_concatenate_11M": words_joined,
    "from_iter_lists_200k": from_lists,
    "to_list_lists_200k": to_lists,
    "from_iter_records_100k": records,
    "mixins_heaviest_pair_300k": heaviest_pair,
    "structure_five_lists": slowest,
}

if __name__ == "__main__":
    import serrate

    for name, seconds in sorted(each_function(serrate).items(), key=lambda x: -x[1]):
        print(f"{name:28} {seconds * 1e6:6.1f} us")
