"""Structure on a GPU: slices, concatenation, missing values, words, behaviours, small arrays."""

import functools
import statistics
import time

import awkward
import numpy as np
import structure
from gpu_timing import RATE, looked, synchronised

import serrate as ak

LISTS = 3_000_000


def there(array):
    return ak.to_backend(ak.from_awkward(array), "cuda")


def slice_chain():
    """The first items of the first two of each list that are above 10, added up."""
    lists = 10_000_000
    random = np.random.default_rng(4)
    offsets = structure.data.offsets_of(random.integers(1, 5, lists))
    pt = (11 + random.exponential(30, offsets[-1])).astype(np.float32)
    eta = random.uniform(-2.4, 2.4, offsets[-1]).astype(np.float32)
    x = there(structure.data.awkward_lists(offsets, pt=pt, eta=eta))

    def work():
        return ak.sum(x[:, :2][x.pt[:, :2] > 10].eta[..., 0], axis=None)

    np.testing.assert_allclose(float(work()), eta[offsets[:-1]].sum(dtype=float), rtol=1e-3)
    touched = 8 * lists + 4 * np.minimum(np.diff(offsets), 2).sum() + 4 * lists
    return {"ours": looked(work), "floor": touched / RATE, "percent": 60}


def beside_awkward(make, work):
    """The same call of both libraries; arrays on the GPU."""
    theirs = make()
    ours = [there(x) for x in theirs]
    case = {"ours": looked(lambda: work(ak, *ours))}
    rivals = [awkward.to_backend(x, "cuda") for x in theirs]
    try:
        work(awkward, *rivals)
    except Exception as e:
        print(f"  Awkward Array: {type(e).__name__}: {str(e).strip()[:200]}")
        return case
    return case | {
        "Awkward": lambda: work(awkward, *rivals),
        "slower": "Awkward",
        "times_slower": 50,
    }


def pt(lists=LISTS):
    return structure.particles(lists).pt


def two(x):
    return [x, x * 2]


BESIDE = {
    "concatenate": (lambda: two(pt()), lambda m, x, y: m.concatenate([x, y], axis=1)),
    "cartesian_nested": (
        lambda: [pt()],
        lambda m, x: m.cartesian({"a": x, "b": x}, nested=True),
    ),
    "pad_fill": (lambda: [pt()], lambda m, x: m.fill_none(m.pad_none(x, 3, axis=1), 0)),
    "where": (lambda: two(pt()), lambda m, x, y: m.where(x > 20, x, y)),
}


def seconds(call):
    """Of the median call on the CPU."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def words(work):
    here = [ak.from_awkward(x) for x in structure.words()]
    gpu = [ak.to_backend(x, "cuda") for x in here]
    got = ak.to_backend(work(*gpu), "cpu")
    want = work(*here)
    assert ak.array_equal(got, want) if want.ndim else got == want
    return {
        "ours": looked(lambda: work(*gpu)),
        "timed": {"our CPU": 1e6 * seconds(looked(lambda: work(*here)))},
        "slower": "our CPU",
        "times_slower": 20,
    }


def mixins():
    p = structure.data.particles(300_000, 1.5)
    px, py = p["pt"] * np.cos(p["phi"]), p["pt"] * np.sin(p["phi"])
    pz = p["pt"] * np.sinh(p["eta"])
    e = np.sqrt(px * px + py * py + pz * pz + 1)
    x = there(structure.data.awkward_lists(p["offsets"], px=px, py=py, pz=pz, e=e))
    vectors = ak.with_name(x, "Vector", behavior=structure.vectors(ak))
    return {
        "ours": looked(lambda: structure.by_mixins(ak, vectors)),
        "by hand": looked(lambda: structure.by_hand(ak, x)),
        "than": "by hand",
        "within": 1.2,
    }


def five_lists():
    """Each function on five short lists: the slowest, the median, what takes above 40 us."""
    given = [ak.to_backend(x, "cuda") for x in structure.arrays(ak)]
    times = {}
    for name, call in structure.FUNCTIONS.items():
        if name in ("from_iter", "from_numpy", "to_numpy"):
            continue

        def evaluated(call=call):
            made = call(ak, *given)
            if isinstance(made, ak.Array):
                ak.compute(made)

        times[name] = 1e6 * synchronised(evaluated)
    slow = sorted(((t, n) for n, t in times.items() if t > 40), reverse=True)
    print("  above 40 us: " + ", ".join(f"{n} {t:.0f}" for t, n in slow))
    return {
        "timed": {"ours": max(times.values()), "median": statistics.median(times.values())},
        "aim_us": 40,
    }


CASES = {"slice_chain_10M": slice_chain}
for _name, (_make, _work) in BESIDE.items():
    CASES[f"{_name}_3M"] = functools.partial(beside_awkward, _make, _work)
CASES |= {
    "words_equal_11M": functools.partial(words, lambda x, y: ak.sum(x == y, axis=None)),
    "words_sort_11M": functools.partial(words, lambda x, y: ak.sort(x)),
    "words_concatenate_11M": functools.partial(words, lambda x, y: ak.concatenate([x, y])),
    "mixins_heaviest_pair_300k": mixins,
    "structure_five_lists": five_lists,
}
