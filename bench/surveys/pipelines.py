"""Whole analyses beside the loop that one would write for an event: for ./dev survey and
./dev gpu-survey.

A body is C for event `i`, of which nothing but the event's own items is looked at; `out[i]` is its
result. The same text is compiled for the CPU (a loop over events) and for a GPU (a thread an
event).
"""

import ctypes
import functools
import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import data

CTYPES = {"f4": "float", "f8": "double", "i4": "int", "i8": "long long"}

# What bodies may call.
PRELUDE = r"""
#define PI 3.14159265358979323846f
#define EACH(k, of) for (long long k = of##_at[i]; k < of##_at[i + 1]; k++)
#define SIZE(of) (of##_at[i + 1] - of##_at[i])
HERE float turn(float a, float b) { float d = a - b; return d - 2 * PI * rintf(d / (2 * PI)); }
HERE float mass(float p, float e, float f, float q, float g, float h) {
  return sqrtf(2 * p * q * (coshf(e - g) - cosf(f - h)));
}
HERE float delta(float e, float f, float g, float h) {
  float a = e - g, b = turn(f, h);
  return sqrtf(a * a + b * b);
}
HERE double haversine(double a, double b, double c, double d) {
  double s = sin((c - a) / 2), t = sin((d - b) / 2);
  return 12742 * asin(sqrt(s * s + cos(a) * cos(c) * t * t));
}
"""


@dataclass
class Pipeline:
    """ours(arrays by name) and the C body of an event; `none` is the result of no value."""

    body: str
    ours: object
    of: tuple = ("jet", "lep")  # the lists that it reads
    out: str = "f4"
    none: float = -1.0


def events(n):
    """{name: (offsets, {field: numbers})} of n events, and of routes of n / 5 lists."""
    rng = np.random.default_rng(7)

    def lists(count, mean, **fields):
        offsets = data.offsets_of(rng.poisson(mean, count))
        m = int(offsets[-1])
        return offsets, {k: np.ascontiguousarray(f(m)) for k, f in fields.items()}

    def momenta():
        return {
            "pt": lambda m: (5 + rng.exponential(30, m)).astype("f4"),
            "eta": lambda m: rng.uniform(-2.4, 2.4, m).astype("f4"),
            "phi": lambda m: rng.uniform(-np.pi, np.pi, m).astype("f4"),
        }

    return {
        "jet": lists(
            n,
            4,
            **momenta(),
            btag=lambda m: rng.random(m).astype("f4"),
            mass=lambda m: rng.uniform(1, 12, m).astype("f4"),
        ),
        "lep": lists(n, 1.5, **momenta(), charge=lambda m: rng.choice(np.array([-1, 1], "i4"), m)),
        "route": lists(
            n // 5,
            40,
            lat=lambda m: rng.uniform(0.8, 0.9, m),
            lon=lambda m: rng.uniform(0.1, 0.2, m),
        ),
    }


def arguments(of, inputs):
    """[(name, array)] of what a kernel reads."""
    out = []
    for name in of:
        offsets, fields = inputs[name]
        out.append((f"{name}_at", offsets.astype("i8")))
        out += [(f"{name}_{k}", v) for k, v in fields.items()]
    return out


def text(pipeline, inputs, head, foot):
    """C of a function `f` of these arguments, the number of events and the results."""
    names = [
        f"const {CTYPES[a.dtype.str[1:]]}* {name}" for name, a in arguments(pipeline.of, inputs)
    ]
    names += ["long long n", f"{CTYPES[pipeline.out]}* out"]
    return f"{PRELUDE}{head} f({', '.join(names)}) {{\n{foot}\n{pipeline.body}\n}}"


def by_hand(pipeline, inputs):
    """The function that fills an array of results on the CPU, compiled once."""
    # A body leaves with `return` once it has its result: each event is a call.
    args = arguments(pipeline.of, inputs)
    names = ", ".join(name for name, _ in args)
    event = text(pipeline, inputs, "static inline void", "").replace(
        " f(", " event(long long i, ", 1
    )
    loop = text(Pipeline("", None, pipeline.of, pipeline.out), inputs, 'extern "C" void', "")
    loop = loop[len(PRELUDE) : loop.rindex("{")]
    source = (
        "#include <math.h>\n#define HERE static inline\n"
        + event
        + "\n"
        + loop
        + f"{{ for (long long i = 0; i < n; i++) event(i, {names}, n, out); }}\n"
    )
    f = compiled(source)
    pointers = [ctypes.c_void_p(a.ctypes.data) for _, a in args]
    n = len(args[0][1]) - 1

    def call():
        out = np.empty(n, pipeline.out)
        f(*pointers, ctypes.c_int64(n), ctypes.c_void_p(out.ctypes.data))
        return out

    call.keep = args
    return call


@functools.cache
def compiled(source):
    compiler = os.environ.get("CXX", "c++")
    key = hashlib.sha256(source.encode()).hexdigest()[:16]
    folder = Path(__file__).parents[2] / "build" / "loops"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.so"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.cpp")
        part.write_text(source)
        made = part.with_suffix(".so")
        options = ["-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC"]
        subprocess.run([compiler, *options, str(part), "-o", str(made)], check=True)
        made.replace(path)
        part.unlink()
    return ctypes.CDLL(str(path)).f


def agree(got, want):
    """The same but for few events, whose cuts and extremes rounding decides."""
    near = np.isclose(got, want, rtol=2e-3, atol=2e-3) | (np.isnan(got) & np.isnan(want))
    assert np.mean(near) > 0.999, f"{100 * np.mean(~near):.2f} % of the results differ"
