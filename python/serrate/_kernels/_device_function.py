"""Functions of numbers in CUDA C++, as functions of arrays: ak.device_function."""

import functools
import re

import numpy as np

from serrate import _core
from serrate._apply.numba import check_function, compiled, numba, python_function
from serrate._apply.rows import written_down
from serrate._apply.scalar import apply_scalar, numba_type
from serrate._kernels import _c, _text

_EXPECTED = "device_function: expected the text of a function: double f(double x) { ... }"
_QUALIFIERS = r"\b(__device__|__host__|__forceinline__|__noinline__|static|inline|constexpr)\b"


class DeviceFunction:
    """See device_function."""

    def __init__(self, code, cpu=None):
        result, name, given = _last_function(code)
        self.code, self.name, self._cpu = code, name, cpu
        self.__name__ = name
        said_as = f"device_function {name}"
        parameters = _c.parameters(given, said_as)
        self._arguments = [(p[2], p[1]) for p in parameters if p[0] == "scalar"]
        pointers = [p for p in parameters if p[0] != "scalar"]
        self._results = _results(result, pointers, said_as)
        if not self._arguments:
            raise ValueError(f"{said_as}: a function of arrays has an argument")
        if parameters[len(self._arguments) :] != pointers:
            raise ValueError(f"{said_as}: pointers to results are the last parameters")
        if cpu is not None:
            check_function(cpu, f"{said_as}, cpu=")

    def __call__(self, *arrays):
        if (later := written_down(self, arrays)) is not None:
            return later
        types = [t for _, t in self._arguments]
        if len(arrays) != len(types):
            raise TypeError(f"{self.name} takes {len(types)} arguments, got {len(arrays)}")
        for x, (argument, t) in zip(arrays, self._arguments, strict=True):
            _check(x, t, f"{self.name}: argument {argument!r}")
        if _core._are_on_gpu(arrays):
            return _core._apply(self._made, arrays, None)
        if self._cpu is None:
            raise TypeError(
                f"{self.name} is CUDA text and the arrays are on the CPU: "
                'to_backend(array, "cuda") brings them to a GPU, device_function(text, cpu=f) '
                "adds a Python function for the CPU"
            )
        return self._on_cpu(arrays, tuple(types))

    @functools.cached_property
    def _made(self):
        text = f'#line 1 "{self.name}"\n{self.code}\n'
        entry = _text.Entry(self.name, [t for _, t in self._arguments], self._results, text)
        truths = [t for t, _, _ in self._results if t == "bool"]
        if (truths and len(self._results) > 1) or self._pointers:
            entry = self._around(text)
        return _text.made(self.name, entry)

    @property
    def _pointers(self):
        return self._results[0][2] != ""

    def _around(self, text):
        """Results by pointers have C's own types there, in memory a truth is a byte."""
        names = [f"r{i}" for i in range(len(self._results))]
        given = [f"a{i}" for i in range(len(self._arguments))] + [f"&{r}" for r in names]
        inputs = [(t, f"a{i}") for i, (_, t) in enumerate(self._arguments)]
        outputs = [(t, r) for (t, _, _), r in zip(self._results, names, strict=True)]
        entry = _text.statement(f"{self.name}_of_item", inputs, outputs,
                                f"{self.name}({', '.join(given)})")  # fmt: skip
        entry.results, entry.text = self._results, text + entry.text
        return entry

    def _on_cpu(self, arrays, types):
        try:
            return apply_scalar(self._half, arrays, types)
        except TypeError:
            _, gives = compiled(self._cpu, [numba_type(t) for t in types])  # its own line
            said = ", ".join(t for t, _, _ in self._results)
            text = f"{self.name}: the text gives {said}; cpu={self._cpu.__name__} gives {gives}"
            raise TypeError(text) from None

    @functools.cached_property
    def _half(self):
        """The CPU's function with results of the types that the text says."""
        return _with_results(self._cpu, len(self._arguments), self._results)

    def __reduce__(self):
        return DeviceFunction, (self.code, self._cpu)

    def __repr__(self):
        return f"<device_function {self.name}>"


def _last_function(code):
    """(type, name, parameters) of the function that a text ends with; others are its own."""
    depth, begin, found = 0, 0, None
    text = re.sub(r"^[ \t]*#[^\n]*", "", _c.without_comments(code), flags=re.MULTILINE)
    for at, c in enumerate(text):
        if c == "{":
            if depth == 0:
                head = re.sub(_QUALIFIERS, " ", text[begin:at]).strip()
                found = re.fullmatch(r"([\w\s]+?)\s*\b(\w+)\s*\(([^()]*)\)", head)
            depth += 1
        elif c == "}":
            depth -= 1
        if c in "};" and depth == 0:
            begin = at + 1
    if found is None or depth != 0:
        raise ValueError(_EXPECTED)
    return found[1].strip(), found[2], found[3]


def _results(result, pointers, said_as):
    for kind, dtype, name, _ in pointers:
        if kind != "written" or dtype is None:
            raise TypeError(f"{said_as}: parameter {name!r}: pointers are to results (double*)")
    if result == "void":
        if not pointers:
            raise ValueError(f"{said_as}: gives nothing")
        return [(dtype, False, name) for _, dtype, name, _ in pointers]
    dtype = _c.dtype_of(result)
    if dtype is None:
        raise TypeError(f"{said_as}: no type {result!r}: results are numbers and bool")
    if pointers:
        raise ValueError(f"{said_as}: results are returned, or all written through pointers")
    return [(dtype, False, "")]


def _check(x, wanted, said_as):
    """TypeError for what does not become the type of a parameter without a loss."""
    if isinstance(x, bool | int | float | complex):
        fits = np.result_type(x, wanted) == wanted
        if fits and isinstance(x, int) and np.dtype(wanted).kind in "iu":
            fits = np.iinfo(wanted).min <= x <= np.iinfo(wanted).max
        given = type(x).__name__
    else:
        given = x.dtype if isinstance(x, np.generic) else _core._leaf_dtype(x)
        fits = given is not None and given.kind in "biuf" and np.can_cast(given, wanted)
        given = "no numbers" if given is None else given
    if not fits:
        raise TypeError(f"{said_as}: expected {wanted}, got {given} (values_astype converts)")


def _with_results(function, count, results):
    """A function around this one, for Numba: each result as the type it is said to have."""
    env = {"f": numba().njit(**python_function(function)[1])(python_function(function)[0])}
    for k, (t, _, _) in enumerate(results):
        env[f"t{k}"] = bool if t == "bool" else getattr(np, t)
    names = ", ".join(f"a{i}" for i in range(count))
    out = "t0(r)"
    if len(results) > 1:
        from collections import namedtuple

        env["Results"] = namedtuple("Results", [f for _, _, f in results])
        out = f"Results({', '.join(f't{k}(r{k})' for k in range(len(results)))})"
    taken = ", ".join(f"r{k}" for k in range(len(results))) if len(results) > 1 else "r"
    exec(f"def half({names}):\n    {taken} = f({names})\n    return {out}", env)
    return env["half"]


def device_function(code, cpu=None):
    """A function of arrays from the text of one of numbers in CUDA C++, an operation like any
    other: broadcast, lazy, computed in the loop of what is around it.

    The text ends with the function, others may stand before it. Types are those of its
    parameters: arrays and numbers that become them without a loss are taken. It returns its
    result, or writes several through pointers that are the last parameters: records with their
    names. Where an argument is missing it is not called, and the result is missing.

    It computes on a GPU. `cpu` is a Python function of the same numbers, for arrays in RAM, which
    Numba compiles. An `elementwise_kernel` takes it as a preamble.

    TypeError for types that do not fit, and for arrays in RAM without a `cpu`; RuntimeError with
    the lines of the text for what does not compile, when somebody looks.

    >>> bent = device_function("double bent(double x) { return x > 1 ? sqrt(x) : x; }",
    ...                        cpu=lambda x: x**0.5 if x > 1 else x)
    >>> bent(Array([[4.0, 0.5], [], [None, 9.0]])) * 2
    <Array [[4, 1], [], [None, 6]] type='3 * var * ?float64'>
    """
    return DeviceFunction(code, cpu)
