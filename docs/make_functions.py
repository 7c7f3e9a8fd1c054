"""Writes functions.md and a page per function, from the module's docstrings and its tables."""

import inspect
import operator
import pathlib
import re
import shutil
import sys

import numpy as np

import serrate as ak

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import function_texts as texts

HEAD = """# Functions

All public functions, from the module itself (`./dev docs` writes these pages). Each has a page with
its arguments, shapes, errors and an example. Arguments after `*` are given by name. Most take
`highlevel=True, behavior=None, attrs=None` as in Awkward Array, left out here. Arrays may be
anything that `ak.Array` takes, and values too where one is enough.
"""

TAKEN_BY_ALL = ("highlevel=True", "behavior=None", "attrs=None")
ROWS = ak._core._function_rows()  # of structural.def: (name, group, signature)
SIGNATURES = {name: text for name, _, text in ROWS}
CLASSES = ["Array", "Record", "ArrayBuilder", "Type", "Explanation"]


def public(name):
    """What a name stands for: "sum", "str.upper"."""
    return operator.attrgetter(name)(ak)


def groups():
    """Names by title; every public function is in one of them."""
    out = {title: [] for _, title, _ in ROWS}
    for name, title, _ in ROWS:
        out[title].append(name)
    elementwise = [*ak._core.elementwise_names, *out.pop("Element by element")]
    more = out.pop("More")
    out = {**out, "Classes": CLASSES, "Element by element": elementwise}
    known = set(sum(out.values(), more))
    more += [n for n in ak.__all__ if callable(public(n)) and n not in known]
    strings = [f"str.{n}" for n in ak.str.__all__]
    return {**out, "Strings": strings, "More": more}


def arguments(name, function):
    """'array, axis=None, *, keepdims=False' in parts: no annotations, none that all take."""
    if name in ak._core.elementwise_names:
        return ["x", "y"][: ak._core._elementwise_rows()[function.__name__]["arity"]]
    if not SIGNATURES.get(name):  # a function of Python
        return [str(p) for p in inspect.signature(function).parameters.values()]
    text = SIGNATURES[name].rpartition(" -> ")[0][1:-1].removesuffix(", ...")
    plain = [re.sub(r": [^=]*$", "", re.sub(r": [^=]*= ", "=", a)) for a in text.split(", ")]
    found = [a for a in plain if a and a not in TAKEN_BY_ALL]
    return found[:-1] if found[-1:] == ["*"] else found


def signature(name, function):
    """'sum(array, axis=None, *, keepdims=False)'"""
    return f"{name}({', '.join(arguments(name, function))})"


def paragraphs(thing):
    """The docstring without its signature: what is said, and the examples."""
    text = inspect.cleandoc(thing.__doc__ or "")
    first, _, rest = text.partition("\n")
    if re.match(r"\w+\(.*\)( ->|$)", first):
        text = rest.strip()
    said, examples = [], []
    for block in re.split(r"\n\s*\n", text):
        (examples if examples or block.lstrip().startswith(">>>") else said).append(block)
    return [b for b in said if b.strip()], examples


def sentence(thing):
    """The first paragraph of what the docstring says, on one line."""
    said, _ = paragraphs(thing)
    return " ".join(said[0].split()) if said else ""


def sample(name):
    """Arguments for an example of a function that goes element by element."""
    arity = len(arguments(name, public(name)))
    base = public(name).__name__
    for chosen in [texts.SAMPLES_OF[base]] if base in texts.SAMPLES_OF else texts.SAMPLES:
        try:
            public(name)(*chosen[:arity])
        except TypeError:
            continue
        return chosen[:arity]
    return [np.array(["2020-01-01", "NaT"], "M8[D]"), np.array([1, 2], "m8[D]")][:arity]


def shown(value):
    if isinstance(value, np.ndarray):
        return f"np.array({value.astype(str).tolist()}, {value.dtype.str[1:]!r})"
    return re.sub(r"\b(nan|inf)\b", r"np.\1", repr(value))


def example(name):
    """What a function gives, executed now."""
    _, found = paragraphs(public(name))
    if found:
        return "\n\n".join(found)
    chosen = sample(name)
    with np.errstate(all="ignore"):
        result = public(name)(*chosen)
    return f">>> {name}({', '.join(map(shown, chosen))})\n{result!r}"


def parameter_rows(name, function):
    rows = []
    for a in arguments(name, function):
        plain, _, default = a.lstrip("*").partition("=")
        if plain in ("", "/"):
            continue
        said = texts.PARAMETERS.get(plain, "")
        rows.append(
            f"| `{plain}` | {f'`{default}`' if default else ''} | {said} |".replace("||", "| |")
        )
    return rows


def function_page(title, name):
    thing = public(name)
    said, found = paragraphs(thing)
    out = [f"# {name}", f"```\n{signature(name, thing)}\n```", *said[:1]]
    if title == "Element by element":
        row = ak._core._elementwise_rows().get(thing.__name__)
        if row:
            out.append(f"Each item is `{row['expression']}`. {row['accepts']} {row['gives']}")
    rows = parameter_rows(name, thing)
    if rows:
        out.append("## Arguments\n\n| name | default | |\n|---|---|---|\n" + "\n".join(rows))
    out.append(f"## Shapes\n\n{texts.SHAPES[title]}")
    out.append(f"## Errors\n\n{texts.ERRORS[title]}")
    out += said[1:] if title != "Element by element" or found else []
    if found or title == "Element by element":
        out.append(f"## Example\n\n```python\n{example(name)}\n```")
    return "\n\n".join(out) + "\n"


def class_page(name):
    thing = public(name)
    said, found = paragraphs(thing)
    out = [f"# {name}", *said]
    members = [m for m in dir(thing) if not m.startswith("_")]
    lines = [f"| `{m}` | {sentence(getattr(thing, m)).replace('|', '&#124;')} |" for m in members]
    out.append("## Members\n\n| | |\n|---|---|\n" + "\n".join(lines))
    if found:
        out.append("## Example\n\n```python\n" + "\n\n".join(found) + "\n```")
    return "\n\n".join(out) + "\n"


def file_name(name):
    """Record and record would be one file where case does not count."""
    return f"functions/{'class_' if isinstance(public(name), type) else ''}{name}.md"


def pages():
    """Text by file name: a page for each function and class."""
    out = {}
    for title, names in groups().items():
        for name in names:
            is_class = isinstance(public(name), type)
            out[file_name(name)] = class_page(name) if is_class else function_page(title, name)
    return out


def row(name):
    thing = public(name)
    shown_as = name if isinstance(thing, type) else signature(name, thing)
    said = sentence(thing).replace("|", "&#124;").replace("__", "\\_\\_")
    return f"| [`{shown_as.replace('|', '&#124;')}`]({file_name(name)}) | {said} |"


def page():
    """The list of all functions."""
    text = HEAD
    for title, names in groups().items():
        if names:
            text += f"\n## {title}\n\n| | |\n|---|---|\n" + "\n".join(map(row, names)) + "\n"
    return text


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    here.joinpath("functions.md").write_text(page())
    shutil.rmtree(here / "functions", ignore_errors=True)
    here.joinpath("functions").mkdir()
    for name, text in pages().items():
        here.joinpath(name).write_text(text)
