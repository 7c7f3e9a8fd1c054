# Every example of the pages and of the docstrings gives what it says.
import doctest
import importlib.util
import pathlib
import re

import awkward
import numpy as np
import pyarrow
import pytest

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = {"datasets.md": "dask", "neighbours.md": "polars"}  # what not all machines have
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(examples, names, what):
    """Fails with doctest's own report: the line, what was expected and what came."""
    test = doctest.DocTest(examples, names, what, what, 0, None)
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(page, tmp_path, monkeypatch):
    """All blocks of a page share their names, as if typed into one session."""
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    examples = []
    for block in FENCE.finditer(text):
        above = text.count("\n", 0, block.start(1))
        for example in doctest.DocTestParser().get_examples(block.group(1)):
            example.lineno += above
            examples.append(example)
    run(examples, {}, page.name)


def test_python_in_the_pages_is_tested():
    for page in PAGES:
        for block in FENCE.finditer(page.read_text()):
            assert block.group(1).startswith(">>> "), f"{page.name}: {block.group(1)}"


DOCUMENTED = [
    *(name for name in ak.__all__ if callable(getattr(ak, name))),
    *(f"forms.{name}" for name in ak.forms.__all__),
    *(f"types.{name}" for name in ak.types.__all__),
    *(f"contents.{name}" for name in ak.contents.__all__),
    *(f"str.{name}" for name in ak.str.__all__),
    *("record.Record", "index.Index"),
]
MODULES = ["contents", "forms", "index", "operations", "record", "str", "types"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstring(name):
    thing = ak
    for part in name.split("."):
        thing = getattr(thing, part)
    examples = doctest.DocTestParser().get_examples(thing.__doc__ or "")
    names = {n: getattr(ak, n) for n in ak.__all__}
    if "." in name:
        names |= vars(getattr(ak, name.split(".")[0]))
    names |= {"np": np, "awkward": awkward, "pyarrow": pyarrow, "x": ak.Array([[1, 2, 3], [], [4]])}
    run(examples, names, name)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_of_a_module(name):
    module = getattr(ak, name)
    names = {n: getattr(ak, n) for n in ak.__all__} | vars(module)
    run(doctest.DocTestParser().get_examples(module.__doc__), names, name)


def test_docstring_of_the_package():
    run(doctest.DocTestParser().get_examples(ak.__doc__), {}, "serrate")


def function_pages():
    spec = importlib.util.spec_from_file_location("make", ROOT / "docs" / "make_functions.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make


MAKE = function_pages()
FUNCTIONS = [n for n in ak.__all__ if callable(getattr(ak, n))]


def test_functions_page_lists_every_function():
    page = MAKE.page()
    for name in [*FUNCTIONS, *(f"str.{n}" for n in ak.str.__all__)]:
        assert f"[`{name}" in page, name
        assert MAKE.file_name(name) in page, name


@pytest.mark.parametrize(
    ("title", "name"), [(title, n) for title, names in MAKE.groups().items() for n in names]
)
def test_page_of_a_function(title, name):
    if isinstance(MAKE.public(name), type):
        assert "## Members" in MAKE.class_page(name)
        return
    page = MAKE.function_page(title, name)
    assert page.startswith(f"# {name}\n\n```\n{name}(")
    assert "## Shapes" in page
    assert "## Errors" in page
    # Examples are executed when the page is made: what they show is what they give.
    examples = doctest.DocTestParser().get_examples(
        page.partition("## Example")[2].replace("```", "")
    )
    assert examples or title == "More"
    names = {n: getattr(ak, n) for n in ak.__all__}
    names |= vars(ak.str) if title == "Strings" else {}
    names |= {
        "np": np,
        "awkward": awkward,
        "pyarrow": pyarrow,
        "ak": ak,
        "x": ak.Array([[1, 2, 3], [], [4]]),
    }
    run(examples, names, name)


def test_every_page_is_one_click_away():
    index = (ROOT / "docs" / "index.md").read_text()
    _, found, navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")
    assert found
    for page in (ROOT / "docs").glob("*.md"):
        assert f": {page.name}\n" in navigation, page.name
        assert page.name == "index.md" or f"({page.name})" in index, page.name
