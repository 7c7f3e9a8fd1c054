"""Writes functions.md, the page of all public functions, from the module's docstrings."""

import inspect
import pathlib
import re

import serrate as ak

HEAD = """# Functions

All public functions, from the module itself (`./dev docs` writes this page). `help(ak.sum)` says
more and has an example. Arguments after `*` are given by name. Most take `highlevel=True,
behavior=None, attrs=None` as in Awkward Array, left out here. Arrays may be anything that
`ak.Array` takes, and values too where one is enough.
"""

GROUPS = {
    "Data in and out": "from_iter to_list from_numpy to_numpy from_dlpack from_buffers to_buffers "
    "from_awkward to_awkward from_cupy to_cupy",
    "Devices": "backend to_backend default_backend set_default_backend doctor",
    "Evaluation": "compute explain",
    "Reducers": "sum prod min max any all count count_nonzero argmin argmax mean var std ptp "
    "nansum nanprod nanmin nanmax nanargmin nanargmax nanmean nanvar nanstd moment covar "
    "corr linear_fit softmax",
    "Histograms": "histogram Histogram fill_histogram boost_histogram",
    "Sorting and running sums": "sort argsort rank topk argtopk partition argpartition cumsum "
    "cumprod cummin cummax diff",
    "Sets": "unique is_unique value_counts group_by isin searchsorted run_lengths",
    "Structure": "num local_index flatten ravel unflatten to_regular from_regular concatenate "
    "where broadcast_arrays values_astype zeros_like ones_like full_like",
    "Missing values": "mask is_none fill_none drop_none pad_none nan_to_none firsts singletons",
    "Combinations": "combinations argcombinations cartesian argcartesian",
    "Records and types": "zip unzip with_field without_field with_name with_parameter "
    "without_parameters fields is_tuple parameters type from_datashape almost_equal array_equal",
    "Classes": "Array Record ArrayBuilder Type Explanation",
}
TAKEN_BY_ALL = ("highlevel=True", "behavior=None", "attrs=None")


def signature(name, function):
    """'sum(array, axis=None, *, keepdims=False)': no annotations, no arguments that all take."""
    first = (function.__doc__ or "").split("\n", 1)[0]
    if not first.startswith(name + "("):  # a function of Python
        return name + str(inspect.signature(function))
    text = first.rpartition(" -> ")[0][len(name) + 1 : -1]
    text = re.sub(r": [\w.]+(?:\[[^\]]*\])?(?: \| \w+)*", "", text).replace(" = ", "=")
    arguments = [a for a in text.split(", ") if a not in TAKEN_BY_ALL]
    if arguments and arguments[-1] == "*":
        arguments.pop()
    return f"{name}({', '.join(arguments)})".replace("<class 'tuple'>", "tuple")


def sentence(thing):
    """The first line of the docstring after the signature."""
    lines = [line for line in (thing.__doc__ or "").splitlines() if line.strip()]
    if lines and re.match(r"\w+\(.*", lines[0]):
        lines = lines[1:]
    return lines[0].strip() if lines else ""


def row(name):
    thing = getattr(ak, name)
    shown = name if isinstance(thing, type) else signature(name, thing)
    said = sentence(thing).replace("|", "&#124;").replace("__", "\\_\\_")
    return f"| `{shown}` | {said} |"


def page():
    elementwise = list(ak._core.elementwise_names)
    known = {name for names in GROUPS.values() for name in names.split()} | set(elementwise)
    rest = [n for n in ak.__all__ if callable(getattr(ak, n)) and n not in known]
    groups = {
        title: [name for name in names.split() if hasattr(ak, name)]
        for title, names in GROUPS.items()
    }
    groups["Element by element"] = elementwise
    if rest:
        groups["More"] = rest
    text = HEAD
    for title, names in groups.items():
        text += f"\n## {title}\n\n| | |\n|---|---|\n" + "\n".join(map(row, names)) + "\n"
    return text


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("functions.md").write_text(page())
