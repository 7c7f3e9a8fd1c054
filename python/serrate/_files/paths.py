"""Files by path, URL, directory or pattern: what fsspec finds."""

import operator
import os
import re

from serrate._files import streams


def located(path, what, storage_options=None, argument="path"):
    """The file system and the path in it."""
    try:
        text = streams.path_text(path)
    except TypeError:
        raise TypeError(
            f"{what}: {argument!r} must be a path or a URL, got one of class {type(path).__name__}"
        ) from None
    return streams.fsspec_for(what).core.url_to_fs(text, **(storage_options or {}))


def expanded(path, what, storage_options=None):
    """The file system and the paths that a path, a pattern or a list of these names."""
    given = [path] if isinstance(path, str | bytes | os.PathLike) else list(path)
    if not given:
        raise ValueError(f"{what}: no files are named")
    found = []
    for one in given:
        fs, where = located(one, what, storage_options)
        if any(c in where for c in "*?[") and not fs.exists(where):
            matches = sorted(fs.glob(where))
            if not matches:
                raise FileNotFoundError(f"{what}: no files match {one!r}")
            found += matches
        else:
            if not fs.exists(where):
                raise FileNotFoundError(f"{what}: there is no {os.fsdecode(one)!r}")
            found.append(where)
    return fs, found


_SIZE = re.compile(r"\s*([0-9.]+)\s*([kMGT]?)(i?)B?\s*", re.IGNORECASE)


def size_of(size, argument):
    """A number of bytes; '100 MiB' as one."""
    if not isinstance(size, str):
        return operator.index(size)
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ValueError(f"{argument}: a number, or a size as '100 MiB', got {size!r}")
    number, prefix, binary = found.groups()
    power = " kmgt".index(prefix.lower()) if prefix else 0
    return float(number) * (1024 if binary else 1000) ** power
