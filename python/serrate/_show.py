"""Text of arrays beyond their values: show(), what notebooks draw, names of axes."""

import html as _html
import json
import sys

from serrate import _core

_STDOUT = object()


def _size(n):
    """Bytes as Awkward Array writes them: '1.2 kB'."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if n < 1000 or unit == "TB":
            return f"{n} B" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return ""


def _names(array, between=", ", limit=None):
    """'events:0, jets:1', cut at so many columns."""
    items = []
    for name, at in sorted(array.named_axis.items(), key=lambda item: item[1]):
        text = str(name)
        items.append(f"{text if text.isidentifier() else json.dumps(text)}:{at}")
    if limit is not None and len(between.join(items)) > limit:
        while items and len(between.join(items)) > limit - len(between) - 3:
            items.pop()
        items.append("...")
    return between.join(items)


def _rows(array, cols, options):
    """The lines that may stand above the values, shortest names first."""
    lines = []
    if options["type"]:
        text = "type: " + array.type.pretty()
        lines.append(text if len(text) <= cols else text[: cols - 3] + "...")
    if options["nbytes"]:
        lines.append(f"nbytes: {_size(array.nbytes)}")
    if options["backend"]:
        lines.append(f"backend: {_core.backend(array)}")
    if options["named_axis"] and array.named_axis:
        lines.append(f"named axis: {_names(array)}")
    return lines


def show(
    self,
    limit_rows=20,
    limit_cols=80,
    *,
    type=False,
    named_axis=False,
    nbytes=False,
    backend=False,
    all=False,
    stream=_STDOUT,
    formatter=None,
    precision=3,
):
    """Prints the values, shortened, and what else is asked for; with stream=None, returns it."""
    options = {"type": type, "nbytes": nbytes, "backend": backend, "named_axis": named_axis}
    if all:
        options = dict.fromkeys(options, True)
    values = _core._show(self, limit_rows, limit_cols, formatter, precision)
    text = "\n".join([*_rows(self, limit_cols, options), values])
    if stream is None:
        return text
    (sys.stdout if stream is _STDOUT else stream).write(text + "\n")
    return None


def html(array):
    return mimebundle(array)["text/html"]


def mimebundle(array):
    values = _core._show(array, 20, 80, None, 3).split("\n")
    names = ("type", "nbytes", "backend", "named_axis")
    head, *rest = _rows(array, 80, dict.fromkeys(names, True))
    kind = head.split("\n")
    if len(kind) > 12:
        kind = [*kind[:11], " " * (len(kind[1]) - len(kind[1].lstrip())) + "...", kind[-1]]
    head = [*values, "-" * max(map(len, values))] if any(values) else [""]
    lines = [*head, *reversed(rest), *kind]
    body = _html.escape("\n".join(lines))
    return {"text/html": f"<pre>{body}</pre>", "text/plain": repr(array)}


def repr_of(array):
    """repr() with the names of users: of a class, of types, of axes."""
    between = ""
    if array.named_axis:
        between = " " + _names(array, ",", 20)
    return _core._repr(array, type(array).__name__, array.typestr, between)
