"""Kernels as they are: ak.raw_kernel, ak.raw_module."""

from serrate import _core
from serrate._kernels import _c


class RawKernel:
    """A kernel of CUDA C++: kernel(grid, block, args, shared_mem=0), as CuPy's.

    Numbers go to parameters that are numbers, flat or regular arrays on the GPU (also CuPy's and
    Numba's) to pointers; their types must be equal. An array that is written to (T*, not const
    T*) is written where it lies if nobody else has its memory, else it gets a copy first: what
    others hold of it stays as it was.

    TypeError for arguments that do not fit, ValueError for a grid that can not be,
    RuntimeError with the lines of the text for what does not compile.
    """

    def __init__(self, code, name):
        found = _c.kernels_in(code)
        if name not in found:
            there = ", ".join(found) or "no kernel"
            raise ValueError(
                f'raw_kernel: no extern "C" __global__ void {name}(...); found {there}'
            )
        self.name, self.code = name, code
        self.parameters = _c.parameters(found[name], f"kernel {name}")
        text = f'{_c.INTEGERS}\n#line 1 "{name}"\n{code}'
        self._whole = _c.with_entry(text, name, found[name])
        self._launcher = _core._Launcher(name, self._whole, self.parameters, f"kernel {name}")
        self._launch = self._launcher.launch

    def _launcher_of_out(self):
        """For kernels of ours: what they write to is fresh memory."""
        fresh = [("out", *p[1:]) if p[0] == "written" else p for p in self.parameters]
        return _core._Launcher(self.name, self._whole, fresh, f"kernel {self.name}")

    def __call__(self, grid, block, args, shared_mem=0):
        """Launches it on this thread's stream; nothing waits."""
        self._launch(grid, block, shared_mem, args if type(args) is tuple else tuple(args))

    def launch(self, n, *args):
        """Launches at least n threads in blocks of 256."""
        if n > 0:
            self._launch((n + 255) // 256, 256, 0, args)

    def compile(self):
        """Compiles it now, if nobody has."""
        self._launcher.load()

    def __repr__(self):
        return f"<RawKernel {self.name}>"


class RawModule:
    """Several kernels of one text: module.get_function(name)."""

    def __init__(self, code):
        self.code, self._kernels = code, {}

    def get_function(self, name):
        """The kernel of that name; ValueError if there is none."""
        if name not in self._kernels:
            self._kernels[name] = RawKernel(self.code, name)
        return self._kernels[name]

    @property
    def names(self):
        """The names of its kernels."""
        return list(_c.kernels_in(self.code))


def raw_kernel(code, name):
    """A kernel of CUDA C++ text, compiled at its first launch and kept on disk.

    >>> add = raw_kernel(r'''
    ... extern "C" __global__ void add(const double* x, const double* y, double* out, int64_t n) {
    ...   const int64_t i = blockIdx.x * 256l + threadIdx.x;
    ...   if (i < n) out[i] = x[i] + y[i];
    ... }''', "add")  # doctest: +SKIP
    >>> add((blocks,), (256,), (x, y, out, len(x)))  # doctest: +SKIP
    """
    return RawKernel(code, name)


def raw_module(code):
    """The kernels of a text of CUDA C++: raw_module(code).get_function(name)."""
    return RawModule(code)
