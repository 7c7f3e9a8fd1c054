"""Vectors in functions that Numba compiles for a CPU.

What a vector's record has not as a field it has as the object that the package vector makes of its
coordinates, which that package teaches Numba: properties, methods, operators. Fields stay fields.
"""

import functools
import importlib.util
from types import SimpleNamespace

from serrate import _core

_COORDINATES = {
    "azimuthal": {
        "AzimuthalObjectXY": (("x", "px"), ("y", "py")),
        "AzimuthalObjectRhoPhi": (("rho", "pt"), ("phi",)),
    },
    "longitudinal": {
        "LongitudinalObjectZ": (("z", "pz"),),
        "LongitudinalObjectTheta": (("theta",),),
        "LongitudinalObjectEta": (("eta",),),
    },
    "temporal": {
        "TemporalObjectT": (("t", "E", "e", "energy"),),
        "TemporalObjectTau": (("tau", "M", "m", "mass"),),
    },
}


def install(views):
    """The attributes, methods and operators of vectors, for `views` of Numba's CPU target."""
    from numba.core.registry import cpu_target

    target, objects = views.target, {}

    def object_of(ty):
        """The package's object that a record is: Numba's type of it and what makes it. None if it
        is no vector."""
        if not isinstance(ty, views.RecordView) or ty.form[0] == "tuple":
            return None
        if ty.key not in objects:
            objects[ty.key] = _made(views, ty)
            if objects[ty.key] is not None:
                cast_from_record(type(objects[ty.key].type))
                cpu_target.typing_context.refresh()
                cpu_target.target_context.refresh()
        return objects[ty.key]

    def made(context, builder, ty, value):
        found = object_of(ty)
        to = target.templates.signature(found.type, ty)
        return context.compile_internal(builder, found.make, to, (value,))

    @functools.cache
    def cast_from_record(kind):
        @target.lower_cast(views.RecordView, kind)
        def cast(context, builder, of, to, value):
            return made(context, builder, of, value)

    def as_objects(types):
        found = [object_of(t) for t in types]
        return [t if f is None else f.type for t, f in zip(types, found, strict=True)]

    def attribute(ty, name):
        """The type of a property or method of a vector; None if it has no such one."""
        found = object_of(ty)
        if found is None:
            return None
        of_object = cpu_target.typing_context.resolve_getattr(found.type, name)
        if not isinstance(of_object, target.types.BoundFunction):
            return of_object

        class Method(target.templates.AbstractTemplate):
            key = of_object.typing_key

            def generic(self, args, kws):
                kws = {k: as_objects([t])[0] for k, t in kws.items()}
                return of_object.get_call_type(self.context, as_objects(args), kws)

        return target.types.BoundFunction(Method, found.type)

    def lowered(ty, name):
        found = object_of(ty)
        if found is None:
            return None
        to = target.templates.signature(attribute(ty, name), ty)
        env = {"make": target.inner(found.make)}
        exec(f"def get(record):\n    return make(record).{name}", env)
        return lambda context, builder, value: context.compile_internal(
            builder, env["get"], to, (value,)
        )

    def operation(op, args):
        """The signature of an operator of vectors; None if none of them is one."""
        there = as_objects(args)
        if all(a is b for a, b in zip(there, args, strict=True)):
            return None
        return cpu_target.typing_context.resolve_function_type(op, tuple(there), {})

    target.vectors = SimpleNamespace(attribute=attribute, lowered=lowered, operation=operation)
    views.object_of = object_of


def _made(views, ty):
    cls = getattr(_core._vectors, ty.record_name, None)
    if cls is None:
        behaviors = [b for b in (ty.behavior, _core.behavior) if b is not None]
        cls = next((b[ty.record_name] for b in behaviors if ty.record_name in b), None)
    vectors = _core._vectors
    if not isinstance(cls, type) or not issubclass(
        cls, vectors.Vector2D | vectors.Vector3D | vectors.Vector4D
    ):
        return None
    if importlib.util.find_spec("vector") is None:
        return None
    import vector.backends._numba_object as compiled
    import vector.backends.object as classes

    dimensions = next(n for n in (2, 3, 4) if issubclass(cls, getattr(vectors, f"Vector{n}D")))
    momentum = any(c.__name__.startswith("Momentum") for c in cls.__mro__)
    name = f"{'Momentum' if momentum else 'Vector'}Object{dimensions}D"
    env, parts = {name: getattr(classes, name)}, []
    for kinds in list(_COORDINATES.values())[: dimensions - 1]:
        found = _chosen(kinds, ty.form[1])
        if found is None:
            return None
        part, fields = found
        env[part] = getattr(classes, part)
        parts.append((part, fields))
    calls = [f"{p}({', '.join(f'float(r.{x})' for x in fields)})" for p, fields in parts]
    exec(f"def make(r):\n    return {name}({', '.join(calls)})", env)
    types = [views.target.typeof(env[p](*(0.0 for _ in fields))) for p, fields in parts]
    return SimpleNamespace(type=getattr(compiled, f"{name}Type")(*types), make=env["make"])


def _chosen(kinds, fields):
    """The kind of coordinates that a record has, with its names of them."""
    for part, coordinates in kinds.items():
        names = [next((n for n in c if n in fields), None) for c in coordinates]
        if None not in names:
            return part, names
    return None
