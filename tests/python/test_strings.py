# Functions of strings beside Awkward Array's, which calls the same library: values and types.
import inspect
import os
import subprocess
import sys

import awkward
import numpy as np
import pytest
from conftest import type_text

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

WORDS = ["one", "Two 2", "", " three ", "\u00fcber", "ab-ab-ab", "12", "\u00bd", "A\tB", "Mu20"]
PLAIN = ["one", "two", "Mu20"]


def lists(words):
    return [words[:3], [], words[3:4], words[4:]]


def make(words):
    """Arrays of each nesting with these words."""
    option = [w if i % 3 else None for i, w in enumerate(words)]
    regular = awkward.to_regular(awkward.Array([words[:2], words[2:4], words[4:6]]), axis=1)
    union = awkward.concatenate([awkward.Array(words[:3]), awkward.Array([1.5, 2.5])])
    records = awkward.Array([{"w": w, "n": len(w), "l": [w, w]} for w in words])
    masked = awkward.Array(
        awkward.contents.ByteMaskedArray(
            awkward.index.Index8(np.arange(len(words)) % 2 == 0),
            awkward.Array(words).layout,
            valid_when=True,
        )
    )
    return {
        "flat": awkward.Array(words),
        "lists": awkward.Array(lists(words)),
        "deep": awkward.Array([lists(words), [], lists(words)[::-1]]),
        "missing": awkward.Array(option),
        "missing in lists": awkward.Array(lists(option)),
        "missing lists": awkward.Array([lists(words)[0], None, lists(words)[3]]),
        "masked": masked,
        "regular": regular,
        "union": union,
        "records": records,
        "part": awkward.Array(lists(words))[[3, 0]][:, 1:],
        "none": awkward.Array(lists(words))[:0],
    }


STRINGS = make(WORDS)
BYTES = {k: v for k, v in make([w.encode() for w in WORDS]).items() if k != "union"}
NO_UTF8 = awkward.Array([b"\xff\xfe", b"a"])

# Arguments of those that need more than an array.
CALLS = {
    "center": [(7,), (7, "-")],
    "lpad": [(7, "-")],
    "rpad": [(7,)],
    "ltrim": [("o ",)],
    "rtrim": [("eb ",)],
    "trim": [("ob ",)],
    "replace_slice": [(1, 3, "--"), (-2, 100, "")],
    "slice": [(1,), (1, 3), (-3, None), (0, 4, 2)],
    "repeat": [(2,), (0,)],
    "count_substring": [("ab",), ("O", {"ignore_case": True})],
    "count_substring_regex": [("[a-z]+",)],
    "starts_with": [("o",), ("O", {"ignore_case": True})],
    "ends_with": [("e",)],
    "find_substring": [("b",)],
    "find_substring_regex": [("[0-9]",)],
    "match_like": [("%b%",), ("_w_%",)],
    "match_substring": [("wo",)],
    "match_substring_regex": [("^[A-Z]",)],
    "extract_regex": [("(?P<letters>[A-Za-z]+)(?P<digits>[0-9]*)",)],
    "replace_substring": [("ab", "cd"), ("ab", "cd", {"max_replacements": 1})],
    "replace_substring_regex": [("([a-z])b", r"\1_")],
    "split_pattern": [("-",), ("-", {"max_splits": 1, "reverse": True})],
    "split_pattern_regex": [("[-0-9]",), ("-", {"max_splits": 1})],
    "split_whitespace": [(), ({"max_splits": 1},)],
}
SEVERAL = ["join", "join_element_wise", "is_in", "index_in"]
ONE = [n for n in ak.str.__all__ if n not in SEVERAL]


def both(name, arguments, array):
    """What the two libraries give."""
    named = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    plain = arguments[:-1] if named else arguments
    expected = getattr(awkward.str, name)(array, *plain, **named)
    return getattr(ak.str, name)(ak.from_awkward(array), *plain, **named), expected


def assert_same(got, expected):
    assert got.to_list() == expected.to_list()
    assert type_text(got) == str(expected.type)


@pytest.mark.parametrize("kind", STRINGS)
@pytest.mark.parametrize("name", ONE)
def test_strings(name, kind):
    for arguments in CALLS.get(name, [()]):
        assert_same(*both(name, arguments, STRINGS[kind]))


@pytest.mark.parametrize("kind", BYTES)
@pytest.mark.parametrize("name", ONE)
def test_bytes(name, kind):
    for arguments in CALLS.get(name, [()]):
        assert_same(*both(name, arguments, BYTES[kind]))


@pytest.mark.parametrize("name", ONE)
def test_bytes_of_no_encoding(name):
    for arguments in CALLS.get(name, [()]):
        if name in ("is_digit", "is_numeric"):  # Arrow has them of UTF-8 only
            with pytest.raises(ValueError, match="UTF8"):
                both(name, arguments, NO_UTF8)
            with pytest.raises(ValueError, match="UTF8"):
                getattr(ak.str, name)(ak.from_awkward(NO_UTF8), *arguments)
        else:
            assert_same(*both(name, arguments, NO_UTF8))


@pytest.mark.parametrize("name", ["is_in", "index_in"])
@pytest.mark.parametrize("kind", STRINGS)
def test_sets(name, kind):
    for values in (["one", "Mu20"], ["one", None], []):
        for skip in (False, True):
            given = (awkward.Array(values) if values else awkward.Array(["x"])[:0],)
            assert_same(*both(name, (*given, {"skip_nones": skip}), STRINGS[kind]))


def test_a_set_must_be_flat():
    with pytest.raises(TypeError, match="is_in: value_set"):
        ak.str.is_in(["a"], [["a"]])


@pytest.mark.parametrize("kind", ["lists", "deep", "missing in lists", "missing lists", "part"])
def test_join(kind):
    array = STRINGS[kind]
    got = ak.str.join(ak.from_awkward(array), "-")

    def joined(x, depth):
        if depth > 1:
            return [None if y is None else joined(y, depth - 1) for y in x]
        return None if None in x else "-".join(x)

    depth = array.ndim
    expected = [None if x is None else joined(x, depth - 1) for x in array.to_list()]
    assert got.to_list() == expected
    if kind == "missing in lists":  # Awkward's has strings there
        assert type_text(got) == "4 * ?string"
    else:
        assert_same(*both("join", ("-",), array))


def test_join_with_separators():
    array, between = (
        awkward.Array([["a", "b"], [], ["c", "d", "e"]]),
        awkward.Array(["-", "+", "="]),
    )
    assert_same(*both("join", (between,), array))
    with pytest.raises(TypeError, match="separators must be strings"):
        ak.str.join(ak.from_awkward(array), [1, 2, 3])


def test_join_element_wise():
    arrays = [awkward.Array([["a", "b"], [], ["c"]]), awkward.Array([["d", "e"], [], ["f"]])]
    between = awkward.Array(["-", "+", "="])
    for given in (arrays, [*arrays, between], [arrays[0], between], [between]):
        expected = awkward.str.join_element_wise(*given)
        assert_same(ak.str.join_element_wise(*map(ak.from_awkward, given)), expected)
    with pytest.raises(TypeError, match="at least one"):
        ak.str.join_element_wise()


def test_repeat_by_arrays():
    array, times = awkward.Array([["a", "bc"], [], ["d"]]), awkward.Array([[1, 2], [], [0]])
    assert_same(*both("repeat", (times,), array))
    assert_same(*both("repeat", (awkward.Array([2, 1, 3]),), array))
    with pytest.raises(TypeError, match="num_repeats must be integers"):
        ak.str.repeat(["a"], [1.5])


def test_categoricals_are_values():
    x = ak.str.to_categorical(["one", "One", "one", None])
    assert str(x.type) == "4 * ?categorical[type=string]"
    y = ak.str.upper(x)
    assert y.to_list() == ["ONE", "ONE", "ONE", None]
    assert str(y.type) == "4 * ?string"
    assert ak.is_valid(y)


def test_single_values():
    assert ak.str.upper("one") == "ONE"
    assert ak.str.length(b"\xff\xfe") == 2
    record = ak.Array([{"w": "one", "n": 1}])[0]
    assert ak.str.title(record).to_list() == {"w": "One", "n": 1}


def test_what_is_no_string_stays():
    x = ak.Array([[1, 2], []])
    assert ak.str.upper(x).to_list() == [[1, 2], []]


def test_errors_say_whose():
    with pytest.raises(TypeError, match=r"str.center: missing a required argument: 'width'"):
        ak.str.center(["a"])
    with pytest.raises(ValueError, match=r"str.split_pattern_regex: Arrow has no reverse=True"):
        ak.str.split_pattern_regex(["a"], "x", reverse=True)
    with pytest.raises(ValueError, match=r"[Mm]issing"):
        ak.str.match_substring_regex(["a"], "(")


def test_names_behaviors_and_attrs():
    x = ak.Array([["one"], []], attrs={"source": "here"}, behavior={"Point": list})
    x = ak.with_named_axis(x, {"event": 0})
    for y in (ak.str.upper(x), ak.str.is_in(x, ["one"])):
        assert y.attrs["source"] == "here"
        assert y.behavior == {"Point": list}
        assert y.named_axis == {"event": 0}
    assert ak.str.upper(x, attrs={"other": 1}).attrs == {"other": 1}
    assert isinstance(ak.str.upper(x, highlevel=False), ak.contents.ListOffsetArray)


def test_partitions():
    parts = ak.from_partitions([ak.Array(lists(WORDS)), ak.Array(lists(WORDS)[::-1])])
    whole = parts.compute()
    assert ak.str.upper(parts).to_list() == ak.str.upper(whole).to_list()
    found = ak.str.match_substring(parts, "o")
    assert isinstance(found, ak.PartitionedArray)
    assert ak.sum(found) == ak.sum(ak.str.match_substring(whole, "o"))
    assert ak.str.join(parts, "-").to_list() == ak.str.join(whole, "-").to_list()
    sizes = ak.num(parts, axis=1)
    assert ak.str.repeat(parts, sizes).to_list() == ak.str.repeat(whole, ak.num(whole)).to_list()
    assert ak.str.is_in(parts, ["one"]).to_list() == ak.str.is_in(whole, ["one"]).to_list()


@pytest.mark.skipif(os.environ.get("SERRATE_BACKEND") != "cuda", reason="needs a GPU")
def test_a_gpu_is_told():
    x = ak.to_backend(ak.Array(["one"]), "cuda")
    with pytest.raises(TypeError, match=r"str.upper: the array is on a GPU.*to_backend"):
        ak.str.upper(x)


def test_without_pyarrow():
    code = """
import sys
sys.modules["pyarrow"] = None
import serrate as ak
try:
    ak.str.upper(["one"])
except ModuleNotFoundError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install pyarrow" in said.stdout


def test_all_names_are_there():
    assert sorted(ak.str.__all__) == sorted(
        n for n in dir(awkward.str) if n[:2] != "ak" and n[0] != "_"
    )
    for name in ak.str.__all__:
        ours, theirs = getattr(ak.str, name), getattr(awkward.str, name)
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs)), name


@pytest.mark.parametrize("n", [0, 1, 2, 4_095, 100_000])
@pytest.mark.parametrize("text", ["", "1", "three", "a text of more than thirty-two bytes" * 1_000])
def test_the_same_text_everywhere(n, text):
    n = n if len(text) < 100 else min(n, 100)
    words = awkward.Array(["one", "", "three"])[np.arange(n) % 3]
    got = ak.full_like(ak.from_awkward(words), text)
    assert_same(got, awkward.full_like(words, text))
    assert_same(ak.zip({"x": got, "n": ak.num(got)}).x[1:], awkward.full_like(words, text)[1:])
    both = ak.concatenate([got, ak.ones_like(ak.from_awkward(words))])
    assert ak.to_list(both) == [text] * n + ["1"] * n
