"""max(a, b) and min(a, b) of numbers with a point as Python and CPUs have them: b if b > a else a.
CUDA's fmax, which numba-cuda takes, passes over NaN, and takes twice as many instructions."""


def larger(a, b):
    return b if b > a else a


def smaller(a, b):
    return b if b < a else a


INSTEAD = {max: larger, min: smaller}


def install(target):
    for function, compare in ((larger, ">"), (smaller, "<")):
        _install(target, function, compare)


def _install(target, function, compare):
    types, templates = target.types, target.templates

    @target.infer_global(function)
    class OfTwo(templates.ConcreteTemplate):
        key = function
        cases = [templates.signature(t, t, t) for t in (types.float32, types.float64)]

    @target.lower_builtin(function, types.Float, types.Float)
    def of_two(context, builder, signature, args):
        a, b = args
        return builder.select(builder.fcmp_ordered(compare, b, a), b, a)
