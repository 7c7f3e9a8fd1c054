"""Whether memory is shared with other libraries or copied, measured by addresses.

`./dev py tests/python/neighbours.py` writes the table of docs/neighbours.md: rows of libraries that
are not installed stay as they are. test_neighbour_table.py compares.
"""

import importlib.util
import pathlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from neighbour_arrays import (
    address,
    both,
    incoming,
    made_awkward,
    made_buffer,
    made_capsules,
    made_host_numbers,
    made_jax,
    made_nanoarrow,
    made_nested,
    made_pandas,
    made_polars,
    made_pyarrow,
    made_pyarrow_array,
    made_pyarrow_lists,
    made_tensorflow,
    made_through_device,
    made_to_jax,
    made_torch,
    numbers,
    of_awkward,
    of_capsules,
    of_dlpack,
    of_jagged,
    of_jax,
    of_nanoarrow,
    of_numpy,
    of_polars,
    of_pyarrow,
    of_tensorflow,
    of_torch,
    of_torch_nested,
    on_gpu,
    ours,
    ragged,
    read_only,
    there,
)

import serrate as ak

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "neighbours.md"
HEAD = "| neighbour | direction | how | device | numbers |\n|---|---|---|---|---|\n"


class Row(NamedTuple):
    neighbour: str
    direction: str
    how: str
    device: str
    measure: Callable  # (the address of theirs, of ours)
    needs: str = "numpy"

    @property
    def cells(self):
        return f"| {self.neighbour} | {self.direction} | `{self.how}` | {self.device} |"

    @property
    def can_be_measured(self):
        return importlib.util.find_spec(self.needs) is not None

    def result(self):
        theirs, ours = self.measure()
        return "shared" if theirs == ours else "copied"


ROWS = [
    Row("NumPy", "in", "ak.Array(a)", "CPU", lambda: incoming(numbers, ak.Array)),
    Row("NumPy, read-only", "in", "ak.Array(a)", "CPU", lambda: incoming(read_only, ak.Array)),
    Row(
        "NumPy",
        "in",
        "ak.Array(a, copy=False)",
        "CPU",
        lambda: incoming(numbers, lambda a: ak.Array(a, copy=False)),
    ),
    Row("NumPy", "out", "np.asarray(x)", "CPU", lambda: both(ours, np.asarray)),
    Row(
        "NumPy",
        "out",
        "ak.to_numpy(x, copy=False)",
        "CPU",
        lambda: both(ours, lambda x: ak.to_numpy(x, copy=False)),
    ),
    Row("DLPack", "in", "ak.from_dlpack(a)", "CPU", lambda: incoming(numbers, ak.from_dlpack)),
    Row("DLPack", "out", "np.from_dlpack(x)", "CPU", lambda: both(ours, np.from_dlpack)),
    Row(
        "DLPack before 1.0",
        "out",
        "x.__dlpack__()",
        "CPU",
        lambda: both(ours, lambda x: x.__dlpack__(), theirs_of=of_dlpack),
    ),
    Row(
        "pyarrow",
        "in",
        "ak.Array(a)",
        "CPU",
        lambda: incoming(made_pyarrow_array, ak.Array, of_pyarrow),
        "pyarrow",
    ),
    Row(
        "pyarrow, lists",
        "in",
        "ak.Array(a)",
        "CPU",
        lambda: incoming(made_pyarrow_lists, ak.Array, of_pyarrow),
        "pyarrow",
    ),
    Row(
        "pyarrow",
        "out",
        "pa.array(x)",
        "CPU",
        lambda: both(ours, made_pyarrow, theirs_of=of_pyarrow),
        "pyarrow",
    ),
    Row(
        "pyarrow, lists",
        "out",
        "ak.to_arrow(x)",
        "CPU",
        lambda: both(ragged, ak.to_arrow, theirs_of=of_pyarrow),
        "pyarrow",
    ),
    Row(
        "Polars",
        "in",
        "ak.Array(s)",
        "CPU",
        lambda: incoming(lambda: made_polars(numbers()), ak.Array, of_polars),
        "polars",
    ),
    Row(
        "Polars",
        "out",
        "pl.Series(x)",
        "CPU",
        lambda: both(ours, made_polars, theirs_of=of_polars),
        "polars",
    ),
    Row(
        "pandas",
        "in",
        "ak.Array(s)",
        "CPU",
        lambda: incoming(
            lambda: made_pandas(numbers()), ak.Array, lambda s: of_numpy(s.to_numpy())
        ),
        "pandas",
    ),
    Row(
        "pandas",
        "out",
        "serrate.pandas.NestedArray(x)",
        "CPU",
        lambda: both(ragged, made_nested, theirs_of=lambda c: address(c.array)),
        "pandas",
    ),
    Row(
        "nanoarrow",
        "in",
        "ak.Array(a)",
        "CPU",
        lambda: incoming(lambda: made_nanoarrow(ours()), ak.Array, of_nanoarrow),
        "nanoarrow",
    ),
    Row(
        "nanoarrow",
        "out",
        "na.c_array(x)",
        "CPU",
        lambda: both(ours, made_nanoarrow, theirs_of=of_nanoarrow),
        "nanoarrow",
    ),
    Row(
        "Awkward Array",
        "in",
        "ak.Array(a)",
        "CPU",
        lambda: incoming(lambda: made_awkward(numbers()), ak.Array, of_awkward),
        "awkward",
    ),
    Row(
        "Awkward Array",
        "out",
        "ak.to_awkward(x)",
        "CPU",
        lambda: both(ragged, ak.to_awkward, theirs_of=of_awkward),
        "awkward",
    ),
    Row(
        "PyTorch",
        "in",
        "ak.from_torch(t)",
        "CPU",
        lambda: incoming(made_torch, ak.from_torch, of_torch),
        "torch",
    ),
    Row(
        "PyTorch",
        "in",
        "ak.from_torch(t, copy=False)",
        "CPU",
        lambda: incoming(made_torch, lambda t: ak.from_torch(t, copy=False), of_torch),
        "torch",
    ),
    Row(
        "PyTorch",
        "out",
        "ak.to_torch(x)",
        "CPU",
        lambda: both(ours, ak.to_torch, theirs_of=of_torch),
        "torch",
    ),
    Row(
        "PyTorch, nested",
        "out",
        "ak.to_torch(x)",
        "CPU",
        lambda: both(ragged, ak.to_torch, theirs_of=of_torch_nested),
        "torch",
    ),
    Row(
        "JAX", "in", "ak.from_jax(j)", "CPU", lambda: incoming(made_jax, ak.from_jax, of_jax), "jax"
    ),
    Row(
        "JAX",
        "out",
        "ak.to_jax(x)",
        "CPU",
        lambda: both(ours, made_to_jax, theirs_of=of_jax),
        "jax",
    ),
    Row(
        "JAX, `Jagged`",
        "out",
        "ak.to_jax(x)",
        "CPU",
        lambda: both(ragged, made_to_jax, theirs_of=of_jagged),
        "jax",
    ),
    Row(
        "TensorFlow",
        "in",
        "ak.from_tensorflow(t)",
        "CPU",
        lambda: incoming(made_tensorflow, ak.from_tensorflow, of_tensorflow),
        "tensorflow",
    ),
    Row(
        "TensorFlow",
        "out",
        "ak.to_tensorflow(x)",
        "CPU",
        lambda: both(ours, ak.to_tensorflow, theirs_of=of_tensorflow),
        "tensorflow",
    ),
    Row(
        "TensorFlow, ragged",
        "out",
        "ak.to_tensorflow(x)",
        "CPU",
        lambda: both(ragged, ak.to_tensorflow, theirs_of=lambda t: of_tensorflow(t.values)),
        "tensorflow",
    ),
    Row(
        "CuPy, Numba",
        "in",
        "ak.from_cupy(a)",
        "GPU",
        lambda: incoming(made_host_numbers, ak.from_cupy, there, there),
    ),
    Row(
        "CuPy, Numba",
        "in",
        "ak.from_cupy(a, copy=False)",
        "GPU",
        lambda: incoming(made_host_numbers, lambda a: ak.from_cupy(a, copy=False), there, there),
    ),
    Row(
        "CuPy, Numba",
        "out",
        "x.__cuda_array_interface__",
        "GPU",
        lambda: both(on_gpu, lambda x: x, there, there),
    ),
    Row(
        "DLPack",
        "in",
        "ak.from_dlpack(a, copy=False)",
        "GPU",
        lambda: incoming(
            made_buffer, lambda b: ak.from_dlpack(b, copy=False), lambda b: b.address, there
        ),
    ),
    Row(
        "DLPack",
        "out",
        "x.__dlpack__()",
        "GPU",
        lambda: both(on_gpu, lambda x: x.__dlpack__(), there, of_dlpack),
    ),
    Row(
        "Arrow's device arrays",
        "in",
        "ak.from_arrow(a)",
        "GPU",
        lambda: incoming(on_gpu, made_through_device, there, there),
    ),
    Row(
        "Arrow's device arrays",
        "out",
        "x.__arrow_c_device_array__()",
        "GPU",
        lambda: both(on_gpu, made_capsules, there, of_capsules),
    ),
    Row(
        "`CudaBuffer`",
        "out",
        "cuda.CudaBuffer.from_buffer(x)",
        "GPU",
        lambda: both(on_gpu, ak.cuda.CudaBuffer.from_buffer, there, lambda b: b.address),
    ),
]


def known(page):
    """What the page says: the last cell by the others."""
    out = {}
    for line in page[page.index(HEAD) + len(HEAD) :].split("\n\n")[0].strip().splitlines():
        cells, _, last = line.strip().removesuffix(" |").rpartition(" | ")
        out[cells + " |"] = last
    return out


def table(before):
    return HEAD + "".join(
        f"{row.cells} {row.result() if row.can_be_measured else before[row.cells]} |\n"
        for row in ROWS
        if row.can_be_measured or row.cells in before
    )


if __name__ == "__main__":
    text = PAGE.read_text()
    old = text[text.index(HEAD) :].split("\n\n")[0]
    PAGE.write_text(text.replace(old, table(known(text)).rstrip("\n")))
