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


def test_errors_of_what_has_been_looked_at():
    inputs = {"x": ("int64", 0)}
    sets = {"lengths": "poisson", "rows": 1, "seed": 0}
    source = """
    d = x[x]
    g = ak.broadcast_arrays(d, x)[1]
    """
    check_source(source, inputs, sets)


def test_masks_without_buffers():
    inputs = {"x": ("var * int64", 0)}
    sets = {"lengths": "poisson", "rows": 1, "seed": 0}
    source = """
    a = ak.sum(x, axis=0)
    c = ak.zip((a, a), depth_limit=2)
    d = c['0']
    f = ak.is_none(d, axis=-1)
    g = f[f]
    h = c[g]
    """
    check_source(source, inputs, sets)


def test_products_of_columns_beside_each_list():
    inputs = {"x": ("var * var * int32", 0)}
    sets = {"lengths": "one giant", "rows": 20, "seed": 873}
    source = """
    a = ak.argsort(x, axis=0)
    c = ak.argsort(a, axis=2, stable=True)
    d = ak.prod(c, axis=1, keepdims=True, mask_identity=True)
    f = ak.concatenate([c, d], axis=2)
    """
    check_source(source, inputs, sets)


def test_running_minima_of_missing_booleans():
    inputs = {"x": ("var * ?float32", 0)}
    sets = {"lengths": "long", "rows": 31, "seed": 700, "special": True}
    source = """
    a = ak.is_none(x, axis=1)
    b = ak.firsts(a, axis=1)
    c = ak.cummin(b, axis=0)
    d = c[c]
    """
    check_source(source, inputs, sets)


def test_results_over_lists_that_start_late():
    inputs = {"x": ("var * var * 2 * ?int64", 0)}
    sets = {"lengths": "poisson", "rows": 4, "seed": 70}
    source = """
    b = ak.concatenate([x, x], axis=3)
    c = ak.rank(b, axis=-1)
    """
    check_source(source, inputs, sets)


def test_pairs_of_lists_that_are_members_of_unions():
    inputs = {"x": ("var * option[var * union[int64, string]]", 0)}
    sets = {"lengths": "poisson", "rows": 7, "seed": 704}
    source = """
    a = ak.singletons(x, axis=2)
    b = ak.cartesian([a[:, :, :5], a[:, :, :4]], axis=-1)
    c = ak.argcartesian([a, a], axis=3)
    """
    check_source(source, inputs, sets)
