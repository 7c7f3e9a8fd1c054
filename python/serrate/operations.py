"""The functions of serrate once more: operations.sum is serrate.sum."""

import serrate


def __getattr__(name):
    if name.startswith("_") or not callable(getattr(serrate, name, None)):
        raise AttributeError(f"serrate.operations has no function {name!r}")
    return getattr(serrate, name)


def __dir__():
    return [name for name in serrate.__all__ if callable(getattr(serrate, name))]
