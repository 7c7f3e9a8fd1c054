"""What strings are made of, and strings made of them: cases, spaces, pieces."""

from serrate.str._arrow import computed


@computed("utf8_is_alnum", "ascii_is_alnum")
def is_alnum(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there characters, all of them letters or digits? Of bytes, those of ASCII count.

    >>> is_alnum(["a1", "a-1", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_alpha", "ascii_is_alpha")
def is_alpha(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there characters, all of them letters? Of bytes, those of ASCII count.

    >>> is_alpha(["abc", "a1", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("string_is_ascii")
def is_ascii(array, *, highlevel=True, behavior=None, attrs=None):
    """Are all characters ASCII's?

    >>> is_ascii(["abc", "\\u00fcber", ""])
    <Array [True, False, True] type='3 * bool'>
    """


@computed("utf8_is_decimal", "ascii_is_decimal")
def is_decimal(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there characters, all of them digits of decimal numbers?

    >>> is_decimal(["12", "1.2", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_digit")
def is_digit(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there characters, all of them digits of any kind?

    >>> is_digit(["12", "x2", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_lower", "ascii_is_lower")
def is_lower(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there letters, all of them in lower case?

    >>> is_lower(["ab1", "Ab", "1"])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_numeric")
def is_numeric(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there characters, all of them numeric: digits, fractions, Roman numerals ...?

    >>> is_numeric(["12", "\\u00bd", "a"])
    <Array [True, True, False] type='3 * bool'>
    """


@computed("utf8_is_printable", "ascii_is_printable")
def is_printable(array, *, highlevel=True, behavior=None, attrs=None):
    r"""Can all characters be printed?

    >>> is_printable(["a b", "a\tb", ""])
    <Array [True, False, True] type='3 * bool'>
    """


@computed("utf8_is_space", "ascii_is_space")
def is_space(array, *, highlevel=True, behavior=None, attrs=None):
    r"""Are there characters, all of them white space?

    >>> is_space([" \t", "a b", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_title", "ascii_is_title")
def is_title(array, *, highlevel=True, behavior=None, attrs=None):
    """Does each word begin in upper case, and go on in lower case?

    >>> is_title(["One Two", "One two", ""])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_is_upper", "ascii_is_upper")
def is_upper(array, *, highlevel=True, behavior=None, attrs=None):
    """Are there letters, all of them in upper case?

    >>> is_upper(["AB1", "Ab", "1"])
    <Array [True, False, False] type='3 * bool'>
    """


@computed("utf8_length", "binary_length", as_text=False)
def length(array, *, highlevel=True, behavior=None, attrs=None):
    """The number of characters (code points); of bytes that of bytes.

    >>> length(["one", "\\u00fcber", ""])
    <Array [3, 4, 0] type='3 * int64'>
    """


@computed("utf8_capitalize", "ascii_capitalize")
def capitalize(array, *, highlevel=True, behavior=None, attrs=None):
    """The first character in upper case, the others in lower case.

    >>> capitalize(["one two", "THREE"])
    <Array ['One two', 'Three'] type='2 * string'>
    """


@computed("utf8_lower", "ascii_lower")
def lower(array, *, highlevel=True, behavior=None, attrs=None):
    """All characters in lower case; of bytes those of ASCII.

    >>> lower(["One", "TWO"])
    <Array ['one', 'two'] type='2 * string'>
    """


@computed("utf8_swapcase", "ascii_swapcase")
def swapcase(array, *, highlevel=True, behavior=None, attrs=None):
    """Upper case becomes lower case, and lower case upper.

    >>> swapcase(["One", "tWO"])
    <Array ['oNE', 'Two'] type='2 * string'>
    """


@computed("utf8_title", "ascii_title")
def title(array, *, highlevel=True, behavior=None, attrs=None):
    """The first letter of each word in upper case, the others in lower case.

    >>> title(["one two", "THREE"])
    <Array ['One Two', 'Three'] type='2 * string'>
    """


@computed("utf8_upper", "ascii_upper")
def upper(array, *, highlevel=True, behavior=None, attrs=None):
    """All characters in upper case; of bytes those of ASCII.

    >>> upper([["one", "Two"], []])
    <Array [['ONE', 'TWO'], []] type='2 * var * string'>
    """


@computed("utf8_reverse", "binary_reverse", as_text=False)
def reverse(array, *, highlevel=True, behavior=None, attrs=None):
    """The characters from the last to the first; of bytes the bytes.

    >>> reverse(["one", "two"])
    <Array ['eno', 'owt'] type='2 * string'>
    """


@computed("utf8_replace_slice", "binary_replace_slice", as_text=False)
def replace_slice(array, start, stop, replacement, *, highlevel=True, behavior=None, attrs=None):
    """`replacement` in place of the characters (of bytes: the bytes) from start to stop.

    >>> replace_slice(["one", "three"], 1, 3, "--")
    <Array ['o--', 't--ee'] type='2 * string'>
    """
