"""Kernels that reduce lists: ak.reduction_kernel."""

import functools
import re

import numpy as np

from serrate import _core
from serrate._kernels import _c, _text
from serrate._kernels._elementwise import (
    Types,
    as_operand,
    leaf_dtype,
    of_c,
    parameters,
    refuse_others,
    text_of,
)
from serrate._kernels._raw import RawKernel
from serrate._transform import transform
from serrate.contents import NumpyArray

PIECE = 8192  # items that one group of threads reduces


class ReductionKernel:
    """See reduction_kernel."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                 name="reduction_kernel", reduce_type=None, preamble=""):  # fmt: skip
        self.name, self.preamble = name, text_of(preamble)
        self.inputs, self.outputs = parameters(in_params, name), parameters(out_params, name)
        if len(self.outputs) != 1 or not self.inputs:
            raise ValueError(f"{name}: expected inputs and one output")
        if any(p.raw for p in (*self.inputs, *self.outputs)):
            raise ValueError(f"{name}: parameters can't be raw")
        self.texts = map_expr, reduce_expr, post_map_expr, str(identity)
        self.reduce_type = reduce_type
        self._kernels, self._mapped = {}, {}

    def __call__(self, *args, axis=None):
        if len(args) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} arguments, got {len(args)}")
        if axis not in (None, -1):
            raise ValueError(f"{self.name}: axis={axis}: None and -1 are possible")
        args = [as_operand(x, self.name) for x in args]
        arrays = [x for x in args if isinstance(x, _core.Array)]
        if not arrays:
            raise TypeError(f"{self.name}: expected an array among the arguments")
        arrays = list(_core.broadcast_arrays(*arrays)) if len(arrays) > 1 else arrays
        if self._maps_one_by_one and not all(map(_core._is_evaluated, arrays)):
            return self._of_mapped(args, axis)
        return self._of_stored(args, arrays, axis)

    def _of_stored(self, args, arrays, axis):
        if axis is None or arrays[0].ndim == 1:
            flat = [_core.ravel(x) for x in arrays]
            one = _core.to_backend(_core.Array(np.array([0, len(flat[0])])), "cuda")
            return self._reduce(args, flat, one)[0]
        run = functools.partial(self._lists, args)
        return transform(run, *arrays)

    @functools.cached_property
    def _maps_one_by_one(self):
        """Whether the map looks at items only, not where they are."""
        return re.search(r"\bi\b", _c.without_comments(self.texts[0])) is None

    def _of_mapped(self, args, axis):
        """Of lazy arguments: the map is computed in the loop that computes them, and its results,
        one array instead of all of them, are what is stored and reduced."""
        types = Types(self.name)
        types.see_all(self.inputs, args, leaf_dtype)
        if types.key() not in self._mapped:
            self._mapped[types.key()] = self._cut_in_two(types)
        mapped, reduced = self._mapped[types.key()]
        items = _core._apply(mapped, tuple(args), None)
        return reduced._of_stored([items], [items], axis)

    def _cut_in_two(self, types):
        """The map as a function of arrays, and the kernel of what it gives."""
        inputs = [(of_c(types.of(p), self.name), p.name) for p in self.inputs]
        partial = of_c(self._partial_type(types), self.name)
        before = f"{types.declared()}{self.preamble}\n"
        operation = f"sr_item = ({self.texts[0]})"
        entry = _text.statement(f"{self._symbol()}_map", inputs, [(partial, "sr_item")], operation)
        out = self.outputs[0]
        of_out = f"{np.dtype(types.of(out)).name} {out.name}"
        reduced = ReductionKernel(
            f"{partial} sr_item", of_out, "sr_item", *self.texts[1:], self.name, partial, before
        )
        return _text.made(self.name, entry, before), reduced

    def _lists(self, args, layouts, **_):
        layouts = layouts if isinstance(layouts, tuple) else (layouts,)
        refuse_others(layouts, self.name)
        if any(x.is_option for x in layouts) or any(
            x.is_list and x.content.is_option for x in layouts
        ):
            raise TypeError(f"{self.name}: items are missing; see fill_none and drop_none")
        if not all(x.is_list and (x.content.is_numpy or x.content.is_unknown) for x in layouts):
            return None
        lists = [x.to_ListOffsetArray64(True) for x in layouts]
        offsets = _core.Array(lists[0].offsets.data)
        flat = [_core.Array(x.content.data) for x in lists]
        return NumpyArray(self._reduce(args, flat, offsets))

    def _reduce(self, args, flat, offsets):
        types = Types(self.name)
        given = iter(flat)
        operands = [next(given) if isinstance(x, _core.Array) else x for x in args]
        types.see_all(self.inputs, operands)
        launchers = self._launchers(types, [isinstance(x, _core.Array) for x in operands])
        lists, items = len(offsets) - 1, len(flat[0])
        out = _core._cuda_empty(lists, types.of(self.outputs[0]))
        pieces = cut(offsets, lists, items)
        if pieces is None:
            launch(launchers["all"], (*operands, offsets, out), lists, items)
            return out
        inner, outer = pieces
        count = len(inner) - 1
        partial = _core._cuda_empty(count, self._partial_type(types))
        launch(launchers["map"], (*operands, inner, partial), count, items)
        launch(launchers["post"], (partial, outer, out), lists, count)
        return out

    def _partial_type(self, types):
        if self.reduce_type is None:
            return types.of(self.outputs[0])
        dtype = _c.dtype_of(self.reduce_type) or self.reduce_type
        return types.known.get(self.reduce_type, None) or np.dtype(dtype)

    def _launchers(self, types, flags):
        key = types.key(), tuple(flags)
        if key not in self._kernels:
            self._kernels[key] = {
                stage: RawKernel(
                    self._text(types, flags, stage), f"{self._symbol()}_{stage}"
                )._launcher_of_out()
                for stage in ("all", "map", "post")
            }
        return self._kernels[key]

    def _symbol(self):
        return re.sub(r"\W", "_", self.name)

    def _text(self, types, flags, stage):
        mapped, reduced, post, identity = self.texts
        partial = _c.c_name(self._partial_type(types), self.name)
        out = self.outputs[0]
        result = _c.c_name(types.of(out), self.name)
        declared, inside = [], []
        for p, array in zip(self.inputs, flags, strict=True):
            c = _c.c_name(types.of(p), self.name)
            declared.append(f"const {c}* {p.name}_items" if array else f"{c} {p.name}")
            inside += [f"const {c} {p.name} = {p.name}_items[i];"] if array else []
        if stage == "post":
            declared, inside, mapped = [f"const {partial}* items"], [], "items[i]"
        final = f"{result} {out.name}; const R a = whole;\n{post};\nout[list] = {out.name};"
        return TEMPLATE.format(
            preamble=types.declared() + self.preamble,
            partial=partial,
            reduced=reduced,
            name=f"{self._symbol()}_{stage}",
            parameters=", ".join(declared),
            result=partial if stage == "map" else result,
            identity=identity,
            inside=" ".join(inside),
            mapped=mapped,
            final="out[list] = whole;" if stage == "map" else final,
        )

    def __repr__(self):
        return f"<reduction_kernel {self.name}>"


TEMPLATE = """{preamble}
typedef {partial} R;
__device__ inline R reduced(R a, R b) {{ return
#line 1 "reduce_expr"
({reduced}); }}
__device__ inline R from_lane(R x, unsigned by, int width) {{
  union {{ R value; unsigned words[(sizeof(R) + 3) / 4]; }} u;
  u.words[0] = 0;
  u.value = x;
  for (unsigned k = 0; k < (sizeof(R) + 3) / 4; ++k)
    u.words[k] = __shfl_xor_sync(0xffffffffu, u.words[k], by, width);
  return u.value;
}}
extern "C" __global__ void __launch_bounds__(256) {name}({parameters}, const long long* offsets,
    {result}* out, long long lists, int lanes) {{
  const long long thread = blockIdx.x * 256ll + threadIdx.x, all = gridDim.x * 256ll / lanes;
  const int lane = (int)(thread % lanes);
  for (long long list = thread / lanes; list - thread / lanes < lists; list += all) {{
    const long long end = list < lists ? offsets[list + 1] : 0;
    R whole = {identity};
    for (long long i = list < lists ? offsets[list] + lane : 0; i < end; i += lanes) {{ {inside}
#line 1 "map_expr"
      const R item = ({mapped});
      whole = reduced(whole, item);
    }}
    for (int by = lanes / 2; by > 0; by /= 2) whole = reduced(whole, from_lane(whole, by, lanes));
    if (lane == 0 && list < lists) {{
#line 1 "post_map_expr"
      {final}
    }}
  }}
}}
"""


def launch(launcher, args, lists, items):
    """As many threads for each list as its mean length asks for."""
    if lists == 0:
        return
    mean, lanes = items / lists, 1
    while lanes < 32 and lanes * 2 < mean:
        lanes *= 2
    blocks = min((lists * lanes + 255) // 256, 1 << 20)
    launcher.launch(blocks, 256, 0, (*args, lists, lanes))


def cut(offsets, lists, items):
    """Where lists are long: offsets of pieces, and which pieces are whose; else None."""
    if items <= PIECE:
        return None
    lengths = offsets[1:] - offsets[:-1]
    if _core.max(lengths) <= 4 * PIECE and lists > 1:
        return None
    starts = _core.to_numpy(_core.to_backend(offsets, "cpu"))
    counts = np.maximum(-(-np.diff(starts) // PIECE), 1)
    outer = np.concatenate([[0], np.cumsum(counts)])
    index = np.arange(outer[-1]) - np.repeat(outer[:-1], counts)
    inner = np.append(np.repeat(starts[:-1], counts) + index * PIECE, starts[-1])
    return tuple(_core.to_backend(_core.Array(x), "cuda") for x in (inner, outer))


def reduction_kernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                     name="reduction_kernel", reduce_type=None, preamble=""):  # fmt: skip
    """A reducer of lists from CUDA C++, in CuPy's argument style: kernel(x, y, axis=None or -1).

    Each item becomes map_expr, two of them (a and b) reduce_expr, what is left (a) the output by
    the statement post_map_expr; an empty list is `identity`. The order in which items meet is
    not fixed: reduce_expr must be associative and commutative. `reduce_type` is the type in
    between, that of the output unless given. GPU only. It is computed at once: map_expr of lazy
    arguments in the loop that computes them, of which its results are stored.

    >>> norm = reduction_kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(x, axis=-1)  # of each list  # doctest: +SKIP
    """
    return ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                           name, reduce_type, preamble)  # fmt: skip
