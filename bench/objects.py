"""From nested Python lists to an array and back."""

from itertools import pairwise

import awkward as ak
import data
import numpy as np
from harness import Case, Required, same_list


def lists() -> list[list[float]]:
    offsets = data.short(600_000)
    items = np.random.default_rng(6).normal(size=offsets[-1]).tolist()
    return [items[i:j] for i, j in pairwise(offsets)]


def from_iter() -> Case:
    sr = data.serrate_or_none()
    objects = lists()
    return Case(
        {
            "serrate": lambda: sr.from_iter(objects),
            "awkward": lambda: ak.from_iter(objects),
        },
        same_list,
        [Required("awkward", at_least=8)],
        collector=True,
    )


def to_list() -> Case:
    theirs = ak.Array(lists())
    ours, sr = data.serrate_lists(theirs)
    return Case(
        {
            "serrate": lambda: sr.to_list(ours),
            "awkward": lambda: ak.to_list(theirs),
        },
        same_list,
        [Required("awkward", at_least=3)],
        collector=True,
    )


CASES = {"from_iter_200k": from_iter, "to_list_200k": to_list}
