"""Inputs with fixed seeds, and the same ragged array in each library."""

import importlib.util
import os

import numpy as np


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def particles(events: int, mean: float) -> dict[str, np.ndarray]:
    """Electrons or muons of some events: offsets, and float32 pt, eta, phi, int32 charge."""
    random = np.random.default_rng(20261121)
    offsets = offsets_of(random.poisson(mean, events))
    n = offsets[-1]
    return {
        "offsets": offsets,
        "pt": (5 + random.exponential(30, n)).astype(np.float32),
        "eta": random.uniform(-2.4, 2.4, n).astype(np.float32),
        "phi": random.uniform(-np.pi, np.pi, n).astype(np.float32),
        "charge": random.choice(np.array([-1, 1], np.int32), n),
    }


def short(items: int = 9_000_000) -> np.ndarray:
    """Offsets of lists of about 3 items."""
    return offsets_of(np.random.default_rng(1).poisson(3, items // 3))


def long(items: int = 10_000_000) -> np.ndarray:
    """Offsets of lists of about 100 items."""
    return offsets_of(np.random.default_rng(2).poisson(100, items // 100))


def pareto(items: int = 10_000_000) -> np.ndarray:
    """Offsets of lists with Pareto-distributed lengths: a few hold much of it all."""
    lengths = (np.random.default_rng(3).pareto(1.1, items) + 1).astype(np.int64)
    lists = int(np.searchsorted(np.cumsum(lengths), items)) + 1
    return offsets_of(np.minimum(lengths[:lists], items // 4))


def giant(items: int = 10_000_000) -> np.ndarray:
    """Offsets of one list that holds nearly everything, then lists of one item."""
    return offsets_of(np.concatenate([[items], np.ones(items // 100, np.int64)]))


def mostly_empty(items: int = 10_000_000) -> np.ndarray:
    """Offsets of lists of which 90 % are empty and the others have about 30 items."""
    random = np.random.default_rng(10)
    lists = items // 3
    return offsets_of(np.where(random.random(lists) < 0.9, 0, random.poisson(30, lists)))


def regular(items: int = 10_000_000) -> np.ndarray:
    """Offsets of lists of 10 items."""
    return offsets_of(np.full(items // 10, 10))


def awkward_lists(offsets: np.ndarray, **fields: np.ndarray):
    """Awkward Array's lists of records; of plain items if the only field is `x`."""
    import awkward as ak

    leaves = {name: ak.contents.NumpyArray(data) for name, data in fields.items()}
    if list(leaves) == ["x"]:
        content = leaves["x"]
    else:
        content = ak.contents.RecordArray(list(leaves.values()), list(leaves))
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), content))


def polars_counts() -> bool:
    """Polars is there and uses as many threads as the others: one."""
    one = os.environ.get("POLARS_MAX_THREADS") == "1"
    return one and importlib.util.find_spec("polars") is not None


def serrate_or_none():
    """serrate; None where it cannot be imported (the rivals can be timed without it)."""
    try:
        import serrate
    except ImportError:
        return None
    return serrate


def serrate_lists(array):
    """Awkward's buffers in serrate's array, and serrate; both None where it is left out."""
    serrate = serrate_or_none()
    return (serrate.from_awkward(array), serrate) if serrate else (None, None)
