"""Times serrate on a GPU beside written kernels, CuPy and Awkward: ./dev gpu-bench [NAME ...]."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cupy as cp
import data
import numpy as np

import serrate as ak

try:
    import awkward
except ImportError:
    awkward = None

SECONDS = 0.4


def synchronised(call):
    """Median seconds of a call from Python with its synchronisation, inputs on the GPU."""
    for _ in range(3):
        call()
        cp.cuda.Device().synchronize()
    times = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < SECONDS or len(times) < 5:
        t = time.perf_counter()
        call()
        cp.cuda.Device().synchronize()
        times.append(time.perf_counter() - t)
    return statistics.median(times)


def copy_rate():
    """Bytes a second that a copy on the device moves, read and written."""
    a = cp.zeros(1 << 27)
    b = cp.empty_like(a)
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    times = []
    for _ in range(10):
        start.record()
        cp.copyto(b, a)
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) / 1e3)
    return 2 * a.nbytes / statistics.median(times)


def looked(expression):
    """The call that evaluates an expression."""

    def call():
        ak.compute(expression())

    return call


def lists(offsets, **fields):
    array = ak.from_awkward(data.awkward_lists(offsets, **fields))
    return ak.to_backend(array, "cuda")


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

    def heaviest():
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
    return {"ours": looked(heaviest), "RawKernel": raw, "aim_us": most}


def dimuon_filtered():
    d = data.particles(300_000, 1.5)
    muons = lists(d["offsets"], pt=d["pt"], eta=d["eta"], phi=d["phi"], charge=d["charge"])

    def three():
        m1, m2 = ak.unzip(ak.combinations(muons, 2))
        mass = np.sqrt(2 * m1.pt * m2.pt * (np.cosh(m1.eta - m2.eta) - np.cos(m1.phi - m2.phi)))
        mass = mass[(m1.charge != m2.charge) & (mass > 60)]
        return ak.max(mass, axis=-1), ak.num(mass), ak.histogram(mass, 120, 0, 120)

    cpu = [ak.to_backend(x, "cpu") for x in three()]
    return {"ours": lambda: ak.compute(*three()), "aim_us": None, "check": str(ak.sum(cpu[2]))}


def ragged(make, percent):
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
        return {"ours": looked(lambda: ak.sum(a * a, axis=-1)), "floor": floor, "percent": percent}

    return case


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


FIRST = """
import time, cupy, numpy as np
cupy.arange(3).sum().get()
import serrate as ak
off = np.arange(0, 3001, 3)
flat = [ak.Array(np.random.rand(3000)) for _ in "xy"]
x, y = (ak.to_backend(ak.unflatten(f, np.diff(off)), "cuda") for f in flat)
ak.cuda.synchronize()
start = time.perf_counter()
a, b = ak.unzip(ak.combinations(x, 2))
ak.compute(ak.max(np.sqrt(2 * a * b * (np.cosh(a - b) - np.cos(a + b))), axis=-1))
ak.cuda.synchronize()
print(time.perf_counter() - start)
"""


def first_kernel():
    """A new expression in a new process, whose CUDA context is there: without and with the kernel
    on disk."""

    def seconds(folder):
        run = [sys.executable, "-c", FIRST]
        env = os.environ | {"SERRATE_CACHE_DIR": folder}
        return float(subprocess.run(run, env=env, check=True, capture_output=True).stdout)

    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds(folder))
            warm.append(seconds(folder))
    return {
        "cold": statistics.median(cold) * 1e6,
        "warm": statistics.median(warm) * 1e6,
        "aim_us": "120000, 15000",
    }


CASES = {
    "first_kernel": first_kernel,
    "dielectron_300k": lambda: dielectron(300_000, 1.5, 45),
    "dielectron_10M": lambda: dielectron(10_000_000, 1.5, 210),
    "dielectron_dense": lambda: dielectron(300_000, 12, 170),
    "dimuon_filtered": dimuon_filtered,
    "ragged_sum_short": ragged(data.short, 78),
    "ragged_sum_long": ragged(lambda: data.long(100_000_000), 88),
    "ragged_sum_pareto": ragged(lambda: data.pareto(30_000_000), 68),
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


def main():
    arguments = sys.argv[1 : sys.argv.index("--json")] if "--json" in sys.argv else sys.argv[1:]
    results = {"copy_TB_s": RATE / 1e12}
    print(f"device copy {RATE / 1e12:.2f} TB/s")
    for name, make in CASES.items():
        if arguments and not any(a in name for a in arguments):
            continue
        try:
            case = make()
            row = {k: synchronised(f) * 1e6 for k, f in case.items() if callable(f)}
            row |= {k: case[k] for k in ("cold", "warm") if k in case}
        except Exception as e:
            print(f"{name:22} failed: {type(e).__name__}: {str(e)[:300]}")
            continue
        text = "  ".join(f"{k} {v:.1f} us" for k, v in row.items())
        if case.get("aim_us"):
            text += f"  (aim {case['aim_us']} us)"
        if "floor" in case:
            row["percent"] = 100 * case["floor"] / (row["ours"] / 1e6)
            text += f"  {row['percent']:.0f} % of the copy rate (aim {case['percent']} %)"
        print(f"{name:22} {text}", flush=True)
        results[name] = row
    if "--json" in sys.argv:
        with open(sys.argv[-1], "w") as f:
            json.dump(results, f, indent=1)


RATE = copy_rate()
if __name__ == "__main__":
    main()
