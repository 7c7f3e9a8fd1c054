"""Awkward Array's Form: the structure of an array without its buffers."""

import json


class Form(str):
    """A form as its JSON text, which Awkward Array's from_buffers reads too.

    >>> form, length, buffers = to_buffers([[1], []])
    >>> form.to_dict()["class"]
    'ListOffsetArray'
    """

    __slots__ = ()

    def to_json(self) -> str:
        return str(self)

    def to_dict(self) -> dict:
        return json.loads(self)


def from_json(form: str) -> Form:
    """A form from its JSON text."""
    return Form(form)


def from_dict(form: dict) -> Form:
    """A form from nested dicts."""
    return Form(json.dumps(form))


__all__ = ["Form", "from_dict", "from_json"]
