"""Vectors of 300,000 events on a GPU, beside the formulas by hand."""

import functools

import data
import numpy as np
from gpu_timing import lists, looked

import serrate as ak

EVENTS = 300_000


def momenta(n):
    """Cartesian and collider coordinates of the same particles, float64."""
    random = np.random.default_rng(5)
    rho, phi = 5 + random.exponential(30, n), random.uniform(-np.pi, np.pi, n)
    eta, tau = random.uniform(-2.4, 2.4, n), random.uniform(1, 20, n)
    x, y, z = rho * np.cos(phi), rho * np.sin(phi), rho * np.sinh(eta)
    t = np.sqrt(x**2 + y**2 + z**2 + tau**2)
    return {"x": x, "y": y, "z": z, "t": t, "rho": rho, "phi": phi, "eta": eta, "tau": tau}


@functools.lru_cache(maxsize=1)
def events():
    """Lists of 1.5 vectors on average with the columns of both systems."""
    offsets = data.offsets_of(np.random.default_rng(6).poisson(1.5, EVENTS))
    return lists(offsets, **momenta(int(offsets[-1])))


def same(ours, by_hand, rtol=1e-9):
    a, b = (np.asarray(ak.to_backend(ak.fill_none(x, -1), "cpu")) for x in (ours, by_hand))
    np.testing.assert_allclose(a, b, rtol=rtol)


def mass_by_hand(a, b):
    x, y, z, t = a.x + b.x, a.y + b.y, a.z + b.z, a.t + b.t
    return np.sqrt(t * t - x * x - y * y - z * z)


def parts(a):
    x, y, z = a.rho * np.cos(a.phi), a.rho * np.sin(a.phi), a.rho * np.sinh(a.eta)
    return x, y, z, np.sqrt(a.tau * a.tau + x * x + y * y + z * z)


def mass_by_hand_of_rho(a, b):
    x, y, z, t = (i + j for i, j in zip(parts(a), parts(b), strict=True))
    return np.sqrt(t * t - x * x - y * y - z * z)


def distance_by_hand(a, b):
    d = a.phi - b.phi
    d = d - 2 * np.pi * np.floor(d * (0.5 / np.pi) + 0.5)
    return np.sqrt(d * d + (a.eta - b.eta) ** 2)


def heaviest_pair(system, by_hand):
    plain = events()[list(system)]
    named = ak.with_name(plain, "Momentum4D")

    def heaviest(v, mass):
        a, b = ak.unzip(ak.combinations(v, 2))
        return ak.max(mass(a, b), axis=1)

    def ours():
        return heaviest(named, lambda a, b: (a + b).mass)

    def hand():
        return heaviest(plain, by_hand)

    same(ours(), hand())
    return {"ours": looked(ours), "by hand": looked(hand), "than": "by hand", "within": 1.05}


def nearest_distance():
    plain = events()[["rho", "phi", "eta", "tau"]]
    named = ak.with_name(plain, "Momentum4D")

    def nearest(v, distance):
        a, b = ak.unzip(ak.cartesian([v, v[:, ::-1]], nested=True))
        return ak.min(distance(a, b), axis=2)

    def ours():
        return nearest(named, lambda a, b: a.deltaR(b))

    def hand():
        return nearest(plain, distance_by_hand)

    same(ak.flatten(ours()), ak.flatten(hand()))
    return {"ours": looked(ours), "by hand": looked(hand), "than": "by hand", "within": 1.05}


CASES = {
    "vectors_heaviest_pair": functools.partial(heaviest_pair, ("x", "y", "z", "t"), mass_by_hand),
    "vectors_heaviest_pair_eta": functools.partial(
        heaviest_pair, ("rho", "phi", "eta", "tau"), mass_by_hand_of_rho
    ),
    "vectors_min_delta_r": nearest_distance,
}
