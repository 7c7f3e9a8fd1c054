# Differences from Awkward that have a reason: docs/coming_from_awkward.md and
# test_known_differences.py. A rule is as narrow as it can be. Between lazily and step by step
# nothing is explained.
import re

import awkward
import numpy as np
from fuzz import DEFECTS

# Broadcasting with a number.
NUMBER = r"(zip|broadcast_arrays)\(.*(-?\b\d[\d.]*|True|False|float32\([\d.]+\))\W*\)"

# Errors of Awkward where there is an answer: (in the source, in the text of the error, why).
ERRORS = [(r"", text, "a defect of Awkward's") for text in DEFECTS]
ERRORS += [
    (r"", "UnmaskedArray cannot contain", "Awkward makes options of options"),
    (r"ak\.where\(", "cannot broadcast nested list", "lengths below missing lists do not matter"),
    (r"unflatten", "too large counts for array", "Awkward can't cut nothing into lists of 2"),
    (r"", "structure of variable depth", "Awkward counts no axis of members of unions"),
    (r"", "MemoryError", "Awkward makes lists of all positions of the longest"),
    (r"", "scalar Record cannot be sliced by a range", "fields of a record are sliced as arrays"),
    (
        NUMBER,
        "cannot broadcast ",
        "Awkward does not repeat a number for lists that are a part of others",
    ),
    (r"ak\.\w+\(", "cannot slice ", "inside of a function that slices nothing"),
    (r"concatenate\(", "need at least one array", "Awkward joins no single numbers"),
]
# The same where lists may be missing.
OPTION_ERRORS = [
    (r"\[\w+\]$", "boolean index did not match", "Awkward counts missing lists out of masks"),
    (
        r"\[.*\]$",
        "only integers, slices",
        "Awkward takes no positions in lists that may be missing",
    ),
    (r"ak\.where\(", "cannot broadcast ", "lengths below missing lists do not matter"),
]


# Errors that say nothing of what was given: a branch that Awkward has not written, or got wrong.
INTERNAL = (AssertionError, AttributeError, NameError, NotImplementedError, RecursionError)


def explain_error(source, operands, error):
    """Why Awkward fails where we have an answer, or None."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, INTERNAL):
        return f"Awkward fails inside: {type(error).__name__}"
    for where, what, why in ERRORS + (OPTION_ERRORS if _any(operands, "option[") else []):
        if re.search(where, source) and what in text:
            return why
    if "[..." in source and _records(operands):
        return "Awkward lets ... stand for nothing in records"
    return None


def explain_refusal(source, operands, error):
    """Why we refuse what Awkward answers, or None."""
    if "exceeds the depth" in str(error) and _any(operands, "union"):
        return "an axis that is not in all members of a union"
    if "irreducible union" in str(error) and _records(operands):
        return "Awkward reduces records in unions to one value"
    if ("ellipsis" in str(error) or "[..." in source) and _records(operands):
        return "Awkward lets ... stand for nothing in records"
    if "is out of range" in str(error) and any(map(_no_items, operands.values())):
        return "Awkward does not look at indexes into lists of no items"
    if "not defined for records" in str(error):
        return "records have no sum, as Python's tuples do"
    if "argcartesian" in source and "axis=-" in source and "cannot broadcast" in str(error):
        return "Awkward counts negative axes of argcartesian from those of the positions"
    if "too long to be looked at as a whole" in str(error):
        return "more than 2**31 lists, of no items"
    if "cannot broadcast nested list" in str(error) and _any(operands, "union["):
        return "Awkward repeats rows for members of unions, without a look at their lengths"
    return None


def _without_options(text):
    return re.sub(r"\?|option\[|\]", "", text)


def _as_var(held):
    return re.sub(r"(?<![\w.])\d+ \*", "var *", str(held.type))


def _only_options_differ(ours, theirs):
    return _without_options(str(ours.type)) == _without_options(str(theirs.type))


def _without_numbers(text):
    return re.sub(r"u?int\d+|float\d+|complex\d+|bool", "number", _without_options(text))


def _same_values(ours, theirs):
    return ours.value.to_list() == theirs.value.to_list()


def _no_items(x):
    return not hasattr(x, "layout") or len(awkward.ravel(x)) == 0


def _any(operands, word):
    return any(word in str(getattr(x, "type", "")) for x in operands.values())


def _strings(operands):
    return _any(operands, "string")


def _records(operands):
    return any(r in str(getattr(x, "type", "")) for x in operands.values() for r in "({")


def _unmasked(operands):
    return any("UnmaskedArray" in repr(getattr(x, "layout", "")) for x in operands.values())


def _same_items(ours, theirs):
    a, b = (awkward.flatten(x.value, axis=None).to_list() for x in (ours, theirs))
    return a == b


def _numbers(x):
    return awkward.to_numpy(awkward.ravel(x), allow_missing=False).astype(float)


def _close(operands, ours, theirs):
    """But for the root of an error of numbers of this size, of one below 0 maybe."""
    a, b = _numbers(ours.value), _numbers(theirs.value)
    if len(a) == len(b):
        b = np.where(np.isnan(b) & ~np.isnan(a), 0, b)
    size = max((np.max(abs(_numbers(x)), initial=0) for x in operands.values()), default=0)
    return len(a) == len(b) and np.allclose(a, b, rtol=1e-12, atol=3e-8 * size, equal_nan=True)


def _same_numbers(operands, ours):
    """Is it what it was made of, in another type?"""
    a, b = (awkward.nan_to_num(x).to_list() for x in (*operands.values(), ours.value))
    return a == b


def _near(ours, theirs):
    """Of sums of float32, which Awkward rounds one by one."""
    a, b = _numbers(ours.value), _numbers(theirs.value)
    return len(a) == len(b) and np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True)


# (in the source, condition, why)
DIFFERENCES = [
    (
        r"ak\.enforce_type\(",
        lambda operands, ours, theirs, d: _same_numbers(operands, ours),
        "Awkward's enforce_type forgets lists without items",
    ),
    (
        r"ak\.from_arrow\(",
        lambda operands, ours, theirs, d: _any(operands, " 0 * "),
        "Awkward forgets how many regular lists of no items there are",
    ),
    (
        r"concatenate\(",
        lambda operands, ours, theirs, d: (
            d[:5] == "types" and _unmasked(operands) and _same_values(ours, theirs)
        ),
        "Awkward joins lists below options of which none is missing otherwise than others",
    ),
    (
        r"ak\.linear_fit\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _as_var(ours) == _as_var(theirs),
        "Awkward's intercepts and their errors are lists of different types",
    ),
    (
        r"ak\.(corr|covar|linear_fit|moment)\(",
        lambda operands, ours, theirs, d: d[:6] == "values" and _near(ours, theirs),
        "digits cancel in Awkward's sums of squares",
    ),
    (
        r"ak\.(std|var)\(",
        lambda operands, ours, theirs, d: d[:6] == "values" and _close(operands, ours, theirs),
        "digits cancel in Awkward's sums of squares",
    ),
    (
        r"^\w+\[.*[<>=].*\]$",
        lambda operands, ours, theirs, d: d[:5] == "types" and _same_items(ours, theirs),
        "Awkward joins regular lists that a mask without missing values chooses from",
    ),
    (
        r"broadcast_arrays\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _any(operands, "union["),
        "Awkward repeats rows for members of unions, without a look at their lengths",
    ),
    (
        r"cartesian\(",
        lambda operands, ours, theirs, d: any(isinstance(x, str) for x in operands.values()),
        "Awkward takes a single string for its characters",
    ),
    (
        r"fill_none\(ak\.pad_none\(",
        lambda operands, ours, theirs, d: (
            d[:5] == "types"
            and _without_numbers(str(ours.type)) == _without_numbers(str(theirs.type))
        ),
        "where Awkward's pad_none gives no option fill_none takes no type",
    ),
    (
        NUMBER,
        lambda operands, ours, theirs, d: d[:5] == "types" and _any(operands, "union["),
        "Awkward does not repeat a number for members of unions",
    ),
    (
        r"",
        lambda operands, ours, theirs, d: (
            d[:5] == "types" and "union[" in str(ours.type) and _same_values(ours, theirs)
        ),
        "Awkward makes those pairs of members of unions that occur",
    ),
    (
        r"pad_none",
        lambda operands, ours, theirs, d: d[:5] == "types" and _only_options_differ(ours, theirs),
        "Awkward's pad_none of ListArrays long enough gives no option",
    ),
    (
        r"ak\.where\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _only_options_differ(ours, theirs),
        "Awkward's where moves missing lists of conditions to their items",
    ),
    (
        r"fill_none\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _unmasked(operands),
        "Awkward looks through an UnmaskedArray for the next option",
    ),
    (
        r"ak\.argsort\(",
        lambda operands, ours, theirs, d: d[:6] == "values" and _strings(operands),
        "Awkward's order of equal strings is none",
    ),
    (
        r"ak\.where\(",
        lambda operands, ours, theirs, d: (
            d[:6] == "values" and (_any(operands, "option[var") or "option[var" in str(ours.type))
        ),
        "Awkward's where moves missing lists to their items",
    ),
    (
        r"concatenate\(",
        lambda operands, ours, theirs, d: d[:6] == "values" and "option[var" in str(ours.type),
        "Awkward's missing lists of a second operand become empty ones",
    ),
    (
        r"with_field\(",
        lambda operands, ours, theirs, d: any(
            isinstance(x, awkward.Record) for x in operands.values()
        ),
        "Awkward repeats a record for the rows of its new field",
    ),
    (
        r"arg(cartesian|combinations)\(.*axis=-",
        lambda operands, ours, theirs, d: True,
        "Awkward counts a negative axis from the end of the positions, not of the items",
    ),
    (
        r"",
        lambda operands, ours, theirs, d: (
            d[:5] == "types" and _unmasked(operands) and _only_options_differ(ours, theirs)
        ),
        "Awkward forgets that items of an UnmaskedArray may be missing",
    ),
    (
        r"concatenate\(",
        lambda operands, ours, theirs, d: any(not hasattr(x, "layout") for x in operands.values()),
        "Awkward makes int64 of a single number",
    ),
    (
        r"concatenate\(",
        lambda operands, ours, theirs, d: "unknown" in str(theirs.type),
        "Awkward makes a union with nothing of missing lists",
    ),
    (
        r"local_index\(",
        lambda operands, ours, theirs, d: _any(operands, "union"),
        "Awkward counts in the members of unions",
    ),
    (
        r"cartesian\(.*nested=True",
        lambda operands, ours, theirs, d: any(len(x) == 0 for x in operands.values()),
        "Awkward forgets lists of nothing",
    ),
    (
        r"flatten\(.*axis=None",
        lambda operands, ours, theirs, d: (
            _any(operands, "union") and "unknown" in str(theirs.type) and len(ours.value) == 0
        ),
        "Awkward's type is of the members of unions that occur",
    ),
    (
        r"axis=None.*keepdims=True",
        lambda operands, ours, theirs, d: all(map(_no_items, operands.values())),
        "Awkward keeps dimensions of no items",
    ),
    (
        r"concatenate\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _as_var(ours) == _as_var(theirs),
        "Awkward forgets that lists are regular where lists around them may be missing",
    ),
    (
        r"ak\.(count|count_nonzero|any|all)\(",
        lambda operands, ours, theirs, d: _strings(operands),
        "Awkward looks at the bytes of strings",
    ),
    (
        r"ak\.(arg)?(min|max)\(",
        lambda operands, ours, theirs, d: _strings(operands) and d[:5] == "types",
        "Awkward looks at the bytes of a flat array of strings",
    ),
    (
        r"ak\.(nan)?max\(.*mask_identity=False",
        lambda operands, ours, theirs, d: "bool" in str(ours.type),
        "Awkward's largest of no booleans is True",
    ),
    (
        r"argsort\(.*stable=False",
        lambda operands, ours, theirs, d: d[:6] == "values",
        "the order of equal items is not asked for",
    ),
    (
        r"ak\.zip\(",
        lambda operands, ours, theirs, d: _any(operands, "union"),
        "Awkward does not enter lists of unions of different depths",
    ),
    (
        r"",
        lambda operands, ours, theirs, d: (
            d[:5] == "types"
            and _any(operands, "union")
            and _without_numbers(str(ours.type)) == _without_numbers(str(theirs.type))
        ),
        "Awkward merges the types of those pairs of members of unions that occur",
    ),
    (
        r"ak\.flatten\(",
        lambda operands, ours, theirs, d: d[:5] == "types" and _as_var(ours) == _as_var(theirs),
        "Awkward forgets that lists around the flattened ones are regular",
    ),
    (
        r"\[\.\.\.",
        lambda operands, ours, theirs, d: _strings(operands),
        "Awkward counts the bytes of a string as a level behind ...",
    ),
    (
        r"\[\.\.\.",
        lambda operands, ours, theirs, d: _records(operands),
        "Awkward lets ... stand for nothing in records",
    ),
]


def explain(source, operands, ours, theirs, difference):
    """Why values or types differ, or None."""
    for where, holds, why in DIFFERENCES:
        if re.search(where, source) and holds(operands, ours, theirs, difference):
            return why
    return None
