"""Records whose lists are derived, put in order by one of their fields: what else is read of them
is stored with the key. And slices made of the expression that they slice."""

import os

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_as_of_stored, host, some

import serrate as ak

RNG = np.random.default_rng(17)
ROWS = 200 if KERNELS_ARE_SLOW else 6000
as_it_is = pytest.mark.skipif("SERRATE_SEAMS" in os.environ, reason="other sizes")


def records(seed, rows=ROWS):
    rng = np.random.default_rng(seed)
    counts = np.minimum(rng.pareto(1.2, rows) * 1.5, 200).astype("int64")
    counts[rows // 3] = 0 if KERNELS_ARE_SLOW else 3000
    n = counts.sum()
    fields = {
        "x": rng.integers(-9, 9, n) / 4,
        "y": rng.normal(size=n).astype("float32"),
        "n": rng.integers(0, 99, n),
        "b": rng.random(n) < 0.5,
    }
    return ak.materialize(ak.unflatten(ak.zip(fields), counts))


R, S = records(1), records(2)
COUNTS = RNG.multinomial(ROWS, np.ones(ROWS // 2) / (ROWS // 2))
Z = ak.materialize(ak.unflatten(R, COUNTS))
WEIGHTS = ak.materialize(
    ak.from_numpy(RNG.integers(-9, 9, ROWS) / 4)
)  # GPUs fuse products and sums
SOME = ak.materialize(ak.mask(R, R.n % 5 != 0))
DERIVED = {
    "items": lambda: R[R.x > 0],
    "rows": lambda: R[ak.num(R.x) > 1],
    "items of rows": lambda: R[ak.num(R.x) > 1][R[ak.num(R.x) > 1].b],
    "slices": lambda: R[::-1, 1:],
    "joined": lambda: ak.concatenate([R[R.x > 0], S[S.x < 1]], axis=1),
    "rows joined": lambda: ak.concatenate([R[R.x > 0], S], axis=0),
    "rows of joined": lambda: more_than_one(ak.concatenate([R[R.b], S], axis=1)),
    "not missing": lambda: ak.drop_none(SOME),
    "masked rows": lambda: ak.mask(R, ak.num(R.x) > 1),
    "masked": lambda: ak.mask(R, R.b),
    "pairs": lambda: pairs(R[:, :4]),
    "rows of lists": lambda: Z[ak.num(Z, axis=1) > 1],
    "lists of rows": lambda: Z[ak.num(Z.x, axis=2) > 1],
    "items of lists": lambda: Z[Z.x > 0],
    "beside weights": lambda: weighted(R),
}


def more_than_one(r):
    return r[ak.num(r.x) > 1]


def pairs(r):
    a, b = ak.unzip(ak.combinations(r, 2))
    return ak.zip({"x": a.x + b.x, "y": a.y * b.y, "n": a.n - b.n, "b": a.b & b.b})


def weighted(r):
    few = ak.num(r.x) > 1
    r, w = r[few], WEIGHTS[few]
    return ak.zip({"x": r.x, "y": r.y * w, "n": r.n, "b": r.b & (w > 0)})


def ordered(r):
    return r[ak.argsort(r.x, axis=-1, ascending=False)]


FOLLOWING = {
    "ordered": ordered,
    "one field": lambda r: r.y[ak.argsort(r.x, axis=-1)],
    "first ones": lambda r: ordered(r)[..., :2].n,
    "twice": lambda r: ak.zip({"a": ordered(r).y, "b": r.y, "c": r.n[ak.argsort(r.y)]}),
    "of both": lambda r: ak.cummax(r.x, axis=-1) * r.y + r.n,
    "chosen": lambda r: ak.where(ak.cummax(r.x, axis=-1) > 0, r.y, r.n),
    "masked": lambda r: ak.mask(r.n, ak.cummax(r.x, axis=-1) > r.x),
    "filtered": lambda r: r.y[ak.sort(r.x, axis=-1) > 0],
    "reduced": lambda r: ak.max(ak.sort(r.x, axis=-1) * r.n, axis=-1),
    "ranks": lambda r: ak.rank(r.x, axis=-1) * r.y,
    "again": lambda r: ordered(ordered(r)[..., 1:]).b,
    "neighbours": lambda r: ordered(r).y[..., 1:] - ordered(r).y[..., :-1],
    "places": lambda r: r.x[np.arange(len(r))[::-1]] * 2,
    "its sums": lambda r: of_large_sums(r.x * 2 + 1),
    "its largest": lambda r: (r.x * 2)[ak.argmax(r.x * 2, axis=-1, keepdims=True)],
}


def of_large_sums(d):
    return d[ak.sum(d, axis=-1) > 2]


@pytest.mark.parametrize("following", some(FOLLOWING, 4))
@pytest.mark.parametrize("derived", some(DERIVED, 4))
def test_as_of_stored_ones(derived, following):
    assert_as_of_stored(DERIVED[derived], FOLLOWING[following])


def large_records():
    x = np.arange(60_000.0)
    r = ak.unflatten(ak.zip({"x": x % 7, "y": x, "z": -x}), 3)
    return ak.materialize(ak.from_regular(r))


@as_it_is
def test_what_is_read_beside_the_key_is_stored_with_it(new_arrays_on_the_cpu):
    few = more_than_one(large_records())
    few = few[few.y % 2 == 0]
    text = str(ak.explain(few.y[ak.argsort(few.x)] + few.z[ak.argsort(few.x)]))
    first, then = text.split("step 2")
    assert "float64#1" in first
    assert "if " in first
    assert "if " not in then


@as_it_is
def test_slices_made_of_what_is_sliced(new_arrays_on_the_cpu):
    r = large_records()
    joined = ak.concatenate([r[r.y > 5], r[r.y < 9]], axis=1)
    text = str(ak.explain(joined[ak.argsort(joined.x)].y))
    assert "if " not in text  # the filters were evaluated once, when it was sliced
    d = r.x * 2 + 1
    text = str(ak.explain(d[ak.sum(d, axis=-1) > 4]))
    assert "multiply" not in text
    assert "would be computed again" in text


ERRORS = {
    "places": lambda x: (x[:, 1] * 2)[np.arange(len(x))[::-1]],
    "sums": lambda x: (lambda d: d[ak.sum(d, axis=-1) > 3])(x * x[:, 1]),
    "scan": lambda x: ak.cummax(x[ak.num(x) > 0], axis=-1) + x[ak.num(x) > 0][:, 1],
    "picked": lambda x: x[x >= 0][:, 1] * ak.sort(x[x >= 0]),
}


@pytest.mark.parametrize("made", ERRORS.values(), ids=ERRORS)
def test_errors_come_with_the_value(made):
    counts = np.full(3 * ROWS, 3)
    counts[-2] = 1
    x = ak.materialize(ak.unflatten(np.arange(counts.sum()), counts))
    wrong = made(x)
    with pytest.raises(IndexError, match=f"the list at position {len(x) - 2}"):
        host(wrong)
