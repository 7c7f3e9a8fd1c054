"""A function of numbers as one of blocks of items, in machine code of this CPU."""

from serrate._apply import wrap
from serrate._apply.numba import numba


def block(flat, types, outputs, may_fail):
    """The compiled block function (a cfunc of Numba's), see serrate/function.h; `flat` gives all
    outputs but the status."""
    nb = numba()
    t = nb.types
    env = {
        "call": wrap.status_call(flat, types, vectors=True),
        "is_null": wrap.helpers().is_null,
    }
    for i, x in enumerate(types):
        env[f"in{i}"] = wrap.pointer(_stored(x))
    names = [*outputs, "int32"] if may_fail else outputs
    for k, name in enumerate(names):
        env[f"out{k}"] = wrap.pointer(_stored(getattr(t, "boolean" if name == "bool" else name)))
    exec(_source(types, outputs, may_fail), env)
    signature = t.void(
        t.voidptr, t.int64, t.CPointer(t.voidptr), t.CPointer(t.uint8), t.CPointer(t.voidptr)
    )
    return nb.cfunc(signature, error_model="numpy", nogil=True)(env["block"])


def _stored(t):
    """Booleans are bytes in memory."""
    types = numba().types
    return types.uint8 if t == types.boolean else t


def _source(types, outputs, may_fail):
    boolean = numba().types.boolean
    given = "".join(f"i{i}[k]{' != 0' if x == boolean else ''}, " for i, x in enumerate(types))
    lines = ["def block(state, n, inputs, where, outputs):"]
    lines += [f"    i{i} = in{i}(inputs, {i})" for i in range(len(types))]
    count = len(outputs) + may_fail
    lines += [f"    o{k} = out{k}(outputs, {k})" for k in range(count)]
    body = [f"r, s = call(({given}))"]
    body += [f"o{k}[k] = r[{k}]" for k in range(len(outputs))]
    if may_fail:  # the first one is enough; errors have memory, which nobody gives back
        rest = [f"o{k}[j] = 0" for k in range(count)]
        body += [f"o{count - 1}[k] = s", "if s != 0:", "    for j in range(k + 1, n):"]
        body += ["        " + x for x in rest] + ["    break"]
    lines += ["    if is_null(where):", "        for k in range(n):"]
    lines += ["            " + x for x in body]
    lines += ["    else:", "        for k in range(n):", "            if where[k] != 0:"]
    lines += ["                " + x for x in body]
    lines += ["            else:"]
    lines += [f"                o{k}[k] = 0" for k in range(count)]
    return "\n".join(lines)
