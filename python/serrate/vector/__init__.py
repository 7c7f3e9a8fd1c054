"""Vectors of two, three and four dimensions, as scikit-hep's vector has them.

>>> from serrate import vector
>>> v = vector.zip({"pt": [[10.0, 20.0], []], "phi": [[0.0, 0.5], []], "eta": [[1.0, -1.0], []]})
>>> v.pz
<Array [[11.8, -23.5], []] type='2 * var * float64'>

Records named Vector2D ... Momentum4D have these properties and methods without being registered;
classes of users derive from those of the same names here.
"""

from serrate import _core
from serrate._core._vectors import (
    Momentum2D,
    Momentum3D,
    Momentum4D,
    MomentumArray2D,
    MomentumArray3D,
    MomentumArray4D,
    MomentumRecord2D,
    MomentumRecord3D,
    MomentumRecord4D,
    Vector2D,
    Vector3D,
    Vector4D,
    VectorArray2D,
    VectorArray3D,
    VectorArray4D,
    VectorRecord2D,
    VectorRecord3D,
    VectorRecord4D,
    by_index,
    children_index,
    distinct_parent_index,
    metric_table,
    nearest,
    overlaps,
    zip,
)

__all__ = [
    "Array",
    "Momentum2D",
    "Momentum3D",
    "Momentum4D",
    "MomentumArray2D",
    "MomentumArray3D",
    "MomentumArray4D",
    "MomentumRecord2D",
    "MomentumRecord3D",
    "MomentumRecord4D",
    "Vector2D",
    "Vector3D",
    "Vector4D",
    "VectorArray2D",
    "VectorArray3D",
    "VectorArray4D",
    "VectorRecord2D",
    "VectorRecord3D",
    "VectorRecord4D",
    "by_index",
    "children_index",
    "distinct_parent_index",
    "metric_table",
    "nearest",
    "obj",
    "overlaps",
    "zip",
]


def Array(data, *, behavior=None, **options):
    """Vectors of records, or of anything that serrate.Array takes.

    The fields say which coordinates they have and become x, y, rho, phi, z, theta, eta, t and tau;
    records are called Momentum4D (3D, 2D) if one of them has the name of a momentum.

    >>> Array([[{"px": 3.0, "py": 4.0}], []]).pt
    <Array [[5], []] type='2 * var * float64'>
    """
    if options or not isinstance(data, _core.Array):
        data = _core.Array(data, behavior=behavior, **options)
    return _core._vectors.as_vectors(data, behavior)


def obj(**coordinates):
    """One vector, a record.

    >>> obj(px=3.0, py=4.0).pt
    np.float64(5.0)
    """
    return zip({name: [value] for name, value in coordinates.items()})[0]
