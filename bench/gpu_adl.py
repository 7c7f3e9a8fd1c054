"""The eight queries of the ADL benchmark on a GPU, of a million events that lie there, beside
Awkward with vector on one thread of the host."""

import functools
import time

import adl

import serrate as ak


@functools.lru_cache(maxsize=1)
def resident():
    return ak.to_backend(adl.events(), "cuda")


def query(number: int):
    ours = adl.example().QUERIES[number - 1]
    begin = time.perf_counter()
    want = adl.example(adl.awkward).QUERIES[number - 1](adl.theirs())
    took = time.perf_counter() - begin

    found = adl.computed(ours, resident())
    adl.same(tuple(ak.to_backend(x, "cpu") for x in found), want)
    # The slowest of Awkward's takes seconds: one call.
    case = {"ours": lambda: adl.computed(ours, resident()), "timed": {"awkward": took * 1e6}}
    # Query 1 is a column: there is nothing to compute.
    return case | ({"slower": "awkward", "times_slower": 100} if number > 1 else {})


CASES = {f"adl: query {n}": functools.partial(query, n) for n in adl.QUERIES}
