"""A root of a*x**2 + b*x + c: flat float64 arrays, one pass against a fused loop."""

import os

import data
import loops
import numexpr
import numpy as np
from harness import Case, Required, close


def root(a, b, c):
    return (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)


def roots(n: int) -> Case:
    random = np.random.default_rng(5)
    a, c = random.uniform(0.5, 1, n), random.uniform(-1, 0, n)
    b = random.uniform(0, 5, n)
    sr = data.serrate_or_none()
    mine = [sr.from_numpy(x) for x in (a, b, c)] if sr else []
    out = np.empty(n)
    text = "(-b + sqrt(b * b - 4 * a * c)) / (2 * a)"
    names = {"a": a, "b": b, "c": c}
    threads = int(os.environ.get("NUMEXPR_NUM_THREADS", "1"))
    numexpr.set_num_threads(threads)

    def loop(to):
        loops.call("quadratic", n, a, b, c, to)
        return to

    contestants = {
        "serrate": lambda: sr.compute(root(*mine)),
        "numpy": lambda: root(a, b, c),
        "numexpr": lambda: numexpr.evaluate(text, local_dict=names),
        "numexpr, given out": lambda: numexpr.evaluate(text, local_dict=names, out=out),
    }
    required = [Required("numexpr", at_least=2)]
    if threads == 1:
        contestants["C++ fused"] = lambda: loop(out)
        contestants["C++ fused, new result"] = lambda: loop(np.empty(n))
        required.append(Required("C++ fused", at_most=1.2))
    return Case(contestants, close(rtol=1e-12, atol=1e-14), required)


CASES = {
    "quadratic_1e6": lambda: roots(1_000_000),
    "quadratic_1e7": lambda: roots(10_000_000),
    "quadratic_1e7_threads": lambda: roots(10_000_000),
}
ALL_THREADS = ("quadratic_1e7_threads",)
