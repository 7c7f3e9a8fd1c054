"""Kernels of one item: ak.elementwise_kernel."""

import functools
import re

import numpy as np

from serrate import _core
from serrate._apply.rows import written_down
from serrate._kernels import _c, _text
from serrate._kernels._raw import RawKernel
from serrate._transform import transform
from serrate.contents import NumpyArray


class Parameter:
    """One of in_params or out_params: a type, a name, whether it is a whole array (raw)."""

    def __init__(self, text, said_as):
        words = text.split()
        self.raw = words[:1] == ["raw"]
        words = words[1:] if self.raw else words
        if len(words) < 2:
            raise ValueError(f"{said_as}: parameter {text!r}: expected a type and a name")
        self.type, self.name = " ".join(words[:-1]), words[-1]
        self.generic = bool(re.fullmatch(r"[A-Z]", self.type))
        self.dtype = None if self.generic else self._dtype(text, said_as)

    def _dtype(self, text, said_as):
        found = _c.dtype_of(self.type)
        if found is None and self.type in _c.NAMES:
            found = self.type
        if found is None:
            raise TypeError(f"{said_as}: parameter {text!r}: no type {self.type!r}")
        return np.dtype(found)


def parameters(text, said_as):
    return [Parameter(p.strip(), said_as) for p in text.split(",") if p.strip()]


class Types:
    """What the letters of generic types mean in one call."""

    def __init__(self, said_as):
        self.said_as, self.known = said_as, {}

    def see(self, parameter, dtype):
        """An argument of this type was given."""
        wanted = parameter.dtype
        if parameter.generic:
            wanted = self.known.setdefault(parameter.type, dtype)
        if wanted != dtype:
            raise TypeError(
                f"{self.said_as}: argument {parameter.name!r}: expected {wanted}, got {dtype}"
            )

    def of(self, parameter):
        found = self.known.get(parameter.type) if parameter.generic else parameter.dtype
        if found is None:
            raise TypeError(f"{self.said_as}: nothing says what {parameter.type} is")
        return found

    def see_all(self, inputs, args, dtype=None):
        """Arrays say what letters mean, numbers take what they are told."""
        for p, x in zip(inputs, args, strict=True):
            if isinstance(x, _core.Array):
                self.see(p, (dtype or dtype_of)(x))
        for p, x in zip(inputs, args, strict=True):
            if not isinstance(x, _core.Array) and p.generic:
                self.known.setdefault(p.type, np.result_type(x))

    def declared(self):
        """typedefs of the letters."""
        return "".join(
            f"typedef {_c.c_name(t, self.said_as)} {letter};\n" for letter, t in self.known.items()
        )

    def key(self):
        return tuple(sorted((k, v.name) for k, v in self.known.items()))


def dtype_of(flat):
    """The dtype of flat numbers on the GPU."""
    return _core._leaf_dtype(flat)


def leaf_dtype(x):
    """The dtype of the numbers in an array, evaluated or not."""
    found = _core._leaf_dtype(x)
    if found is None:
        raise TypeError("kernels of users are not defined for records, strings and unions")
    return found


def of_c(dtype, said_as):
    """The name of a dtype that kernels have; TypeError for others."""
    _c.c_name(dtype, said_as)
    return np.dtype(dtype).name


def text_of(preamble):
    """The text of a preamble: text, a device_function, or several of these."""
    parts = preamble if isinstance(preamble, list | tuple) else [preamble]
    return "\n".join(p if isinstance(p, str) else p.code for p in parts)


class ElementwiseKernel:
    """See elementwise_kernel."""

    def __init__(self, in_params, out_params, operation, name="elementwise_kernel", preamble=""):
        self.name, self.operation, self.preamble = name, operation, text_of(preamble)
        self._given = in_params, out_params, operation, name, self.preamble
        self.inputs = parameters(in_params, name)
        self.outputs = parameters(out_params, name)
        if not self.outputs:
            raise ValueError(f"{name}: expected at least one output")
        if any(p.raw for p in self.outputs):
            raise ValueError(f"{name}: outputs can't be raw")
        self._kernels, self._functions = {}, {}

    def __call__(self, *args):
        if (later := written_down(self, args)) is not None:
            return later
        if len(args) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} arguments, got {len(args)}")
        args = [as_operand(x, self.name) for x in args]
        places = [
            i
            for i, (x, p) in enumerate(zip(args, self.inputs, strict=True))
            if isinstance(x, _core.Array) and not p.raw
        ]
        if not places:
            raise TypeError(f"{self.name}: expected an array that is not raw among the arguments")
        if not self._needs_places:
            return self._lazily(args)
        run = functools.partial(self._leaves, args, places)
        arrays = [args[i] for i in places]
        several = len(arrays) == 1 < len(self.outputs)
        return transform(run, *(arrays * 2 if several else arrays))

    @functools.cached_property
    def _needs_places(self):
        """Whether it looks at other items than its own: then it is a kernel by itself."""
        words = set(re.findall(r"\b[in]\b", _c.without_comments(self.operation)))
        names = {p.name for p in (*self.inputs, *self.outputs)}
        return any(p.raw for p in self.inputs) or not words <= names

    def _lazily(self, args):
        """As an operation in the loop of what is around it."""
        types = Types(self.name)
        types.see_all(self.inputs, args, leaf_dtype)
        key = types.key()
        if key not in self._functions:
            self._functions[key] = self.function(types)
        out = _core._apply(self._functions[key], tuple(args), None)
        return _core.unzip(out) if len(self.outputs) > 1 else out

    def function(self, types):
        """The statement as a function of arrays, where letters mean these types."""
        inputs, outputs = (
            [(of_c(types.of(p), self.name), p.name) for p in parameters]
            for parameters in (self.inputs, self.outputs)
        )
        entry = _text.statement(self._symbol(), inputs, outputs, self.operation)
        return _text.made(self.name, entry, f"{types.declared()}{self.preamble}\n")

    def _leaves(self, args, places, layouts, **_):
        layouts = layouts if isinstance(layouts, tuple) else (layouts,)
        if not all(x.is_numpy or x.is_unknown for x in layouts):
            refuse_others(layouts, self.name)
            return None
        operands = list(args)
        for i, x in zip(places, layouts, strict=False):
            operands[i] = _core.Array(x.data) if x.is_numpy else _core._cuda_empty(0, "float64")
        out = tuple(NumpyArray(x) for x in self._run(operands, len(layouts[0])))
        return out if len(out) > 1 else out[0]

    def _run(self, operands, n):
        types = Types(self.name)
        types.see_all(self.inputs, operands)
        flags = tuple(isinstance(x, _core.Array) for x in operands)
        key = types.key(), flags
        if key not in self._kernels:
            self._kernels[key] = RawKernel(
                self._text(types, flags), self._symbol()
            )._launcher_of_out()
        results = [_core._cuda_empty(n, types.of(p)) for p in self.outputs]
        if n > 0:
            blocks = min((n + 255) // 256, 1 << 20)
            self._kernels[key].launch(blocks, 256, 0, (*operands, *results, n))
        return results

    def _symbol(self):
        return re.sub(r"\W", "_", self.name)

    def _text(self, types, flags):
        declared, inside, stored = [], [], []
        for p, array in zip(self.inputs, flags, strict=True):
            c = _c.c_name(types.of(p), self.name)
            given = p.name if p.raw or not array else f"{p.name}_items"
            declared.append(f"const {c}* {given}" if array else f"{c} {given}")
            if array and not p.raw:
                inside.append(f"const {c} {p.name} = {p.name}_items[i];")
        for p in self.outputs:
            c = _c.c_name(types.of(p), self.name)
            declared.append(f"{c}* {p.name}_items")
            inside.append(f"{c} {p.name};")
            stored.append(f"{p.name}_items[i] = {p.name};")
        return TEMPLATE.format(
            preamble=types.declared() + self.preamble,
            name=self._symbol(),
            parameters=", ".join([*declared, "long long n"]),
            inside=" ".join(inside),
            operation=self.operation,
            stored=" ".join(stored),
        )

    def __reduce__(self):
        return ElementwiseKernel, self._given

    def __repr__(self):
        return f"<elementwise_kernel {self.name}>"


TEMPLATE = """{preamble}
extern "C" __global__ void __launch_bounds__(256) {name}({parameters}) {{
for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {{ {inside}
#line 1 "{name}"
{operation};
{stored} }} }}
"""


def as_operand(x, said_as):
    """A number, or an array on the GPU."""
    if isinstance(x, bool | int | float | np.number | np.bool_):
        return x
    if not isinstance(x, _core.Array):
        x = _core.Array(x)
    if _core.backend(x) != "cuda":
        raise TypeError(f'{said_as} computes on a GPU; to_backend(array, "cuda") brings an array')
    return x


def refuse_others(layouts, said_as):
    for x in layouts:
        if x.is_record or x.parameter("__array__") in ("string", "bytestring"):
            what = "records" if x.is_record else "strings"
            raise TypeError(f"{said_as} is not defined for {what}")


def elementwise_kernel(in_params, out_params, operation, name="elementwise_kernel", preamble=""):
    """A function of arrays of any nesting from CUDA C++ of one item, in CuPy's argument style.

    Types are dtypes, C's names, or capital letters for what the arguments have. Arguments broadcast
    as operands do; missing items stay missing. The result is lazy, and computed in the loop of
    what is around it. `preamble` is text before it, a device_function, or a list of these.

    `raw` parameters are whole flat arrays, indexed by hand; i is the item's index in the leaves, n
    their number. What uses one of these is a kernel by itself, whose arguments are evaluated.
    GPU only.

    >>> mass = elementwise_kernel(
    ...     "T pt1, T pt2, T deta, T dphi", "T m",
    ...     "m = sqrt(2 * pt1 * pt2 * (cosh(deta) - cos(dphi)))", "mass")
    >>> mass(a.pt, b.pt, a.eta - b.eta, a.phi - b.phi)  # doctest: +SKIP
    """
    return ElementwiseKernel(in_params, out_params, operation, name, preamble)
