"""What is found in strings, and put in its place. Regular expressions are RE2's."""

from serrate.str._arrow import computed


@computed("count_substring", as_text=False)
def count_substring(
    array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None
):
    """How often the pattern is there; occurrences do not overlap.

    >>> count_substring(["banana", "one"], "an")
    <Array [2, 0] type='2 * int64'>
    """


@computed("count_substring_regex", as_text=False)
def count_substring_regex(
    array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None
):
    """How often the regular expression matches; matches do not overlap.

    >>> count_substring_regex(["a1b22", "one"], "[0-9]+")
    <Array [2, 0] type='2 * int64'>
    """


@computed("starts_with", as_text=False)
def starts_with(array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None):
    """Does the string begin with the pattern?

    >>> starts_with(["HLT_Mu", "L1_Mu"], "HLT")
    <Array [True, False] type='2 * bool'>
    """


@computed("ends_with", as_text=False)
def ends_with(array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None):
    """Does the string end with the pattern?

    >>> ends_with(["HLT_Mu", "HLT_El"], "_Mu")
    <Array [True, False] type='2 * bool'>
    """


@computed("find_substring", as_text=False)
def find_substring(array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None):
    """The byte where the pattern is first, -1 where it is not.

    >>> find_substring(["banana", "one"], "an")
    <Array [1, -1] type='2 * int64'>
    """


@computed("find_substring_regex", as_text=False)
def find_substring_regex(
    array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None
):
    """The byte where the regular expression matches first, -1 where it does not.

    >>> find_substring_regex(["ab12", "one"], "[0-9]")
    <Array [2, -1] type='2 * int64'>
    """


@computed("match_like", as_text=False)
def match_like(array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None):
    """Does all of the string match SQL's LIKE: `%` is any text, `_` one character?

    >>> match_like(["HLT_Mu20", "HLT_El20"], "%Mu__")
    <Array [True, False] type='2 * bool'>
    """


@computed("match_substring", as_text=False)
def match_substring(
    array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None
):
    """Is the pattern in the string?

    >>> match_substring(["banana", "one"], "nan")
    <Array [True, False] type='2 * bool'>
    """


@computed("match_substring_regex", as_text=False)
def match_substring_regex(
    array, pattern, *, ignore_case=False, highlevel=True, behavior=None, attrs=None
):
    """Does the regular expression match anywhere in the string?

    >>> match_substring_regex(["HLT_Mu20", "HLT_Mu"], "Mu[0-9]+$")
    <Array [True, False] type='2 * bool'>
    """


@computed("extract_regex", as_text=False, options=True)
def extract_regex(array, pattern, *, highlevel=True, behavior=None, attrs=None):
    """Records of the named groups of a regular expression; missing where it does not match.

    >>> extract_regex(["Mu20", "one"], "(?P<kind>[A-Z][a-z])(?P<pt>[0-9]+)").to_list()
    [{'kind': 'Mu', 'pt': '20'}, None]
    """


@computed("replace_substring", as_text=False)
def replace_substring(
    array,
    pattern,
    replacement,
    *,
    max_replacements=None,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """`replacement` in place of the pattern, the first max_replacements times.

    >>> replace_substring(["banana", "one"], "an", "oo")
    <Array ['booooa', 'one'] type='2 * string'>
    """


@computed("replace_substring_regex", as_text=False)
def replace_substring_regex(
    array,
    pattern,
    replacement,
    *,
    max_replacements=None,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    r"""`replacement` in place of what the regular expression matches; `\1` is its first group.

    >>> replace_substring_regex(["Mu20", "one"], "([A-Z])[a-z]", r"\1_")
    <Array ['M_20', 'one'] type='2 * string'>
    """
