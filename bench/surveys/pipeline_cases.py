"""The pipelines of the surveys: what users write, and the body of a loop by hand."""

import numpy as np
from pipelines import Pipeline

import serrate as ak


def mass(a, b):
    return np.sqrt(2 * a.pt * b.pt * (np.cosh(a.eta - b.eta) - np.cos(a.phi - b.phi)))


def turn(a, b):
    d = a - b
    return d - np.float32(2 * np.pi) * np.rint(d / np.float32(2 * np.pi))


def delta(a, b):
    return np.sqrt((a.eta - b.eta) ** 2 + turn(a.phi, b.phi) ** 2)


def nearest_z(e):
    lep = e["lep"]
    a, b = ak.unzip(ak.combinations(lep[lep.pt > 10], 2))
    pairs = ak.zip({"m": mass(a, b), "pt": a.pt + b.pt, "charge": a.charge * b.charge})
    pairs = pairs[pairs.charge < 0]
    return ak.firsts(pairs[ak.argmin(abs(pairs.m - 91), axis=-1, keepdims=True)].m)


def cleaned_ht(e):
    jets = e["jet"]
    j, lep = ak.unzip(ak.cartesian([jets, e["lep"]], nested=True))
    return ak.sum(jets.pt[~ak.any(delta(j, lep) < 0.4, axis=-1)], axis=-1)


def trijet(e):
    a, b, c = ak.unzip(ak.combinations(e["jet"], 3))
    m = np.sqrt(mass(a, b) ** 2 + mass(a, c) ** 2 + mass(b, c) ** 2)
    best = ak.argmin(abs(m - 172.5), axis=-1, keepdims=True)
    tag = np.maximum(np.maximum(a.btag, b.btag), c.btag)
    return ak.firsts((a.pt + b.pt + c.pt)[best]) + ak.firsts(tag[best])


def routes(e):
    r = e["route"]
    a, b, c, d = r.lat[:, :-1], r.lon[:, :-1], r.lat[:, 1:], r.lon[:, 1:]
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return ak.sum(12742 * np.arcsin(np.sqrt(h)), axis=-1)


def heaviest(e):
    a, b = ak.unzip(ak.combinations(e["lep"], 2))
    return ak.max(mass(a, b), axis=-1)


def two_leading(e):
    pt = e["jet"].pt
    two = ak.mask(pt, ak.num(pt) >= 2)
    return two[:, 0] - two[:, 1]


def missing_momentum(e):
    j = e["jet"]
    x, y = ak.sum(j.pt * np.cos(j.phi), axis=-1), ak.sum(j.pt * np.sin(j.phi), axis=-1)
    return np.sqrt(x**2 + y**2)


def nearest_lepton_pt(e):
    j, lep = ak.unzip(ak.cartesian([e["jet"], e["lep"]], nested=True))
    near = ak.argmin(delta(j, lep), axis=-1, keepdims=True)
    return ak.sum(ak.fill_none(ak.firsts(lep.pt[near], axis=-1), 0), axis=-1)


def nearest_distance(e):
    j, lep = ak.unzip(ak.cartesian([e["jet"], e["lep"]], nested=True))
    return ak.sum(ak.fill_none(ak.min(delta(j, lep), axis=-1), 0), axis=-1)


def in_cone(e):
    j, lep = ak.unzip(ak.cartesian([e["jet"], e["lep"]], nested=True))
    return ak.max(ak.sum(delta(j, lep) < 1, axis=-1), axis=-1)


def largest_step(e):
    x = e["route"].lat
    return ak.max(abs(x[:, 1:] - x[:, :-1]), axis=-1)


def weighted(e):
    j = e["jet"]
    return ak.sum(j.pt * j.eta, axis=-1) / ak.sum(j.pt, axis=-1)


def shares(e):
    pt = e["jet"].pt
    return ak.sum((pt / ak.sum(pt, axis=-1)) ** 2, axis=-1)


def best_tag_pt(e):
    j = e["jet"]
    return ak.firsts(j.pt[ak.argmax(j.btag, axis=-1, keepdims=True)])


def opposite(e):
    a, b = ak.unzip(ak.combinations(e["lep"], 2))
    return ak.sum((a.charge != b.charge) & (mass(a, b) > 60), axis=-1)


def all_jets(e):
    j = e["jet"]
    p = j.pt * np.cosh(j.eta)
    total = [j.pt * np.cos(j.phi), j.pt * np.sin(j.phi), j.pt * np.sinh(j.eta)]
    x, y, z = (ak.sum(t, axis=-1) for t in total)
    return np.sqrt(abs(ak.sum(np.sqrt(p**2 + j.mass**2), axis=-1) ** 2 - x**2 - y**2 - z**2))


FIRST = "out[i] = best < 0 ? -1 : "
PAIRS = "EACH(a, lep) for (long long b = a + 1; b < lep_at[i + 1]; b++)"
M = "mass(lep_pt[a], lep_eta[a], lep_phi[a], lep_pt[b], lep_eta[b], lep_phi[b])"
J = "mass(jet_pt[{0}], jet_eta[{0}], jet_phi[{0}], jet_pt[{1}], jet_eta[{1}], jet_phi[{1}])"
D = "delta(jet_eta[j], jet_phi[j], lep_eta[k], lep_phi[k])"

CASES = {
    "nearest Z": Pipeline(
        f"float least = INFINITY, m = -1;\n{PAIRS} if (lep_pt[a] > 10 && lep_pt[b] > 10 &&"
        f" lep_charge[a] * lep_charge[b] < 0) {{ float x = {M};\n"
        "if (fabsf(x - 91) < least) { least = fabsf(x - 91); m = x; } }\nout[i] = m;",
        nearest_z,
        ("lep",),
    ),
    "HT of cleaned jets": Pipeline(
        "float sum = 0;\nEACH(j, jet) { bool near = false;\n"
        f"EACH(k, lep) if ({D} < 0.4f) {{ near = true; break; }}\n"
        "if (!near) sum += jet_pt[j]; }\nout[i] = sum;",
        cleaned_ht,
    ),
    "trijet": Pipeline(
        "float least = INFINITY, best = -1;\nEACH(a, jet) for (long long b = a + 1;"
        " b < jet_at[i + 1]; b++) {\nfloat x = " + J.format("a", "b") + ";\n"
        "for (long long c = b + 1; c < jet_at[i + 1]; c++) {\nfloat y = "
        + J.format("a", "c")
        + ", z = "
        + J.format("b", "c")
        + ", m = sqrtf(x * x + y * y + z * z);\n"
        "if (fabsf(m - 172.5f) < least) { least = fabsf(m - 172.5f);\n"
        "best = jet_pt[a] + jet_pt[b] + jet_pt[c] +"
        " fmaxf(fmaxf(jet_btag[a], jet_btag[b]), jet_btag[c]); } } }\nout[i] = best;",
        trijet,
        ("jet",),
    ),
    "routes": Pipeline(
        "double sum = 0;\nfor (long long k = route_at[i] + 1; k < route_at[i + 1]; k++)\n"
        "sum += haversine(route_lat[k - 1], route_lon[k - 1], route_lat[k], route_lon[k]);\n"
        "out[i] = sum;",
        routes,
        ("route",),
        "f8",
    ),
    "heaviest pair": Pipeline(
        f"float m = -1;\n{PAIRS} m = fmaxf(m, {M});\nout[i] = m;", heaviest, ("lep",)
    ),
    "sum": Pipeline(
        "float s = 0;\nEACH(k, jet) s += jet_pt[k];\nout[i] = s;",
        lambda e: ak.sum(e["jet"].pt, axis=-1),
        ("jet",),
    ),
    "sum of some": Pipeline(
        "float s = 0;\nEACH(k, jet) if (jet_pt[k] > 30) s += jet_pt[k];\nout[i] = s;",
        lambda e: ak.sum(e["jet"].pt[e["jet"].pt > 30], axis=-1),
        ("jet",),
    ),
    "count tags": Pipeline(
        "long long s = 0;\nEACH(k, jet) s += jet_btag[k] > 0.7f;\nout[i] = s;",
        lambda e: ak.num(e["jet"][e["jet"].btag > 0.7]),
        ("jet",),
        "i8",
    ),
    "two leading": Pipeline(
        "out[i] = SIZE(jet) < 2 ? -1 : jet_pt[jet_at[i]] - jet_pt[jet_at[i] + 1];",
        two_leading,
        ("jet",),
    ),
    "missing momentum": Pipeline(
        "float x = 0, y = 0;\nEACH(k, jet) { x += jet_pt[k] * cosf(jet_phi[k]);"
        " y += jet_pt[k] * sinf(jet_phi[k]); }\nout[i] = sqrtf(x * x + y * y);",
        missing_momentum,
        ("jet",),
    ),
    "nearest lepton's pt": Pipeline(
        "float s = 0;\nEACH(j, jet) { float least = INFINITY, pt = 0;\n"
        f"EACH(k, lep) {{ float d = {D}; if (d < least) {{ least = d; pt = lep_pt[k]; }} }}\n"
        "s += pt; }\nout[i] = s;",
        nearest_lepton_pt,
    ),
    "nearest lepton's distance": Pipeline(
        "float s = 0;\nEACH(j, jet) { float least = INFINITY;\n"
        f"EACH(k, lep) least = fminf(least, {D});\n"
        "s += least < INFINITY ? least : 0; }\nout[i] = s;",
        nearest_distance,
    ),
    "most in a cone": Pipeline(
        "long long most = -1;\nEACH(j, jet) { long long c = 0;\n"
        f"EACH(k, lep) c += {D} < 1;\nif (c > most) most = c; }}\nout[i] = most;",
        in_cone,
        out="i8",
    ),
    "largest step": Pipeline(
        "double m = -1;\nfor (long long k = route_at[i] + 1; k < route_at[i + 1]; k++)\n"
        "m = fmax(m, fabs(route_lat[k] - route_lat[k - 1]));\nout[i] = m;",
        largest_step,
        ("route",),
        "f8",
    ),
    "weighted mean": Pipeline(
        "float s = 0, w = 0;\nEACH(k, jet) { s += jet_pt[k] * jet_eta[k]; w += jet_pt[k]; }\n"
        "out[i] = s / w;",
        weighted,
        ("jet",),
    ),
    "squares of shares": Pipeline(
        "float s = 0, t = 0;\nEACH(k, jet) s += jet_pt[k];\n"
        "EACH(k, jet) { float x = jet_pt[k] / s; t += x * x; }\nout[i] = t;",
        shares,
        ("jet",),
    ),
    "pt of the best tag": Pipeline(
        "float tag = -1, best = -1;\nEACH(k, jet) if (jet_btag[k] > tag) { tag = jet_btag[k];"
        " best = jet_pt[k]; }\nout[i] = best;",
        best_tag_pt,
        ("jet",),
    ),
    "opposite pairs": Pipeline(
        f"long long c = 0;\n{PAIRS} c += lep_charge[a] != lep_charge[b] && {M} > 60;\nout[i] = c;",
        opposite,
        ("lep",),
        "i8",
    ),
    "mass of all": Pipeline(
        "float x = 0, y = 0, z = 0, t = 0;\nEACH(k, jet) { float p = jet_pt[k],"
        " q = p * coshf(jet_eta[k]);\nx += p * cosf(jet_phi[k]); y += p * sinf(jet_phi[k]);"
        " z += p * sinhf(jet_eta[k]);\nt += sqrtf(q * q + jet_mass[k] * jet_mass[k]); }\n"
        "out[i] = sqrtf(fabsf(t * t - x * x - y * y - z * z));",
        all_jets,
        ("jet",),
    ),
    "any above": Pipeline(
        "int any = 0;\nEACH(k, jet) if (jet_pt[k] > 100) { any = 1; break; }\nout[i] = any;",
        lambda e: ak.any(e["jet"].pt > 100, axis=-1),
        ("jet",),
        "i4",
    ),
    "mean": Pipeline(
        "float s = 0;\nEACH(k, jet) s += jet_eta[k];\nout[i] = (double)s / SIZE(jet);",
        lambda e: ak.mean(e["jet"].eta, axis=-1),
        ("jet",),
        "f8",
        none=np.nan,
    ),
    "spread": Pipeline(
        # In float64, as Awkward's.
        "float s = 0;\nEACH(k, jet) s += jet_eta[k];\ndouble m = (double)s / SIZE(jet), t = 0;\n"
        "EACH(k, jet) t += (jet_eta[k] - m) * (jet_eta[k] - m);\nout[i] = sqrt(t / SIZE(jet));",
        lambda e: ak.std(e["jet"].eta, axis=-1),
        ("jet",),
        "f8",
        none=np.nan,
    ),
    "length of a route": Pipeline(
        "out[i] = SIZE(route) < 2 ? -1 : route_lat[route_at[i + 1] - 1] - route_lat[route_at[i]];",
        lambda e: ak.where(
            ak.num(e["route"].lat) < 2,
            -1,
            ak.fill_none(ak.firsts(e["route"].lat[:, -1:]) - ak.firsts(e["route"].lat[:, :1]), -1),
        ),
        ("route",),
        "f8",
    ),
    "sum of squares": Pipeline(
        "double s = 0;\nEACH(k, route) s += route_lat[k] * route_lat[k];\nout[i] = s;",
        lambda e: ak.sum(e["route"].lat ** 2, axis=-1),
        ("route",),
        "f8",
    ),
}
