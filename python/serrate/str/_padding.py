"""Characters put at the ends of strings, and taken from them."""

from serrate.str._arrow import computed


@computed("utf8_center", "ascii_center")
def center(array, width, padding=" ", *, highlevel=True, behavior=None, attrs=None):
    """Strings of at least `width` characters: `padding`, one character, is put at both ends.

    >>> center(["one", "three"], 5, "-")
    <Array ['-one-', 'three'] type='2 * string'>
    """


@computed("utf8_lpad", "ascii_lpad")
def lpad(array, width, padding=" ", *, highlevel=True, behavior=None, attrs=None):
    """Strings of at least `width` characters: `padding`, one character, is put in front.

    >>> lpad(["one", "three"], 5, "-")
    <Array ['--one', 'three'] type='2 * string'>
    """


@computed("utf8_rpad", "ascii_rpad")
def rpad(array, width, padding=" ", *, highlevel=True, behavior=None, attrs=None):
    """Strings of at least `width` characters: `padding`, one character, is put behind.

    >>> rpad(["one", "three"], 5, "-")
    <Array ['one--', 'three'] type='2 * string'>
    """


@computed("utf8_ltrim", "ascii_ltrim")
def ltrim(array, characters, *, highlevel=True, behavior=None, attrs=None):
    """Without these characters in front.

    >>> ltrim(["--one-", "two"], "-t")
    <Array ['one-', 'wo'] type='2 * string'>
    """


@computed("utf8_ltrim_whitespace", "ascii_ltrim_whitespace")
def ltrim_whitespace(array, *, highlevel=True, behavior=None, attrs=None):
    """Without white space in front.

    >>> ltrim_whitespace([" one ", "two"])
    <Array ['one ', 'two'] type='2 * string'>
    """


@computed("utf8_rtrim", "ascii_rtrim")
def rtrim(array, characters, *, highlevel=True, behavior=None, attrs=None):
    """Without these characters at the end.

    >>> rtrim(["-one--", "two"], "-o")
    <Array ['-one', 'tw'] type='2 * string'>
    """


@computed("utf8_rtrim_whitespace", "ascii_rtrim_whitespace")
def rtrim_whitespace(array, *, highlevel=True, behavior=None, attrs=None):
    """Without white space at the end.

    >>> rtrim_whitespace([" one ", "two"])
    <Array [' one', 'two'] type='2 * string'>
    """


@computed("utf8_trim", "ascii_trim")
def trim(array, characters, *, highlevel=True, behavior=None, attrs=None):
    """Without these characters at both ends.

    >>> trim(["-one--", "two"], "-o")
    <Array ['ne', 'tw'] type='2 * string'>
    """


@computed("utf8_trim_whitespace", "ascii_trim_whitespace")
def trim_whitespace(array, *, highlevel=True, behavior=None, attrs=None):
    """Without white space at both ends.

    >>> trim_whitespace([" one ", "two"])
    <Array ['one', 'two'] type='2 * string'>
    """
