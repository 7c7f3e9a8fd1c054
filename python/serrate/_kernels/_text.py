"""CUDA text of one item as a function that is applied to arrays: lazy, in the loop around it."""

import re

from serrate import _core
from serrate._kernels import _c


class Entry:
    """What is called: its name; types of arguments; (dtype, bool, name) of results, as
    _core._text_function takes them; its text."""

    def __init__(self, name, arguments, results, text):
        self.name, self.arguments, self.results, self.text = name, arguments, results, text


def closed(text):
    """The text without macros that go on behind it."""
    names = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", _c.without_comments(text), re.MULTILINE)
    return text + "".join(f"\n#undef {name}" for name in dict.fromkeys(names))


def made(said_as, entry, before=""):
    """The function of arrays: `before` is what its text needs, of its own, too."""
    shape = "number" if len(entry.results) == 1 else "record"
    return _core._text_function(
        name=said_as,
        arguments=list(entry.arguments),
        results=[(t, missing, "" if shape == "number" else f) for t, missing, f in entry.results],
        shape=shape,
        text=f'{_c.INTEGERS}\n{closed(f"{before}{entry.text}")}\n#line 1 "serrate"\n',
        entry=entry.name,
    )


def statement(symbol, inputs, outputs, operation):
    """A function around a statement; inputs and outputs are (dtype, name) each. Outputs are
    variables: where truth goes to memory it is a byte."""
    given = [f"const {_c.NAMES[t]} {name}" for t, name in inputs]
    taken = [f"{pointee(t)}* sr_{name}" for t, name in outputs]
    lines = [
        f"inline void {symbol}({', '.join(given + taken)}) {{",
        " ".join(f"{_c.NAMES[t]} {name};" for t, name in outputs),
        f'#line 1 "{symbol}"',
        f"{operation};",
        " ".join(f"*sr_{name} = {name};" for _, name in outputs) + " }",
    ]
    if len(outputs) == 1:  # a single result is returned
        ((t, name),) = outputs
        lines[0] = f"inline {_c.NAMES[t]} {symbol}({', '.join(given)}) {{"
        lines[-1] = f"return {name}; }}"
    results = [(t, False, name) for t, name in outputs]
    return Entry(symbol, [t for t, _ in inputs], results, "\n".join(lines))


def pointee(dtype):
    """C's name of an output in memory."""
    return "unsigned char" if dtype == "bool" else _c.NAMES[dtype]
