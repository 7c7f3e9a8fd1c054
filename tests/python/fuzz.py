# Random calls in Awkward and here, as many as asked for; sums up what differs, the smallest example
# of each kind first: `python tests/python/fuzz.py slices --count 20000`
import argparse
import os
import re
import warnings

import awkward
import numpy as np
from calls import CALLS
from conftest import plain, same_values, type_text
from generator import Generator

import serrate as ak

FAMILIES = (TypeError, ValueError, IndexError)
# Errors of Awkward where there is an answer: what it has not written, slices that go backwards,
# lists read behind their end, masks that meet other arrays before their indices are known.
DEFECTS = ["'awkward_", "stops[i] > len", "negative dimensions", "must be a non-negative integer"]
DEFECTS += ["low-level layouts", "unhandled case of", "not-well-considered", "list index out of"]
DEFECTS += ["objects cannot be broadcast to a single", "inner length differs", "a single shape"]
DEFECTS += ["[0 2]: index out of", "Record 'at' must", "with array(-", "different numbers of dim"]
DEFECTS += [
    "_ListArray_getitem_next_array_advanced",
    "flatten_nextcarry",
    "is not allowed to have parameters",
    "jagged slice with length",
    "merging categorical",
    "'<' not supported between instances of 'NoneType' and 'int'",  # its AxisError, NumPy 2.5
]


def convert(x):
    """Awkward's arrays in arguments as ours; with FUZZ_LAZY filters of everything around them."""
    if isinstance(x, awkward.Array):
        y = ak.from_awkward(x)
        return filtered(y) if os.environ.get("FUZZ_LAZY") else y
    if isinstance(x, list | tuple):
        return type(x)(convert(y) for y in x)
    if isinstance(x, dict):
        return {k: convert(v) for k, v in x.items()}
    return x


def filtered(x):
    """The same values, as an expression."""
    kept = x[np.ones(len(x), bool)]
    try:
        inner = kept[ak.local_index(kept, axis=1) >= 0]
        if str(inner.type) == str(x.type):
            kept = inner
    except (TypeError, ValueError, IndexError):
        pass
    return kept


def outcome(call, library, arguments):
    """("value", values, type) or ("error", families)."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(library, *arguments)
            return "value", plain(result), type_text(result)
    except Exception as error:
        kinds = [f.__name__ for f in FAMILIES if isinstance(error, f)]
        return "error", kinds or [type(error).__name__], str(error).split("\n")[0]


def case(name, seed):
    """The call and its arguments in both libraries."""
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    while True:
        try:
            return CALLS[name](Generator(rng))
        except NotImplementedError:  # Awkward can't make this array
            continue


def difference(name, seed, arguments=None, call=None):
    """None, or (kind, text) of what differs."""
    if call is None:
        call, arguments = case(name, seed)
    theirs = outcome(call, awkward, arguments)
    ours = outcome(call, ak, convert(arguments))
    if theirs[0] == ours[0] == "error":
        if ours[1] and not set(ours[1]) & {f.__name__ for f in FAMILIES}:
            return "crash", f"ours {ours}, theirs {theirs}"
        if any(text in theirs[2] for text in DEFECTS):
            return None
        if not set(theirs[1]) & set(ours[1]) and theirs[1][0] != "AssertionError":
            return "family", f"ours {ours[1:]}, theirs {theirs[1:]}"
        return None
    if theirs[0] == "error" and any(text in theirs[2] for text in DEFECTS):
        return None
    if theirs[0] != ours[0]:
        return f"{ours[0]} for {theirs[0]}", f"ours {ours[1:]}\n  theirs {theirs[1:]}"
    if not same_values(ours[1], theirs[1], 1e-9):
        return "values", f"ours {ours[1:]}\n  theirs {theirs[1:]}"
    if ours[2] != theirs[2]:
        return "types", f"ours {ours[1:]}\n  theirs {theirs[1:]}"
    return None


def show(x):
    if isinstance(x, awkward.Array):
        return f"Array({x.to_list()}, {x.type})"
    if isinstance(x, tuple):
        return "(" + ", ".join(show(y) for y in x) + ")"
    return repr(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="*", default=list(CALLS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--family", action="store_true")
    parser.add_argument("--limit", type=int, default=400)
    options = parser.parse_args()
    for name in options.name:
        kinds = {}
        for seed in range(options.first, options.first + options.count):
            call, arguments = case(name, seed)
            try:
                d = difference(name, seed, arguments, call)
            except AssertionError:
                raise
            if d is None or (d[0] == "family" and not options.family):
                continue
            text = re.sub(r"[-\d.]+|'[^']*'|\[[^\[\]]*\]", "", d[1].split("\n  theirs")[0])
            text = text[:90] if d[0] != "values" and d[0] != "types" else ""
            theirs = d[1].split("theirs ")[1][:60] if d[0] == "value for error" else ""
            kinds.setdefault((d[0], text, re.sub(r"[-\d.]+", "", theirs)), []).append(
                (sum(len(show(a)) for a in arguments), seed, arguments, d[1])
            )
        for kind, found in sorted(kinds.items(), key=lambda k: -len(k[1])):
            found.sort(key=lambda f: f[0])
            for f in found[: 2 if kind[0] in ("values", "types") else 1]:
                print(f"{name} {f[1]} ({kind[0]}, {len(found)} times)")
                print("  " + "; ".join(show(a) for a in f[2]))
                print("  " + f[3][: options.limit * 2])
        print(f"{name}: {sum(map(len, kinds.values()))} of {options.count} differ")


if __name__ == "__main__":
    main()
