# Functions of what another function gives, lazily and step by step: for ./dev survey --kinds pair.
import numpy as np

import serrate as ak

RNG = np.random.default_rng(0)


def arrays(rows):
    """Lists of three numbers on average, two such side by side, with missing ones, and lists of
    such lists."""
    counts = RNG.poisson(3, rows)
    x, y = (ak.unflatten(RNG.normal(size=counts.sum()), counts) for _ in "xy")
    inner = RNG.poisson(1.5, counts.sum())
    z = ak.unflatten(ak.unflatten(RNG.normal(size=inner.sum()), inner), counts)
    made = {"x": x, "y": y, "m": ak.mask(x, x > -1), "z": z}
    return {name: ak.materialize(a) for name, a in made.items()}


def pairs_of(lists, f):
    return f(*ak.unzip(ak.combinations(lists, 2)))


FIRST = {
    "x * 2 + 1": lambda a: a["x"] * 2 + 1,
    "exp(x)": lambda a: np.exp(a["x"]),
    "x[x > 0]": lambda a: a["x"][a["x"] > 0],
    "x[num > 2]": lambda a: a["x"][ak.num(a["x"]) > 2],
    "x[:, 1:]": lambda a: a["x"][:, 1:],
    "x[:, ::-1]": lambda a: a["x"][:, ::-1],
    "mask(x, x > 0)": lambda a: ak.mask(a["x"], a["x"] > 0),
    "mask(x, num > 2)": lambda a: ak.mask(a["x"], ak.num(a["x"]) > 2),
    "drop_none(m)": lambda a: ak.drop_none(a["m"]),
    "pad_none(x)": lambda a: ak.pad_none(a["x"], 3),
    "filled up": lambda a: ak.fill_none(ak.pad_none(a["x"], 3, clip=True), 0),
    "where": lambda a: ak.where(a["x"] > 0, a["x"], -a["x"]),
    "sort(x)": lambda a: ak.sort(a["x"]),
    "x[argsort(x)]": lambda a: a["x"][ak.argsort(a["x"])],
    "cumsum(x)": lambda a: ak.cumsum(a["x"], axis=-1),
    "softmax(x)": lambda a: ak.softmax(a["x"], axis=-1),
    "x - mean(x)": lambda a: a["x"] - ak.mean(a["x"], axis=-1),
    "joined": lambda a: ak.concatenate([a["x"], a["x"] * 2], axis=0),
    "lists joined": lambda a: ak.concatenate([a["x"], a["x"] * 2], axis=1),
    "pairs": lambda a: pairs_of(a["x"], np.multiply),
    "products": lambda a: np.multiply(*ak.unzip(ak.cartesian([a["x"], a["y"]]))),
    "z[num > 0]": lambda a: a["z"][ak.num(a["z"]) > 0],
    "z[num(axis=2) > 0]": lambda a: a["z"][ak.num(a["z"], axis=2) > 0],
    "z[z > 0]": lambda a: a["z"][a["z"] > 0],
    "flatten(z)": lambda a: ak.flatten(a["z"], axis=1),
}
SECOND = {
    "sort": lambda d: ak.sort(d, axis=-1),
    "sort axis=0": lambda d: ak.sort(d, axis=0),
    "sort axis=None": lambda d: ak.sort(d, axis=None),
    "argsort": lambda d: ak.argsort(d, axis=-1),
    "d[argsort]": lambda d: d[ak.argsort(d, axis=-1)],
    "d[argmax]": lambda d: d[ak.argmax(d, axis=-1, keepdims=True)],
    "cumsum": lambda d: ak.cumsum(d, axis=-1),
    "cumsum axis=None": lambda d: ak.cumsum(d, axis=None),
    "rank": lambda d: ak.rank(d, axis=-1),
    "rank axis=None": lambda d: ak.rank(d, axis=None),
    "unique": lambda d: ak.unique(d, axis=-1),
    "run_lengths": lambda d: ak.run_lengths(d),
    "median": lambda d: ak.median(d, axis=-1),
    "topk": lambda d: ak.topk(d, 2, axis=-1),
    "sum": lambda d: ak.sum(d, axis=-1),
    "sum axis=0": lambda d: ak.sum(d, axis=0),
    "max axis=1": lambda d: ak.max(d, axis=1),
    "std": lambda d: ak.std(d, axis=-1),
    "softmax": lambda d: ak.softmax(d, axis=-1),
    "d - mean": lambda d: d - ak.mean(d, axis=-1),
    "diff": lambda d: ak.diff(d, axis=-1),
    "d[d > 0.5]": lambda d: d[d > 0.5],
    "d[sum > 1]": lambda d: d[ak.sum(d, axis=-1) > 1],
    "d[places]": lambda d: d[np.arange(len(d))[::-1]],
    "d[..., ::-1]": lambda d: d[..., ::-1],
    "d * d + d": lambda d: d * d + d,
    "where": lambda d: ak.where(d > 0, d, -d),
    "pairs": lambda d: pairs_of(d, np.subtract),
    "products": lambda d: np.subtract(*ak.unzip(ak.cartesian([d, d]))),
    "joined": lambda d: ak.concatenate([d, d], axis=0),
    "lists joined": lambda d: ak.concatenate([d, d], axis=1),
    "pad_none": lambda d: ak.pad_none(d, 3, axis=-1),
    "firsts": lambda d: ak.firsts(d, axis=-1),
    "flatten": lambda d: ak.flatten(d, axis=1),
    "ravel": lambda d: ak.ravel(d),
    "local_index": lambda d: ak.local_index(d, axis=-1),
    "isin": lambda d: ak.isin(d, np.arange(-500.0, 500.0) / 100),
    "searchsorted": lambda d: ak.searchsorted(np.arange(-500.0, 500.0) / 100, d),
}
