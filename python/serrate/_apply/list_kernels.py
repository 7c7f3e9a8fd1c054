"""Functions of lists on a GPU: kernels of a thread a list, around the function. Generators run
twice: one kernel counts, one stores where a scan of the counts says."""

import threading

from serrate import _core
from serrate._apply.list_code import device_function, keep
from serrate._apply.list_errors import FailedRow
from serrate._kernels import _c
from serrate._kernels._c import NAMES

_THREADS = 128
_MOST_WORDS = 480  # of the 4 KiB that arguments of a kernel may have


def rows_on_gpu(function, arrays, n):
    """apply of a function of rows: arrays on the GPU, evaluated, of n rows each, and numbers."""
    return kernels_of(function, arrays)(arrays, n)


def kernels_of(function, arrays):
    """What rows_on_gpu does of such arguments."""
    made = _prepared(function, tuple(_argument(x) for x in arrays))
    return made.ragged if made.yields else made.of_rows


def _argument(x):
    """The name of a number's dtype, or what says of what an array's views are."""
    if isinstance(x, _core.Array):
        form, list_name, _, behavior = _core._numba_parts(x)
        return form, list_name, behavior
    return _core._apply_type(x)


class _Kernels:
    def __init__(self, function, arguments):
        f = device_function(function, arguments)
        self.name, self.shape, self.yields = function.__name__, f.shape, f.yields
        self._outputs, self._text, self._arguments = f.outputs, keep(f), arguments
        self._declared, self._parameters, self._given = [], [], []
        for k, x in enumerate(arguments):
            self._add_argument(k, x)
        self._function = f.name
        if f.yields:
            self._count = self._kernel("count", *self._counting())
            self._store = self._kernel("store", *self._storing())
        else:
            self._compute = self._kernel("compute", *self._computing())

    def _add_argument(self, k, x):
        if isinstance(x, str):
            self._declared.append(f"{NAMES[x]} a{k}")
            self._parameters.append(("scalar", x, f"a{k}", 0))
            self._given.append(f"a{k}")
            return
        words = 2 + _words_of(x[0])
        if words > _MOST_WORDS:
            text = f"apply: an argument has {words} columns; choose fields first"
            raise TypeError(text)
        names = [f"a{k}_{w}" for w in range(words)]
        self._declared += [f"long long {name}" for name in names]
        self._parameters.append(("view", None, f"a{k}", words, x[0]))
        self._given += names

    # -- texts ------------------------------------------------------------------------------------
    def _prototype(self):
        longs = ["long long i"] + ["long long at", "long long room"] * self.yields
        given = [x.replace("bool ", "unsigned char ", 1) for x in self._declared]
        outs = [f"{_stored(t)}* o{k}" for k, t in enumerate(self._outputs)]
        outs += ["long long* count"] * self.yields + ["int* status"]
        inside = ", ".join([*longs, *given, *outs])
        return f'extern "C" __device__ void {self._function}({inside});\n'

    def _call(self, at, outs):
        given = ", ".join(["i", *at, *self._given, *outs, "&status"])
        return f"int status = 0;\n  {self._function}({given});\n"

    def _outs(self):
        """(C's parameters, _Launcher's) of the results."""
        declared = [f"{_stored(t)}* o{k}" for k, t in enumerate(self._outputs)]
        return declared, [
            ("out", "uint8" if t == "bool" else t, f"o{k}", 0) for k, t in enumerate(self._outputs)
        ]

    def _computing(self):
        declared, parameters = self._outs()
        locals_ = "".join(f"  {_stored(t)} r{k};\n" for k, t in enumerate(self._outputs))
        body = locals_ + "  " + self._call([], [f"&r{k}" for k in range(len(self._outputs))])
        body += "".join(f"  o{k}[i] = r{k};\n" for k in range(len(self._outputs)))
        return declared, parameters, body + _KEEP_FAILED

    def _counting(self):
        nulls = [f"({_stored(t)}*)0" for t in self._outputs]
        body = "  long long n = 0;\n  " + self._call(["0ll", "0ll"], [*nulls, "&n"])
        body += "  lengths[i] = status == 0 ? n : 0;\n" + _KEEP_FAILED
        return ["long long* lengths"], [("out", "int64", "lengths", 0)], body

    def _storing(self):
        """Nothing fails that did not fail in the kernel that counts."""
        declared, parameters = self._outs()
        outs = [f"o{k}" for k in range(len(self._outputs))]
        body = "  long long n = 0;\n  const long long at = ((const long long*)offsets)[i];\n  "
        body += self._call(["at", "1ll"], [*outs, "&n"])
        declared.append("long long offsets")
        parameters.append(("scalar", "int64", "offsets", 0))
        return declared, parameters, body

    def _kernel(self, name, declared, parameters, body):
        declared = ["long long rows", *self._declared, *declared, "long long failed"]
        text = ", ".join(declared)
        code = f"{self._text}{self._prototype()}"
        code += f'extern "C" __global__ void __launch_bounds__({_THREADS}) {name}({text}) {{\n'
        code += f"  const long long i = blockIdx.x * {_THREADS}ll + threadIdx.x;\n"
        code += f"  if (i >= rows) return;\n{body}}}\n"
        code = _c.with_entry(code, name, text)
        parameters = [
            ("scalar", "int64", "rows", 0),
            *self._parameters,
            *parameters,
            ("scalar", "int64", "failed", 0),
        ]
        return _core._Launcher(name, code, parameters, f"apply: {self.name}")

    # -- runs -------------------------------------------------------------------------------------
    def _launch(self, kernel, n, failed, *args):
        blocks = (n + _THREADS - 1) // _THREADS
        kernel.launch(blocks, _THREADS, 0, (n, *args, failed))

    def of_rows(self, arrays, n):
        outs = self._new_outputs(n)
        if n:
            slot = _slots.pop() if _slots else _core._FailedList()
            self._launch(self._compute, n, slot.address, *arrays, *outs)
        found = self.shape.array(self._results(outs))  # while the kernel runs
        if n:
            _check(slot, slot.wait())
        return found

    def ragged(self, arrays, n):
        lengths = _core._cuda_empty(n, "int64")
        if n:
            slot = _slots.pop() if _slots else _core._FailedList()
            self._launch(self._count, n, slot.address, *arrays, lengths)
        offsets = _core._ListOffsets(lengths)
        total = offsets.total()
        if n:
            _check(slot, slot.look())
        outs = self._new_outputs(total)
        if total:
            self._launch(self._store, n, 0, *arrays, *outs, offsets.address)
        return offsets.lists(self.shape.array(self._results(outs)))

    def _new_outputs(self, n):
        return [_core._cuda_empty(n, "uint8" if t == "bool" else t) for t in self._outputs]

    def _results(self, outs):
        pairs = zip(outs, self._outputs, strict=True)
        return [x != 0 if t == "bool" else x for x, t in pairs]


_KEEP_FAILED = "  if (status != 0) atomicMin((long long*)failed, i);\n"
_slots = []  # in which no list has failed


def _check(slot, row):
    if row >= 0:
        raise FailedRow(row)
    _slots.append(slot)


def _stored(name):
    return "unsigned char" if name == "bool" else NAMES[name]


def _words_of(form):
    from serrate._numba import _forms

    return _forms.words(_forms.parse(form))


_made, _lock = {}, threading.Lock()


def _prepared(function, arguments):
    key = (function, *((*x[:2], id(x[2])) if isinstance(x, tuple) else x for x in arguments))
    with _lock:
        found = _made.get(key)
    if found is None:
        found = _Kernels(function, arguments)
        with _lock:
            if len(_made) > 1024:
                _made.clear()
            _made[key] = found
    return found
