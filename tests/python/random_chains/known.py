# Differences from Awkward that have a reason: docs/coming_from_awkward.md and
# test_known_differences.py. A rule is as narrow as it can be. Between lazily and step by step
# nothing is explained.
import re

from fuzz import DEFECTS

# Errors of Awkward where there is an answer: (in the source, in the text of the error, why).
ERRORS = [(r"", text, "a defect of Awkward's") for text in DEFECTS]
ERRORS += [
    (r"", "UnmaskedArray cannot contain", "Awkward makes options of options"),
    (r"ak\.where\(", "cannot broadcast nested list", "lengths below missing lists do not matter"),
    (r"unflatten", "too large counts for array", "Awkward can't cut nothing into lists of 2"),
    (r"", "structure of variable depth", "Awkward counts no axis of members of unions"),
    (r"", "MemoryError", "Awkward makes lists of all positions of the longest"),
]


def explain_error(source, operands, error):
    """Why Awkward fails where we have an answer, or None."""
    text = f"{type(error).__name__}: {error}"
    for where, what, why in ERRORS:
        if re.search(where, source) and what in text:
            return why
    if "[..." in source and _records(operands):
        return "Awkward lets ... stand for nothing in records"
    return None


def explain_refusal(source, operands, error):
    """Why we refuse what Awkward answers, or None."""
    if "exceeds the depth" in str(error) and _any(operands, "union"):
        return "an axis that is not in all members of a union"
    return None


def _without_options(text):
    return re.sub(r"\?|option\[|\]", "", text)


def _as_var(held):
    return re.sub(r"(?<![\w.])\d+ \*", "var *", str(held.type))


def _only_options_differ(ours, theirs):
    return _without_options(str(ours.type)) == _without_options(str(theirs.type))


def _without_numbers(text):
    return re.sub(r"u?int\d+|float\d+|complex\d+|bool", "number", _without_options(text))


def _any(operands, word):
    return any(word in str(getattr(x, "type", "")) for x in operands.values())


def _strings(operands):
    return _any(operands, "string")


def _records(operands):
    return any(r in str(getattr(x, "type", "")) for x in operands.values() for r in "({")


def _unmasked(operands):
    return any("UnmaskedArray" in repr(getattr(x, "layout", "")) for x in operands.values())


# (in the source, condition, why)
DIFFERENCES = [
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
        lambda operands, ours, theirs, d: all(len(x) == 0 for x in operands.values()),
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
