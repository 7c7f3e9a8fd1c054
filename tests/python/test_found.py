# What `./dev random` has found, shrunk: each chain gives the same lazily, step by step and in
# Awkward. `./dev random --keep` appends.
from random_chains.check import check_source


def test_outer_order_of_many_items():
    inputs = {"y": ("3 * var * int64", 1)}
    sets = {"lengths": "pareto", "rows": 3000, "seed": 866}
    source = """
    b = ak.sort(y, axis=1)
    c = ak.sum(b, axis=1, mask_identity=False)
    d = ak.pad_none(c, 5, axis=1)
    """
    check_source(source, inputs, sets)


def test_outer_differences_behind_new_axes():
    inputs = {"y": ("var * var * int32", 1)}
    sets = {"lengths": "pareto", "rows": 1024, "seed": 603}
    source = """
    a = y[..., np.newaxis]
    b = ak.diff(a, axis=-3)
    e = ak.pad_none(b, 1, axis=-4)
    """
    check_source(source, inputs, sets)


def test_outer_order_of_lists_in_records():
    inputs = {"x": ("var * var * {p: int64, q: var * int64}", 0)}
    sets = {"lengths": "equal", "rows": 1000, "seed": 960}
    source = """
    a = x[np.newaxis]
    c = a['q']
    d = ak.sort(c, axis=3)
    """
    check_source(source, inputs, sets)
