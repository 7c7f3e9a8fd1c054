"""Numba's types of views, for CPUs or GPUs: the same classes over either's own base classes."""

import inspect

from serrate import _core
from serrate._numba import _forms

MISSING_UNION = (
    "values of several types ({}) can't be used in functions that Numba compiles; the rest of the "
    "array can"
)

MISFIT = (
    "behaviours of {!r} in functions that Numba compiles: __numba_typer__ and __numba_lower__ are "
    "both there for {}, as typer(view) and lower(context, builder, signature, (view,))"
)


def _names(view):
    """By what behaviours know it: a record's name; the name of a list, "*" and its records'."""
    if hasattr(view, "record_name"):
        return [(view.record_name,)] if view.record_name else []
    names = [(view.list_name,)] if view.list_name else []
    form = view.form
    while form[0] in ("list", "opt", "all", "cat"):
        form = form[2] if form[0] in ("list", "cat") else form[1]
    return [*names, ("*", form[3])] if form[0] == "rec" and form[3] else names


def _arguments(function):
    """How many it takes; None: nobody knows."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in parameters}
    return None if inspect.Parameter.VAR_POSITIONAL in kinds else len(parameters)


class Views:
    """The types of one target: `target` is what _cpu.py or _gpu.py found of Numba's modules."""

    def __init__(self, target):
        self.target = target
        target.vectors, self.object_of = None, lambda record: None  # see _vectors.py
        types = target.types
        views = self

        class View(types.Type):
            """What has a form; equal where its arguments are."""

            mutable = False

            def __init__(self, *args):
                self.args = args
                self.behavior = args[-1]
                shown = ", ".join(str(a) for a in args[:-1] if a not in ("", ()))
                super().__init__(f"serrate.{type(self).__name__}({shown}){self._own()}")

            def _own(self):
                return "" if self.behavior is None else f" with behaviors at {id(self.behavior):#x}"

            @property
            def key(self):
                return (*self.args[:-1], id(self.behavior))

            def __reduce__(self):
                return target.remade, (type(self).__name__, self.args)

        class ListView(View, types.IterableType, types.Sized):
            """Lists of items of this form, of which these fields were asked for."""

            def __init__(self, form, list_name="", fields=(), behavior=None):
                self.form, self.list_name, self.fields = form, list_name, fields
                View.__init__(self, form, list_name, fields, behavior)

            @property
            def base_item(self):
                """With fields it is what has them, whatever behaviours make of it."""
                return (views.plain_type if self.fields else views.value_type)(
                    self.form, self.behavior
                )

            @property
            def item(self):
                return views.field_type(self.base_item, self.fields)

            @property
            def iterator_type(self):
                return Iterator(self)

            def of_fields(self, name):
                fields = (*self.fields, name)
                return ListView(self.form, self.list_name, fields, self.behavior)

        class RecordView(View):
            """One record of an array of this form."""

            def __init__(self, form, behavior=None):
                self.form = form
                View.__init__(self, form, behavior)

            @property
            def record_name(self):
                return self.form[3]

            def can_convert_to(self, context, other):
                found = views.object_of(self)
                if found is not None and other == found.type:
                    return target.safe

        class StringView(View):
            """Text of a list of UTF-8 characters (str) or bytes (bytes)."""

            def __init__(self, kind):
                self.kind = kind
                View.__init__(self, kind, None)

            def can_convert_to(self, context, other):
                if self.kind == "str" and other == target.unicode:
                    return target.safe

            def unify(self, context, other):
                if self.kind == "str" and other == target.unicode:
                    return other

        class Iterator(types.SimpleIteratorType):
            """Over the items of a ListView."""

            def __init__(self, view):
                self.view = view
                super().__init__(f"iter({view.name})", view.item)

        self.View, self.ListView, self.RecordView = View, ListView, RecordView
        self.StringView, self.Iterator = StringView, Iterator

    # -- types of values --------------------------------------------------------------------------
    def value_type(self, form, behavior=None):
        """The type of the values of a form."""
        return getattr(self, "_" + form[0])(form, behavior)

    def _num(self, form, behavior):
        name = {"bool": "boolean", "float16": "float32"}.get(form[1], form[1])
        return getattr(self.target.types, name)

    def _time(self, form, behavior):
        types = self.target.types
        of = types.NPDatetime if form[1] == "datetime64" else types.NPTimedelta
        try:
            return of(form[2])
        except (KeyError, ValueError):
            text = f"times of {form[2]!r} can't be used in functions that Numba compiles"
            raise self.target.errors.TypingError(text) from None

    def plain_type(self, form, behavior):
        """The same without what behaviours make of lists and records."""
        if form[0] == "list":
            return self.ListView(form[2], form[3], (), behavior)
        if form[0] == "rec":
            return self.RecordView(form, behavior)
        return self.value_type(form, behavior)

    def _list(self, form, behavior):
        return self.as_behaved(self.plain_type(form, behavior))

    def _opt(self, form, behavior):
        return self.target.types.Optional(self.value_type(form[1], behavior))

    _all = _opt

    def _none(self, form, behavior):
        return self.target.types.none

    _rec = _list

    def as_behaved(self, view):
        """What a behaviour makes of such a list or record, else the view."""
        typer, _ = self.behaved(view)
        return typer(view) if typer else view

    def behaved(self, view):
        """(typer, lower) of a list or record, or nothing; TypingError if one is missing, or of
        Awkward's own views."""
        for name in _names(view):
            typer = self.behavior_of(view, "__numba_typer__", *name)
            lower = self.behavior_of(view, "__numba_lower__", *name)
            if typer is None and lower is None:
                continue
            if typer is None or lower is None or _arguments(lower) not in (None, 4):
                raise self.target.errors.TypingError(MISFIT.format(name[-1], name))
            return typer, lower
        return None, None

    def behavior_of(self, view, *key):
        """behavior[key] of a view's array, or of all arrays; None if there is none."""
        for behavior in (view.behavior, _core.behavior):
            if behavior is not None and key in behavior:
                return behavior[key]
        return None

    def _tuple(self, form, behavior):
        return self.target.types.Tuple([self.value_type(item, behavior) for item in form[2]])

    def _str(self, form, behavior):
        return self.StringView(form[0])

    _bytes = _str

    def _cat(self, form, behavior):
        return self.value_type(form[2], behavior)

    def _no(self, form, behavior):
        raise self.target.errors.TypingError(MISSING_UNION.format(form[1]))

    # -- fields -----------------------------------------------------------------------------------
    def field_type(self, of, fields):
        """The type of a field of a field ... of values of this type; None: there is none."""
        for name in fields:
            of = self._one_field(of, name)
            if of is None:
                return None
        return of

    def _one_field(self, of, name):
        types = self.target.types
        if isinstance(of, types.Optional):
            inner = self._one_field(of.type, name)
            if inner is None or isinstance(inner, types.Optional):
                return inner
            return types.Optional(inner)
        if isinstance(of, self.RecordView):
            found = _forms.field(of.form, name)
            return found and self.value_type(found[1], of.behavior)
        if isinstance(of, self.ListView):
            inner = of.of_fields(name)
            return inner if inner.item is not None else None
        if isinstance(of, types.BaseTuple) and name.isdigit() and int(name) < len(of):
            return of[int(name)]
        return None
