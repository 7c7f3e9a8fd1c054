"""Vectors beside scikit-hep's vector, with Awkward and on NumPy, and beside formulas by hand."""

from functools import partial

import awkward
import data
import numpy as np
import vector
from harness import Case, Required, close

import serrate as sr

EVENTS, ITEMS = 300_000, 1_000_000
BEHAVIOR = vector.backends.awkward.behavior
SERRATE, HAND, VECTOR = "serrate", "serrate, by hand", "vector"


def momenta(n: int) -> dict[str, np.ndarray]:
    """x, y, z, t and rho, phi, eta, tau of the same particles, float64."""
    random = np.random.default_rng(5)
    rho, phi = 5 + random.exponential(30, n), random.uniform(-np.pi, np.pi, n)
    eta, tau = random.uniform(-2.4, 2.4, n), random.uniform(1, 20, n)
    x, y, z = rho * np.cos(phi), rho * np.sin(phi), rho * np.sinh(eta)
    t = np.sqrt(x**2 + y**2 + z**2 + tau**2)
    return {"x": x, "y": y, "z": z, "t": t, "rho": rho, "phi": phi, "eta": eta, "tau": tau}


CARTESIAN, COLLIDER = ("x", "y", "z", "t"), ("rho", "phi", "eta", "tau")


def lists(system, mean: float):
    """Lists of momenta of each event: serrate's, the same without a name, Awkward's."""
    offsets = data.offsets_of(np.random.default_rng(6).poisson(mean, EVENTS))
    columns = momenta(offsets[-1])
    counts = np.diff(offsets)
    theirs = awkward.zip({c: awkward.unflatten(columns[c], counts) for c in system})
    plain = sr.from_awkward(theirs)
    named = awkward.Array(theirs, with_name="Momentum4D", behavior=BEHAVIOR)
    return sr.with_name(plain, "Momentum4D"), plain, named


def heaviest(ak, v):
    a, b = ak.unzip(ak.combinations(v, 2))
    return ak.max((a + b).mass, axis=1)


def heaviest_by_hand(v, cartesian: bool):
    a, b = sr.unzip(sr.combinations(v, 2))
    if cartesian:
        x, y, z, t = a.x + b.x, a.y + b.y, a.z + b.z, a.t + b.t
    else:
        one, two = parts(a), parts(b)
        x, y, z, t = (i + j for i, j in zip(one, two, strict=True))
    return sr.max(np.sqrt(t * t - x * x - y * y - z * z), axis=1)


def parts(a):
    x, y, z = a.rho * np.cos(a.phi), a.rho * np.sin(a.phi), a.rho * np.sinh(a.eta)
    return x, y, z, np.sqrt(a.tau * a.tau + x * x + y * y + z * z)


def pairs(system) -> Case:
    ours, plain, theirs = lists(system, 1.5)
    return Case(
        {
            SERRATE: lambda: sr.compute(heaviest(sr, ours)),
            HAND: lambda: sr.compute(heaviest_by_hand(plain, system == CARTESIAN)),
            VECTOR: lambda: heaviest(awkward, theirs),
        },
        close(rtol=1e-9),
        [Required(HAND, at_most=1.05), Required(VECTOR, at_least=8)],
    )


def nearest_distance(ak, v, w):
    a, b = ak.unzip(ak.cartesian([v, w], nested=True))
    return ak.min(a.deltaR(b), axis=2)


def distances() -> Case:
    ours, _, theirs = lists(COLLIDER, 1.5)
    return Case(
        {
            SERRATE: lambda: sr.compute(nearest_distance(sr, ours, ours[:, ::-1])),
            VECTOR: lambda: nearest_distance(awkward, theirs, theirs[:, ::-1]),
        },
        None,
        [Required(VECTOR, at_least=40)],
    )


def of_flat(system, name: str, two: bool) -> Case:
    columns = {c: x for c, x in momenta(ITEMS).items() if c in system}
    theirs = vector.array(columns).view(vector.MomentumNumpy4D)
    ours = sr.with_name(sr.zip(columns), "Momentum4D")
    w = sr.materialize(ours[::-1])
    calls = {
        SERRATE: lambda: sr.compute(getattr(ours, name)(w) if two else getattr(ours, name)),
        VECTOR: lambda: getattr(theirs, name)(theirs[::-1]) if two else getattr(theirs, name),
    }
    # Memory is all that a difference of columns takes.
    at_least = 2 if name == "deltaeta" else 3
    return Case(calls, None, [Required(VECTOR, at_least=at_least)])


ONE = "x y rho rho2 phi z theta eta costheta cottheta mag mag2 t t2 tau tau2 beta gamma rapidity"
MOMENTUM = "Et Et2 Mt Mt2"
TWO = "deltaphi deltaeta deltaR deltaR2 deltaangle deltaRapidityPhi dot equal is_parallel"

CASES = {
    "vectors_heaviest_pair": partial(pairs, CARTESIAN),
    "vectors_heaviest_pair_eta": partial(pairs, COLLIDER),
    "vectors_min_delta_r": distances,
    **{
        f"vectors_{name}_of_{system[2]}": partial(of_flat, system, name, name in TWO.split())
        for system in (CARTESIAN, COLLIDER)
        for name in f"{ONE} {MOMENTUM} {TWO}".split()
        if name not in system
    },
}
