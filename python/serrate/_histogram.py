"""Histograms as objects, in boost-histogram's and hist's, and as NumPy's functions give them."""

import numpy as np

from serrate import _core
from serrate import axis as axes_module


def _to_numpy(array) -> np.ndarray:
    return _core.to_numpy(_core.to_backend(array, "cpu"))


class Histogram:
    """Counts of items in the bins of one axis or several; sums of weights and their squares.

    fill() takes arrays of any nesting, one per axis, and computes nothing: fills are computed when
    the numbers are looked at, those of one array in one pass. Plotting libraries take it (UHI).

    >>> h = Histogram(axis.Regular(2, 0, 2), axis.StrCategory(["a", "b"]))
    >>> h.fill([[0.5, 1.5], [1.6]], [["a", "b"], ["b"]]).values().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    kind = "COUNT"

    def __init__(self, *axes, weighted: bool = False):
        if not axes:
            raise ValueError("Histogram: expected at least one axis")
        for a in axes:
            if not isinstance(a, axes_module._Axis):
                raise TypeError(f"Histogram: expected axes of serrate.axis, got {a!r}")
        self.axes = axes
        self.weighted = weighted
        self._sums = self._squares = None

    @property
    def ndim(self) -> int:
        return len(self.axes)

    def fill(self, *arrays, weight=None) -> "Histogram":
        """Counts the items of arrays, one for each axis; with weights of the same structure."""
        if len(arrays) != len(self.axes):
            raise ValueError(f"fill: expected {len(self.axes)} arrays, got {len(arrays)}")
        if weight is not None and not self.weighted:
            raise ValueError("fill: weights need Histogram(..., weighted=True)")
        new = _core._fill(arrays, self.axes, weight)
        self._sums = new if self._sums is None else self._sums + new
        if self.weighted:
            squares = new if weight is None else _core._fill(arrays, self.axes, weight, True)
            self._squares = squares if self._squares is None else self._squares + squares
        return self

    def array(self):
        """All bins, with underflow and overflow, as an Array of as many dimensions as axes."""
        if self._sums is None:
            return _core.Array(np.zeros([a.extent for a in self.axes], self._dtype))
        return self._sums

    @property
    def _dtype(self):
        return np.float64 if self.weighted else np.int64

    def _view(self, sums, flow: bool) -> np.ndarray:
        if sums is None:
            view = np.zeros([a.extent for a in self.axes])
        else:
            view = _to_numpy(sums).astype(np.float64)
        if flow:
            return view
        return view[tuple(slice(int(a.underflow), a.extent - a.overflow) for a in self.axes)]

    def values(self, flow: bool = False) -> np.ndarray:
        """Counts or sums of weights as float64."""
        return self._view(self._sums, flow)

    def counts(self, flow: bool = False) -> np.ndarray:
        """How many unweighted entries would have the same error."""
        values = self.values(flow)
        if not self.weighted:
            return values
        variances = self.variances(flow)
        return np.divide(values**2, variances, out=np.zeros_like(values), where=variances != 0)

    def variances(self, flow: bool = False) -> np.ndarray:
        """Sums of squared weights."""
        return self._view(self._squares if self.weighted else self._sums, flow)

    def __add__(self, other: "Histogram") -> "Histogram":
        if not isinstance(other, Histogram):
            return NotImplemented
        if self.axes != other.axes or self.weighted != other.weighted:
            raise ValueError("histograms of different axes can't be added")
        out = Histogram(*self.axes, weighted=self.weighted)
        for name in ("_sums", "_squares"):
            parts = [p for p in (getattr(self, name), getattr(other, name)) if p is not None]
            setattr(
                out, name, parts[0] + parts[1] if len(parts) == 2 else (parts and parts[0]) or None
            )
        return out

    def __repr__(self) -> str:
        return f"Histogram({', '.join(map(repr, self.axes))}, weighted={self.weighted})"

    def to_boost(self):
        """As a boost_histogram.Histogram of Int64 or Weight storage."""
        import boost_histogram as bh

        storage = bh.storage.Weight() if self.weighted else bh.storage.Int64()
        out = bh.Histogram(*map(axes_module.to_boost, self.axes), storage=storage)
        if self._sums is not None:
            _add(out, self._sums, self._squares)
        return out

    def to_hist(self):
        """As a hist.Hist."""
        import hist

        return hist.Hist(self.to_boost())


def _add(target, sums, squares) -> None:
    view = target.view(flow=True)
    if squares is None:
        view[...] += _to_numpy(sums).astype(view.dtype, copy=False)
    else:
        view["value"] += _to_numpy(sums)
        view["variance"] += _to_numpy(squares)


def fill_histogram(histogram, *arrays, weight=None):
    """Fills a histogram of boost-histogram or hist (or a Histogram) with arrays of any nesting.

    One array for each axis; the histogram is given back.

    >>> import boost_histogram as bh
    >>> h = bh.Histogram(bh.axis.Integer(0, 3))
    >>> fill_histogram(h, [[1, 2], [2]]).values().tolist()
    [0.0, 1.0, 2.0]
    """
    if isinstance(histogram, Histogram):
        return histogram.fill(*arrays, weight=weight)
    if len(arrays) != len(histogram.axes):
        raise ValueError(f"fill: expected {len(histogram.axes)} arrays, got {len(arrays)}")
    axes = [axes_module.from_boost(a) for a in histogram.axes]
    storage = histogram.storage_type.__name__
    if storage in ("Int64", "AtomicInt64") and weight is not None:
        raise TypeError(f"fill: a histogram of {storage} storage takes no weights")
    if None in axes or storage not in ("Int64", "AtomicInt64", "Double", "Weight"):
        _fill_flat(histogram, arrays, weight)
        return histogram
    sums, squares = _core._fill(arrays, axes, weight), None
    if storage == "Weight":
        squares = sums if weight is None else _core._fill(arrays, axes, weight, True)
        _core.compute(sums, squares)
    _add(histogram, sums, squares)
    return histogram


def boost_histogram(array, bins, lo, hi, *, weight=None):
    """All items of an array as a boost_histogram.Histogram, underflow and overflow included.

    It has one regular axis, counts as Int64 storage or sums of weights as Weight, and follows UHI,
    so that `hist` and plotting libraries take it.

    >>> boost_histogram([[0.5, 1.5], [1.6], [9]], 2, 0, 2).values(flow=True).tolist()
    [0, 1, 2, 1]
    """
    h = Histogram(axes_module.Regular(bins, lo, hi), weighted=weight is not None)
    return h.fill(array, weight=weight).to_boost()


def _fill_flat(histogram, arrays, weight) -> None:
    """Axes that grow, other storages: boost-histogram fills, serrate flattens."""
    operands = [*arrays] if weight is None else [*arrays, weight]
    if len(operands) > 1:
        operands = _core.broadcast_arrays(*operands)
    flat = [_core.flatten(_core.to_backend(a, "cpu"), axis=None) for a in operands]
    flat = [a.tolist() if "string" in str(a.type) else _core.to_numpy(a) for a in flat]
    histogram.fill(*flat[: len(arrays)], **({} if weight is None else {"weight": flat[-1]}))


# ---- NumPy's functions ---------------------------------------------------------------------------


def _axis_of(array, bins, range):
    """The axis that numpy.histogram makes of its arguments."""
    if isinstance(bins, str):
        raise TypeError(f"histogram: bins must be a number or edges, got {bins!r}")
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if edges.dtype.kind not in "iuf" or (edges[1:] < edges[:-1]).any():
            raise ValueError("histogram: bins must ascend")
        return axes_module.Variable(edges, underflow=False, overflow=False), edges
    if range is None:
        lo, hi = _core.min(array, axis=None), _core.max(array, axis=None)
        lo, hi = (0.0, 1.0) if lo is None else (lo, hi)
    else:
        lo, hi = range
        if lo > hi:
            raise ValueError("histogram: max must be larger than min in range")
    if not (np.isfinite(lo) and np.isfinite(hi)):
        raise ValueError(f"histogram: range of [{lo}, {hi}] is not finite")
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    edges = np.linspace(lo, hi, int(bins) + 1)
    flow = {"underflow": False, "overflow": False}
    exact = tuple(edges.tolist())
    return axes_module.Regular(int(bins), float(lo), float(hi), exact=exact, **flow), edges


def numpy_histogram(a, bins=10, range=None, density=None, weights=None):
    """numpy.histogram of all items: (counts, edges)."""
    counts, edges = numpy_histogramdd([a], [bins], [range], density, weights)
    return counts, edges[0]


def numpy_histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """numpy.histogram2d of all items: (sums, edges of x, edges of y)."""
    one = np.isscalar(bins) or len(bins) != 2
    sums, edges = numpy_histogramdd([x, y], [bins, bins] if one else bins, range, density, weights)
    return _core.values_astype(sums, np.float64), *edges


def numpy_histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """numpy.histogramdd of all items: (sums, edges); `sample` is a sequence of arrays."""
    bins = [bins] * len(sample) if np.isscalar(bins) else bins
    ranges = [None] * len(sample) if range is None else range
    if len(bins) != len(sample):
        raise ValueError(f"histogramdd: expected bins for {len(sample)} arrays, got {len(bins)}")
    made = [_axis_of(*one) for one in zip(sample, bins, ranges, strict=True)]
    sums = _core._fill(sample, [a for a, _ in made], weights)
    edges = [e for _, e in made]
    backend = _core.backend(sums)
    if density:
        total = _core.sum(sums, axis=None)
        sums = _to_numpy(sums)
        for i, e in enumerate(edges):
            shape = np.ones(len(edges), int)
            shape[i] = len(e) - 1
            sums = sums / np.diff(e).reshape(shape)
        sums = _core.to_backend(_core.from_numpy(sums / total), backend)
    return sums, [_core.to_backend(_core.from_numpy(e), backend) for e in edges]
