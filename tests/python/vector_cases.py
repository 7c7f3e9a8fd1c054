# Vectors in all systems of coordinates, for tests that compare with scikit-hep's vector.
import itertools

import numpy as np

AZIMUTHAL = [("x", "y"), ("rho", "phi")]
LONGITUDINAL = ["z", "theta", "eta"]
TEMPORAL = ["t", "tau"]
SYSTEMS = [
    *AZIMUTHAL,
    *((*a, b) for a, b in itertools.product(AZIMUTHAL, LONGITUDINAL)),
    *((*a, b, c) for a, b, c in itertools.product(AZIMUTHAL, LONGITUDINAL, TEMPORAL)),
]
MOMENTUM = {"x": "px", "y": "py", "rho": "pt", "z": "pz", "t": "E", "tau": "mass"}

# Numbers, and vectors, of one vector: as names of attributes.
PLANAR = ["x", "y", "rho", "rho2", "phi"]
SPATIAL = ["z", "theta", "eta", "costheta", "cottheta", "mag", "mag2"]
LORENTZ = ["t", "t2", "tau", "tau2", "beta", "gamma", "rapidity"]
MOMENTA = {
    2: ["px", "py", "pt", "pt2"],
    3: ["pz", "pseudorapidity", "p", "p2"],
    4: [
        "E",
        "e",
        "energy",
        "E2",
        "e2",
        "energy2",
        "M",
        "m",
        "mass",
        "M2",
        "m2",
        "mass2",
        "Et",
        "et",
        "transverse_energy",
        "Et2",
        "et2",
        "transverse_energy2",
        "Mt",
        "mt",
        "transverse_mass",
        "Mt2",
        "mt2",
        "transverse_mass2",
    ],
}
OF_TWO = {
    2: ["deltaphi", "dot", "equal", "not_equal", "is_parallel", "is_antiparallel"],
    3: ["deltaeta", "deltaR", "deltaR2", "deltaangle"],
    4: ["deltaRapidityPhi", "deltaRapidityPhi2"],
}


def names_of(dimension, momentum):
    """All properties that are numbers."""
    out = [*PLANAR, *(SPATIAL if dimension > 2 else []), *(LORENTZ if dimension > 3 else [])]
    for d in range(2, dimension + 1):
        out += MOMENTA[d] if momentum else []
    return out


def columns(system, seed=1, n=40, momentum=False):
    """Random timelike vectors in these coordinates, of all directions and sizes, not light."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(0, 1, (3, n)) * 10 ** rng.uniform(-2, 3, n)
    tau = np.sqrt(x**2 + y**2 + z**2) * rng.uniform(0.3, 3, n)
    rho = np.hypot(x, y)
    known = {
        "x": x,
        "y": y,
        "rho": rho,
        "phi": np.arctan2(y, x),
        "z": z,
        "theta": np.arctan2(rho, z),
        "eta": np.arcsinh(z / rho),
        "t": np.sqrt(x**2 + y**2 + z**2 + tau**2),
        "tau": tau,
    }
    return {MOMENTUM.get(c, c) if momentum else c: known[c] for c in system}


# Zeros of both signs, vectors along the axis, spacelike ones, NaN, infinity where it has a meaning.
PLAIN = [0.0, -0.0, 1.0, -2.0, np.nan]
SPECIAL = {
    "rho": [0.0, 1.0, 3.0, np.nan],
    "phi": [0.0, -0.0, 1.0, -np.pi, np.nan],
    "theta": [0.0, 1.0, np.pi, np.nan],
    "eta": [0.0, -0.0, 1.0, -2.0, np.inf, np.nan],
    "t": [0.0, 1.0, -3.0, np.inf, np.nan],
}


def special(system, momentum=False):
    """All combinations of unusual values."""
    grid = np.meshgrid(*(SPECIAL.get(c, PLAIN) for c in system), indexing="ij")
    names = [MOMENTUM.get(c, c) if momentum else c for c in system]
    return {name: g.ravel() for name, g in zip(names, grid, strict=True)}
