"""What one call costs when there is next to no data, evaluation included."""

import awkward as ak
import data
import numpy as np
from harness import Case, Required, close, same_list

LISTS = [[1.1, 2.2, 3.3], [], [4.4, 5.5]]


def small(value, work, with_numpy: bool = False, same=same_list) -> Case:
    """work(library, array), once with serrate and once with Awkward Array."""
    sr = data.serrate_or_none()
    ours = sr.Array(value) if sr else None
    theirs = ak.Array(value)
    flat = np.array(value) if with_numpy else None
    contestants = {
        "serrate": lambda: sr.compute(work(sr, ours)),
        "awkward": lambda: work(ak, theirs),
    }
    if with_numpy:
        contestants["numpy"] = lambda: work(np, flat)
    return Case(contestants, same, [Required(at_most=5e-6)])


CASES = {
    "small_power": lambda: small(list(range(11)), lambda library, x: x**2, with_numpy=True),
    "small_sqrt": lambda: small(LISTS, lambda library, x: np.sqrt(x)),
    "small_num": lambda: small(LISTS, lambda library, x: library.num(x)),
    # Sums may be taken in another order.
    "small_sum": lambda: small(
        LISTS, lambda library, x: library.sum(x, axis=-1), same=close(rtol=1e-15)
    ),
    "small_slice": lambda: small(LISTS, lambda library, x: x[:, :1]),
    "small_mask": lambda: small(LISTS, lambda library, x: library.mask(x, x > 1)),
}
