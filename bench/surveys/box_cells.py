"""What the survey calls of matrices and boxes: NumPy's slices, broadcasts, reductions and updates
along every axis."""

import numpy as np

import serrate as ak


def boxes(n):
    """Arrays of n items of two and three dimensions, square and long ones."""
    rng = np.random.default_rng(5)
    side, edge = max(2, int(n**0.5)), max(2, round(n ** (1 / 3)))
    square = rng.normal(size=(side, side))
    cube = rng.normal(size=(edge, edge, edge))
    few = max(1, n // 10)
    return {
        "matrix float64": square,
        "matrix float32": square.astype("f4"),
        "matrix int64": (100 * square).astype("i8"),
        "matrix bool": square > 0,
        "matrix complex": square + 1j,
        "tall float64": rng.normal(size=(few, 10)),
        "tall float32": rng.normal(size=(max(1, n // 3), 3)).astype("f4"),
        "wide float64": rng.normal(size=(10, few)),
        "box float64": cube,
        "box float32": cube.astype("f4"),
        "long box float64": rng.normal(size=(max(1, n // 12), 4, 3)),
    }


class Given:
    """Positions and masks for slices of boxes like x, made once, in the arrays of one library."""

    def __init__(self, x, array):
        rng = np.random.default_rng(6)
        self.rows, self.columns = (rng.integers(0, size, size) for size in x.shape[:2])
        self.beside = rng.integers(0, x.shape[1], len(x))
        self.row_mask, self.column_mask = (rng.random(size) < 0.5 for size in x.shape[:2])
        self.mask = rng.random(x.shape) < 0.5
        for name, value in vars(self).items():
            setattr(self, name, array(value))


def updated(x, where, value):
    y = x.copy() if isinstance(x, np.ndarray) else ak.copy(x)
    y[where] = value
    return y


def put(name, *args, **options):
    return lambda m, g: getattr(np, name)(m, *args, **options)


SLICES = [
    ("m[rows]", lambda m, g: m[g.rows]),
    ("m[mask]", lambda m, g: m[g.row_mask]),
    ("m[:, columns]", lambda m, g: m[:, g.columns]),
    ("m[:, mask]", lambda m, g: m[:, g.column_mask]),
    ("m[rows, columns]", lambda m, g: m[g.rows, g.beside]),
    ("m[mask of all]", lambda m, g: m[g.mask]),
    ("m[1:-1]", lambda m, g: m[1:-1] * 1),
    ("m[:, 1:]", lambda m, g: m[:, 1:] * 1),
    ("m[:, ::2]", lambda m, g: m[:, ::2] * 1),
    ("m[::2]", lambda m, g: m[::2] * 1),
    ("m[::-1]", lambda m, g: m[::-1] * 1),
    ("m[:, ::-1]", lambda m, g: m[:, ::-1] * 1),
    ("m[0]", lambda m, g: m[0] * 1),
    ("m[:, 0]", lambda m, g: m[:, 0] * 1),
    ("m[..., -1]", lambda m, g: m[..., -1] * 1),
    ("m[..., 0] m[..., 1]", lambda m, g: m[..., 1] * m[..., 0]),
    ("m[1:] m[:-1]", lambda m, g: m[1:] * m[:-1]),
    ("m[:, 1:] m[:, :-1]", lambda m, g: m[:, 1:] * m[:, :-1]),
    ("m[0] = 0", lambda m, g: updated(m, 0, 0)),
    ("m[:, 0] = 0", lambda m, g: updated(m, (slice(None), 0), 0)),
    ("m[mask of all] = 0", lambda m, g: updated(m, g.mask, 0)),
    ("m[rows] = 0", lambda m, g: updated(m, g.rows, 0)),
]


def vector(m, axis):
    """What has the items of one row (axis 1), or one item of each row (axis 0)."""
    return m[(0,) * (m.ndim - 1)] if axis else m[(slice(None),) + (0,) * (m.ndim - 1)]


def column(v, ndim):
    return v[(slice(None),) + (None,) * (ndim - 1)]


BROADCASTS = [
    ("m @ m", lambda m, g: m @ m),
    ("m + m", lambda m, g: m + m),
    ("m * 2 + 1", lambda m, g: m * 2 + 1),
    ("m + m[0]", lambda m, g: m + m[0]),
    ("m + row", lambda m, g: m + vector(m, 1)),
    ("m + column", lambda m, g: m + column(vector(m, 0), m.ndim)),
    ("row[:, None] * row", lambda m, g: vector(m, 1)[:, None] * vector(m, 1)),
    ("m - mean", lambda m, g: m - np.mean(m)),
    ("m - mean(0)", lambda m, g: m - np.mean(m, axis=0)),
    ("m - mean(-1)", lambda m, g: m - np.mean(m, axis=-1, keepdims=True)),
    ("m / sum(-1)", lambda m, g: m / np.sum(m, axis=-1, keepdims=True)),
    ("(m - mean) / std (0)", lambda m, g: (m - np.mean(m, axis=0)) / np.std(m, axis=0)),
    ("norm(-1)", lambda m, g: np.sqrt(np.sum(m * m, axis=-1))),
    ("maximum(m, row)", lambda m, g: np.maximum(m, vector(m, 1))),
    ("where(m > row)", lambda m, g: np.where(m != vector(m, 1), m, 0)),
    ("m > row", lambda m, g: m != vector(m, 1)),
    ("sqrt(abs)", lambda m, g: np.sqrt(np.abs(m))),
    ("exp", lambda m, g: np.exp(m)),
    ("m == m all(-1)", lambda m, g: np.all(m == m, axis=-1)),
    ("count_nonzero", lambda m, g: np.count_nonzero(m)),
]
REDUCED = ("sum", "mean", "max", "min", "argmax", "prod", "any", "all", "std", "var", "ptp")
ORDERED = ("sort", "argsort", "cumsum", "cumprod", "median", "diff", "nansum", "nanmax")
ALONG = [
    (f"np.{name} axis={axis}", put(name, axis=axis))
    for name in (*REDUCED, *ORDERED, "count_nonzero")
    for axis in (0, 1, -1)
] + [(f"np.{name} axis=None", put(name)) for name in REDUCED]
SHAPES = [
    ("np.ravel", put("ravel")),
    ("np.concatenate axis=0", lambda m, g: np.concatenate([m, m])),
    ("np.concatenate axis=1", lambda m, g: np.concatenate([m, m], axis=1)),
    ("np.clip", put("clip", 0, 1)),
    ("np.isnan", put("isnan")),
    ("np.unique", put("unique")),
    ("np.quantile axis=0", put("quantile", 0.3, axis=0)),
    ("np.quantile axis=-1", put("quantile", 0.3, axis=-1)),
    ("np.partition axis=-1", put("partition", 1)),
]
BOXES = SLICES + BROADCASTS + ALONG + SHAPES
