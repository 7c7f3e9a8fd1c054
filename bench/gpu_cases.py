"""Whole expressions on a GPU: pairs of particles, sums of lists, formulas, small arrays."""

import cupy as cp
import data
import numpy as np
from gpu_timing import RATE, lists, looked

import serrate as ak

PAIRS = r"""
extern "C" __global__ void heaviest(const float* pt, const float* eta, const float* phi,
                                    const long long* off, long long n, float* out) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m = -1;
  for (long long a = off[i]; a < off[i + 1]; a++)
    for (long long b = a + 1; b < off[i + 1]; b++)
      m = fmaxf(m, sqrtf(2 * pt[a] * pt[b] * (coshf(eta[a] - eta[b]) - cosf(phi[a] - phi[b]))));
  out[i] = m;
}
"""


def dielectron(events, mean, most):
    d = data.particles(events, mean)
    electrons = lists(d["offsets"], pt=d["pt"], eta=d["eta"], phi=d["phi"])
    kernel = cp.RawKernel(PAIRS, "heaviest")
    pt, eta, phi, off = (cp.asarray(d[k]) for k in ("pt", "eta", "phi", "offsets"))

    def heaviest(electrons=electrons):
        e1, e2 = ak.unzip(ak.combinations(electrons, 2))
        return ak.max(
            np.sqrt(2 * e1.pt * e2.pt * (np.cosh(e1.eta - e2.eta) - np.cos(e1.phi - e2.phi))),
            axis=-1,
        )

    def raw():
        out = cp.empty(events, np.float32)
        kernel(((events + 255) // 256,), (256,), (pt, eta, phi, off, events, out))
        return out

    want = raw().get()
    got = ak.fill_none(ak.to_backend(heaviest(), "cpu"), -1)
    np.testing.assert_allclose(np.asarray(got), want, rtol=2e-5, atol=1e-3)
    compiled = ak.compile(heaviest)
    return {
        "ours": looked(heaviest),
        "compiled": lambda: compiled(electrons),
        "RawKernel": raw,
        "aim_us": most,
    }


def dimuon_filtered():
    d = data.particles(300_000, 1.5)
    muons = lists(d["offsets"], pt=d["pt"], eta=d["eta"], phi=d["phi"], charge=d["charge"])

    def three():
        m1, m2 = ak.unzip(ak.combinations(muons, 2))
        mass = np.sqrt(2 * m1.pt * m2.pt * (np.cosh(m1.eta - m2.eta) - np.cos(m1.phi - m2.phi)))
        mass = mass[(m1.charge != m2.charge) & (mass > 60)]
        return ak.max(mass, axis=-1), ak.num(mass), ak.histogram(mass, 120, 0, 120)

    cpu = [ak.to_backend(x, "cpu") for x in three()]
    return {
        "ours": lambda: ak.compute(*three()),
        "dielectron": dielectron(300_000, 1.5, None)["ours"],
        "than": "dielectron",
        "within": 1.6,
        "check": str(ak.sum(cpu[2])),
    }


SUMS = r"""
extern "C" __global__ void sums(const double* x, const long long* off, long long n, double* out) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (long long j = off[i], end = off[i + 1]; j < end; j++) sum += x[j] * x[j];
  out[i] = sum;
}
"""


def thread_a_list(x, offsets):
    """The kernel that one would write by hand for short lists."""
    kernel = cp.RawKernel(SUMS, "sums")
    n = len(offsets) - 1
    x, offsets = cp.asarray(x), cp.asarray(offsets)

    def call():
        out = cp.empty(n)
        kernel(((n + 255) // 256,), (256,), (x, offsets, n, out))
        return out

    return call


def ragged(make, percent, by_hand=False):
    def case():
        offsets = make()
        x = np.random.default_rng(5).random(offsets[-1])
        a = lists(offsets, x=x)
        got = np.asarray(ak.to_backend(ak.sum(a * a, axis=-1), "cpu"))
        want = np.add.reduceat(np.append(x * x, 0), offsets[:-1])
        want[np.diff(offsets) == 0] = 0
        np.testing.assert_allclose(got, want, rtol=1e-9)
        n = len(offsets) - 1
        floor = (8 * offsets[-1] + 16 * n) / RATE
        out = {"ours": looked(lambda: ak.sum(a * a, axis=-1)), "floor": floor, "percent": percent}
        if by_hand:
            out["RawKernel"] = thread_a_list(x, offsets)
            np.testing.assert_allclose(out["RawKernel"]().get(), want, rtol=1e-9)
        return out

    return case


def broadcast():
    """A number of each list for each of its items."""
    offsets = data.short()
    n = len(offsets) - 1
    random = np.random.default_rng(5)
    x, y = random.random(offsets[-1]), random.random(n)
    a, b = lists(offsets, x=x), ak.to_backend(ak.Array(y), "cuda")
    got = np.asarray(ak.to_backend(ak.flatten(a * b), "cpu"))
    np.testing.assert_array_equal(got, x * np.repeat(y, np.diff(offsets)))
    floor = (16 * offsets[-1] + 16 * n) / RATE
    return {"ours": looked(lambda: a * b), "floor": floor, "percent": None}


def quadratic(n, most=None):
    rng = np.random.default_rng(6)
    a, b, c = (rng.random(n) + k for k in (1, 4, 1))
    ga, gb, gc = (ak.to_backend(ak.Array(v), "cuda") for v in (a, b, c))
    ca, cb, cc = (cp.asarray(v) for v in (a, b, c))
    f = cp.ElementwiseKernel(
        "float64 a, float64 b, float64 c",
        "float64 r",
        "r = (-b + sqrt(b*b - 4*a*c)) / (2*a)",
        "quadratic",
    )

    def ours():
        return (-gb + np.sqrt(gb**2 - 4 * ga * gc)) / (2 * ga)

    got = np.asarray(ak.to_backend(ours(), "cpu"))
    np.testing.assert_allclose(got, f(ca, cb, cc).get(), rtol=1e-9)
    return {
        "ours": looked(ours),
        "ElementwiseKernel": lambda: f(ca, cb, cc),
        "CuPy": lambda: (-cb + cp.sqrt(cb**2 - 4 * ca * cc)) / (2 * ca),
        "aim_us": most,
    }


def small(name):
    offsets = data.offsets_of(np.random.default_rng(7).poisson(3, 50_000))
    x = np.random.default_rng(8).normal(size=offsets[-1])
    a = lists(offsets, x=x)
    eleven = ak.to_backend(ak.Array(np.arange(11)), "cuda")
    r = cp.arange(11)
    calls = {
        "eleven": lambda: eleven**2,
        "num": lambda: ak.num(a),
        "sqrt": lambda: np.sqrt(a),
        "slice": lambda: a[100:] + 0,
        "sum": lambda: ak.sum(a, axis=-1),
        "max": lambda: ak.max(a, axis=-1),
        "mask": lambda: a[a > 0],
        "combinations": lambda: ak.combinations(a, 2),
        "argmax": lambda: ak.argmax(a, axis=-1),
        "flatten": lambda: ak.flatten(a * 1),
        "pad_none": lambda: ak.pad_none(a, 3),
    }
    out = {"ours": looked(calls[name]), "aim_us": 20 if name == "eleven" else 40}
    if name == "eleven":
        out["CuPy"] = lambda: r**2
    return out


def mask(make, most):
    def case():
        offsets = make()
        x = np.random.default_rng(5).normal(size=offsets[-1])
        a = lists(offsets, x=x)
        got = ak.to_backend(a[a > 0], "cpu")
        np.testing.assert_array_equal(np.asarray(ak.flatten(got)), x[x > 0])
        return {"ours": looked(lambda: a[a > 0]), "aim_us": most}

    return case


CASES = {
    "dielectron_300k": lambda: dielectron(300_000, 1.5, 45),
    "dielectron_10M": lambda: dielectron(10_000_000, 1.5, 210),
    "dielectron_dense": lambda: dielectron(300_000, 12, 170),
    "dimuon_filtered": dimuon_filtered,
    "ragged_sum_short": ragged(data.short, 78, by_hand=True),
    "ragged_sum_short_9e7": ragged(lambda: data.short(90_000_000), 78, by_hand=True),
    "ragged_sum_long": ragged(lambda: data.long(100_000_000), 88),
    "ragged_sum_pareto": ragged(lambda: data.pareto(30_000_000), 68),
    "broadcast_short": broadcast,
    "ragged_sum_giant": ragged(lambda: data.giant(100_000_000), 72),
    "quadratic_1e6": lambda: quadratic(1_000_000, 28),
    "quadratic_1e8": lambda: quadratic(100_000_000),
    "mask_short": mask(data.short, 500),
    "mask_long": mask(lambda: data.long(100_000_000), 1200),
    "mask_giant": mask(lambda: data.giant(100_000_000), 1500),
}
for _name in (
    "eleven",
    "num",
    "sqrt",
    "slice",
    "sum",
    "max",
    "mask",
    "combinations",
    "argmax",
    "flatten",
    "pad_none",
):
    CASES["small_" + _name] = lambda n=_name: small(n)
