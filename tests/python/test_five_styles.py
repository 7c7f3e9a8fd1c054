# The heaviest pair of each event in the styles of docs/kernels.md, beside a loop in Python.
import math
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

numba = pytest.importorskip("numba", reason="compiles the functions")
needs_gpu = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)


def mass(pt1, pt2, deta, dphi):
    return math.sqrt(2 * pt1 * pt2 * (math.cosh(deta) - math.cos(dphi)))


def events(n=500):
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 6, n)
    columns = {
        "pt": rng.exponential(30, counts.sum()) + 1,
        "eta": rng.normal(size=counts.sum()),
        "phi": rng.uniform(-np.pi, np.pi, counts.sum()),
    }
    return ak.unflatten(ak.zip(columns), counts)


def by_hand(muons):
    out = []
    for event in muons.to_list():
        pairs = [(p, q) for i, p in enumerate(event) for q in event[i + 1 :]]
        out.append(max((mass_of(p, q) for p, q in pairs), default=0.0))
    return out


def mass_of(p, q):
    return mass(p["pt"], q["pt"], p["eta"] - q["eta"], p["phi"] - q["phi"])


def pairs(muons):
    a, b = ak.unzip(ak.combinations(muons, 2))
    return a.pt, b.pt, a.eta - b.eta, a.phi - b.phi


def largest(masses):
    return ak.fill_none(ak.max(masses, axis=1), 0.0)


TEXT = "double mass(double x, double y, double deta, double dphi) { %s }"
STATEMENT = "sqrt(2 * x * y * (cosh(deta) - cos(dphi)))"


def expression(muons):
    x, y, deta, dphi = pairs(muons)
    return largest(np.sqrt(2 * x * y * (np.cosh(deta) - np.cos(dphi))))


def function_of_numbers(muons):
    return largest(ak.apply(mass, *pairs(muons)))


def text_and_function(muons):
    return largest(ak.device_function(TEXT % f"return {STATEMENT};", cpu=mass)(*pairs(muons)))


def function_of_lists(muons):
    def masses(muons):
        for i in range(len(muons)):
            one = muons[i]
            for other in muons[i + 1 :]:
                yield mass(one.pt, other.pt, one.eta - other.eta, one.phi - other.phi)

    return largest(ak.apply(masses, muons, axis=1))


def loop_of_numba(muons):
    compiled = numba.njit(mass)

    @numba.njit
    def heaviest(events, out):
        for k in range(len(events)):
            for i in range(len(events[k])):
                one = events[k][i]
                for other in events[k][i + 1 :]:
                    m = compiled(one.pt, other.pt, one.eta - other.eta, one.phi - other.phi)
                    out[k] = max(out[k], m)
        return out

    return ak.Array(heaviest(muons, np.zeros(len(muons))))


def elementwise_text(muons):
    kernel = ak.elementwise_kernel("T x, T y, T deta, T dphi", "T m", f"m = {STATEMENT}", "mass")
    return largest(kernel(*pairs(muons)))


RAW = r"""
extern "C" __global__ void heaviest(const int64_t* offsets, const double* pt, const double* eta,
                                    const double* phi, double* out, int64_t n) {
  const int64_t k = blockIdx.x * 256l + threadIdx.x;
  if (k >= n) return;
  double best = 0;
  for (int64_t i = offsets[k]; i < offsets[k + 1]; i++)
    for (int64_t j = i + 1; j < offsets[k + 1]; j++)
      best = fmax(best, sqrt(2 * pt[i] * pt[j] * (cosh(eta[i] - eta[j]) - cos(phi[i] - phi[j]))));
  out[k] = best;
}"""


def whole_kernel(muons):
    lists = ak.to_packed(muons).layout.to_ListOffsetArray64(True)
    columns = [ak.Array(lists.content[name].data) for name in ("pt", "eta", "phi")]
    out = ak.to_backend(ak.Array(np.zeros(len(muons))), "cuda")
    kernel = ak.raw_kernel(RAW, "heaviest")
    kernel.launch(len(muons), ak.Array(lists.offsets.data), *columns, out, len(muons))
    return out


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize(
    "style",
    [expression, function_of_numbers, text_and_function, function_of_lists, loop_of_numba],
)
def test_on_a_cpu(style):
    muons = events()
    np.testing.assert_allclose(ak.to_numpy(style(muons)), by_hand(muons), rtol=1e-12)


@needs_gpu
@pytest.mark.parametrize(
    "style",
    [
        expression,
        function_of_numbers,
        text_and_function,
        function_of_lists,
        elementwise_text,
        whole_kernel,
    ],
)
def test_on_a_gpu(style):
    is_emulated = "SERRATE_CUDA_PLUGIN" in os.environ
    if style in (function_of_numbers, function_of_lists) and not is_emulated:
        pytest.importorskip("numba_cuda", reason="compiles functions for GPUs")
    muons = ak.to_backend(events(), "cuda")
    want = by_hand(ak.to_backend(muons, "cpu"))
    got = style(muons)
    assert ak.backend(got) == "cuda"
    np.testing.assert_allclose(in_ram(got), want, rtol=1e-12)
