# Reductions of everything inside other expressions: of masks, checks, picks, sums along axis 0 and
# of each other. Fused they must give what they give step by step.
import os
import random

import numpy as np
import pytest
from conftest import plain, same_values, type_text

import serrate as ak

COUNT = int(os.environ.get("SERRATE_NESTED", "60"))
ERRORS = (TypeError, ValueError, IndexError)
BACKEND = ak.default_backend()


def kept(reduce):
    """A reduction of everything that stays an expression: an array of one item."""

    def one(x):
        return ak.fill_none(reduce(x, axis=None, keepdims=True), 3)[..., 0]

    return lambda x: few(one(x)[:, 0] if x.ndim == 3 else one(x))


def few(x):
    return ak.values_astype(x % 7, "int64")


WHOLE = [kept(f) for f in (ak.sum, ak.max, ak.min, ak.count, ak.any, ak.argmax)]


def rows(x, s):
    """Lists that are not shorter than the number says."""
    return x[ak.num(x, axis=1) >= s % 3]


def below_axis_0(x, s):
    """A reduction along the outer axis, of as many items as lists are long."""
    return x - ak.sum(ak.sum(x, axis=0) % (s + 2), axis=None, keepdims=True) % 5


# Of lists of integers and an array of one integer: lists of integers.
STEPS = [
    lambda x, s: x - s,
    lambda x, s: x[x > s],
    lambda x, s: ak.where(x > s, x, s - x),
    lambda x, s: ak.fill_none(ak.mask(x, x != s), 1),
    lambda x, s: rows(x, s),
    lambda x, s: rows(x, s) + rows(x, s + 3),
    lambda x, s: rows(x, s)[:, :2],
    lambda x, s: x + ak.fill_none(ak.firsts(x), 0) * s,
    lambda x, s: x[ak.num(x) > 1][:, 1:] + s,
    lambda x, s: rows(x, s + 1)[:, 0:1] if x.ndim == 2 else x,
    lambda x, s: ak.sort(x % (s + 3), axis=-1),
    lambda x, s: ak.concatenate([x[s[0] % 2 :], x[:1]]) if len(s) else x,
    lambda x, s: (
        x[ak.argmax(x - s, axis=-1, keepdims=True)][:, :1] + s
        if not ak.any(ak.num(x) == 0, axis=None)
        else x
    ),
    lambda x, s: ak.unflatten(ak.flatten(x)[ak.flatten(x) >= s - 3], 1),
    lambda x, s: rows(x[rows_of(x) < s + 9], s),
    below_axis_0,
]

# What becomes of it in the end; `needs(x, s)` fails for some arrays.
ENDS = [
    lambda x, s: x,
    lambda x, s: ak.sum(x, axis=None, keepdims=True) - s,
    lambda x, s: ak.sum(x - s, axis=0),
    lambda x, s: ak.sum(x[x > s], axis=-1) + s,
    lambda x, s: rows(x, 1 + 0 * s)[:, 0] * s,
    lambda x, s: ak.zip([ak.num(x), ak.sum(x, axis=-1)], depth_limit=1)[:3],
    lambda x, s: ak.histogram(x - s, 5, -10, 10),
    lambda x, s: (ak.flatten(x) - s)[ak.flatten(x) > s],
    lambda x, s: x[ak.num(x) > s - 4][:, 1],  # fails for short lists
    lambda x, s: ak.var(x - s, axis=None, keepdims=True),
    lambda x, s: ak.max(ak.argsort(x + s, axis=-1), axis=-1),
]


def rows_of(x):
    return ak.local_index(x, axis=0)


class Expression:
    def __init__(self, seed):
        r = random.Random(seed)
        self.steps = [(r.choice(WHOLE), r.choice(STEPS)) for _ in range(r.randint(1, 4))]
        self.end = (r.choice(WHOLE), r.choice(ENDS))
        self.reuse = r.random() < 0.4  # the number is of the array at hand, or of the first one

    def __call__(self, x, each=lambda x: x):
        first = x
        for whole, step in self.steps:
            x = each(step(x, each(whole(first if self.reuse else x))))
        whole, end = self.end
        return end(x, each(whole(x)))


def ragged(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(seed % 3, 6, int(rng.integers(1, 300 if seed % 5 == 0 else 30)))
    return ak.unflatten(ak.from_numpy(rng.integers(-9, 20, counts.sum())), ak.from_numpy(counts))


def outcome(call):
    try:
        result = call()
        return type_text(result), plain(result)
    except ERRORS as e:
        return None, str(e).split("\n")[0].split(" (")[0]


@pytest.mark.parametrize("number", range(COUNT))
def test_expression(number):
    expression = Expression(number)
    for data in range(number, number + 3):
        x = ragged(data)
        got = outcome(lambda x=x: expression(x))
        x = ak.to_backend(x, "cpu")
        ak.set_default_backend("cpu")  # of what is made of no array
        right = outcome(lambda x=x: expression(x, each=ak.materialize))
        ak.set_default_backend(BACKEND)
        assert got[0] == right[0], f"{number}, {data}: {got[1]}, {right[1]}"
        if got[0] is not None:
            assert same_values(got[1], right[1], 1e-12), f"{number}, {data}"


def test_what_is_folded_for_a_condition_has_no_kernel_of_its_own():
    x, y = ak.Array([[1.0, 2.0], [], [3.0]]), ak.Array([[1.5], [2.5], []])
    a, b = ak.unzip(ak.cartesian([x, y], nested=True))
    kept = ak.sum(x[~ak.any(abs(a - b) < 0.6, axis=-1)], axis=-1)
    counted = ak.prod(1 + ak.sum(abs(a - b) < 0.6, axis=-1), axis=-1)
    for z in (kept, counted):
        assert ak.explain(z, backend="cuda", kernels=True).text.count("__global__") == 1
    assert kept.to_list() == [0, 0, 3]
    assert counted.to_list() == [4, 1, 1]
