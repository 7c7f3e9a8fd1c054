# Oracles of what depends on the order in a list: plain Python on nested lists.
import functools
import math

ALL_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
ALL_TYPES += ["bool", "float16", "float32", "float64"]


def is_nan(v):
    return isinstance(v, float) and math.isnan(v)


def order(row, ascending=True):
    """Positions in order: NaN after numbers, None last, equal ones as they stand."""

    def compare(i, j):
        a, b = row[i], row[j]
        late = [2 if v is None else 1 if is_nan(v) else 0 for v in (a, b)]
        if late != [0, 0]:
            return late[0] - late[1]
        if isinstance(a, str):
            a, b = a.encode(), b.encode()
        return ((a > b) - (a < b)) * (1 if ascending else -1)

    return sorted(range(len(row)), key=functools.cmp_to_key(compare))


def sorted_lists(x, ascending=True):
    return per_list(x, lambda row: [row[i] for i in order(row, ascending)])


def per_list(x, f):
    """f of each innermost list of x, an awkward.Array, as nested Python lists."""

    def walk(v, level):
        if v is None:
            return None
        return f(v) if level == 1 else [walk(i, level - 1) for i in v]

    return walk(x.to_list(), x.ndim)
