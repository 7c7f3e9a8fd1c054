# Slices inside strings, and text that is no UTF-8.
import awkward
import pytest
from conftest import both

import serrate as ak

WORDS = {
    "words": ["one", "two"],
    "bytes": [b"one", b"two"],
    "lists": [["ab", "cd"], [], ["ef"]],
    "missing": ["one", None, "two"],
}
SLICES = {
    "range": lambda lib, x: x[..., :2],
    "array": lambda lib, x: x[..., [0, 1]],
    "mask": lambda lib, x: x[:, lib.Array([True, False, True])],
    "jagged": lambda lib, x: x[lib.Array([[0], [1, 0]])],
    "iterated": lambda lib, x: [lib.to_list(y) for y in x[..., [0, 1]]],
    "shown": lambda lib, x: repr(x[..., [0, 1]]),
    "one": lambda lib, x: x[0, [0, 0]] if x.ndim == 1 else None,
}


@pytest.mark.parametrize("name", SLICES)
@pytest.mark.parametrize("words", WORDS)
def test_characters_are_text(words, name):
    # Whether x[0, [0, 1]] is a str or an Array of characters is of no interest here.
    both(SLICES[name], WORDS[words], types=name != "one")


@pytest.mark.parametrize("stop", [1, -1])
def test_halves_of_characters_are_kept(stop):
    theirs = awkward.Array(["\u00e9\u4e2d", "z"])
    ours = ak.from_awkward(theirs)
    assert ours[:, :stop].to_list() == theirs[:, :stop].to_list()
    assert [x.encode(errors="surrogateescape") for x in ours[:, :1].to_list()] == [b"\xc3", b"z"]


@pytest.mark.parametrize("data", [[1, 2], [b"ab", b"c"], [[1], [2]], []], ids=repr)
def test_bytes_of_an_array(data):
    both(lambda lib, x: bytes(x), data)
