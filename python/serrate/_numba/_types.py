"""Numba's types of views, for CPUs or GPUs: the same classes over either's own base classes."""

from serrate import _core
from serrate._numba import _forms

MISSING_UNION = (
    "values of several types ({}) can't be used in functions that Numba compiles; the rest of the "
    "array can"
)


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
                return views.value_type(self.form, self.behavior)

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

    def _list(self, form, behavior):
        return self.ListView(form[2], form[3], (), behavior)

    def _opt(self, form, behavior):
        return self.target.types.Optional(self.value_type(form[1], behavior))

    _all = _opt

    def _none(self, form, behavior):
        return self.target.types.none

    def _rec(self, form, behavior):
        return self.as_behaved(self.RecordView(form, behavior))

    def as_behaved(self, record):
        """What a behaviour (("__numba_typer__", name)) makes of records, else the record."""
        typer = self.behavior_of(record, "__numba_typer__", record.record_name)
        return typer(record) if typer else record

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
            return of.of_fields(name) if self._one_field(of.item, name) is not None else None
        if isinstance(of, types.BaseTuple) and name.isdigit() and int(name) < len(of):
            return of[int(name)]
        return None
