"""A function of lists as a `__device__` function of a row: the number i, the words of the views
(see docs/internals.md), numbers, and pointers to outputs. Generators store and count."""

import json
import os
from types import SimpleNamespace

from serrate import _core
from serrate._apply import disk, results, wrap, yields
from serrate._apply.cuda import check_types
from serrate._apply.key import key_of
from serrate._apply.list_targets import has_behaviors, target, version
from serrate._apply.numba import python_function

_VERSION = 3  # of the code that is made: names of functions are keys of the kernels' cache


def device_function(function, arguments):
    """Its name, LTO-IR, Shape of results, and whether it yields; `arguments` are names of dtypes,
    or (form, list_name, behavior) of views."""
    plain, options = python_function(function)
    key = _key(plain, options, arguments)
    body = disk.kept(key, lambda: _compile(function, arguments, key))
    size = int.from_bytes(body[:8], "little")
    head = json.loads(body[8 : 8 + size])
    shape = results.read(head)
    return SimpleNamespace(
        name=head["name"],
        code=body[8 + size :],
        shape=shape,
        yields=head["yields"],
        outputs=shape.outputs(),
    )


def _key(plain, options, arguments):
    """What it computes as a hash; None if that depends on more than its text."""
    if any(has_behaviors(x[2]) for x in arguments if isinstance(x, tuple)):
        return None
    given = [x if isinstance(x, str) else f"{x[0]} {x[1]}" for x in arguments]
    return key_of(
        plain, f"lists {_VERSION}", version(), *given, repr(sorted(options.items(), key=str))
    )


def _compile(function, arguments, key):
    t = target()
    name = f"sr_lists_{(key or os.urandom(32).hex())[:32]}"
    types = [_type(t, x) for x in arguments]
    items = [getattr(x, "item", x) for x in types]
    plain = python_function(function)[0]
    is_generator = yields.is_generator(plain)
    if is_generator:
        callee, shape = _storing(t, plain, items)
        outs = t.types.Tuple([_pointer(t, x) for x in shape.outputs()])
        given = [outs, t.types.int64, t.types.int64, *items]
    else:
        f, _, result = t.compile(function, items)
        shape = results.shape_of_lists(result, plain.__name__)
        env = {"f": f, "value": t.helpers.value, "present": t.helpers.present}
        exec(wrap.flat_source(shape, len(items)), env)
        callee, given = env["flat"], items
    check_types(shape.outputs())
    cres = t.compile(callee, given)[1]
    source, signature, env = _row_function(t, types, shape, is_generator)
    env["call"] = wrap.status_call_of(cres, given, t.types, t.intrinsic)
    exec(source, env)
    code = t.code(name, env["f"], signature)
    head = {
        "name": name,
        **shape.description,
        "yields": is_generator,
    }
    head = json.dumps(head).encode()
    return len(head).to_bytes(8, "little") + head + code


def _type(t, argument):
    if isinstance(argument, tuple):
        return t.view(*argument)
    check_types([argument])
    return t.types.boolean if argument == "bool" else getattr(t.types, argument)


def _stored(t, name):
    """Booleans are bytes in memory."""
    return t.types.uint8 if name == "bool" else getattr(t.types, name)


def _pointer(t, name):
    return t.types.CPointer(_stored(t, name))


def _storing(t, plain, items):
    """The generator as a function that stores what it yields, and the Shape of that."""
    probe, names = yields.probing(plain)
    _, _, result = t.compile(probe, items)
    shape = results.shape_of_yielded(result, plain.__name__, names)
    put = wrap.put_of(shape, result, t.intrinsic, t.helpers.value, t.helpers.present, t.jit)
    return yields.storing(plain, put, all_or_none=True), shape


def _row_function(t, types, shape, is_generator):
    """Its text, its signature, what the text names."""
    env, words, args, signature = {}, [], [], [t.types.int64]
    if is_generator:
        signature += [t.types.int64] * 2
    for k, ty in enumerate(types):
        if not hasattr(ty, "form"):
            words.append(f"a{k}")
            args.append(f"a{k} != 0" if ty == t.types.boolean else f"a{k}")
            signature.append(t.types.uint8 if ty == t.types.boolean else ty)
            continue
        env[f"item{k}"], env[f"view{k}"], count = t.item, _view_of(t, ty), _words(ty)
        names = [f"a{k}_{w}" for w in range(count)]
        words += names
        args.append(f"item{k}(view{k}(({', '.join(names)})), i)")
        signature += [t.types.int64] * count
    outputs = shape.outputs()
    outs = [f"o{k}" for k in range(len(outputs))]
    signature += [_pointer(t, x) for x in outputs]
    if is_generator:
        args = [f"({', '.join(outs)},)", "at", "room", *args]
        names = ["i", "at", "room", *words, *outs, "count", "status"]
        body = ["count[0] = r"]
        signature.append(t.types.CPointer(t.types.int64))
    else:
        names = ["i", *words, *outs, "status"]
        body = [f"o{k}[0] = r[{k}]" for k in range(len(outs))]
    signature.append(t.types.CPointer(t.types.int32))
    lines = [f"def f({', '.join(names)}):", f"    r, s = call(({', '.join(args)},))"]
    lines += ["    " + x for x in [*body, "status[0] = s"]]
    return "\n".join(lines), signature, env


def _words(ty):
    from serrate._numba import _forms

    return 2 + _forms.words(ty.form)


def _view_of(t, ty):
    """view((start, stop, word ...)): a view of these."""
    count = _words(ty)

    @t.intrinsic
    def view(typingctx, words):
        def codegen(context, builder, signature, args):
            values = t.cgutils.unpack_tuple(builder, args[0], count)
            members = {"start": values[0], "stop": values[1]}
            members["words"] = t.words(builder, values[2:])
            return t.reading.make(context, builder, ty, **members)

        return ty(words), codegen

    return view


def keep(made):
    """The lines of a kernel's text that declare the function and say what it is linked with."""
    _core._keep_link_code(made.name, made.code)
    return _core._link_line(made.name)
