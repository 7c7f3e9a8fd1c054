"""Arrow's tables of plain types with Awkward Array's types beside them, as its files have them."""

import json

from serrate import _core
from serrate._arrow import from_arrow_schema, to_arrow_table
from serrate._convert import lasting
from serrate._files.lazy import pyarrow

_OPTIONS = (
    *("list_to32", "string_to32", "bytestring_to32", "emptyarray_to"),
    *("categorical_as_dictionary", "extensionarray", "count_nulls"),
)
_TYPES = b"awkward_array_metadata"
_ATTRS = b"AWKWARD_ATTRS"
_KNOWN_ATTRS = (b"PANDAS_ATTRS", _ATTRS)


def _inner_fields(type_):
    if pyarrow.types.is_dictionary(type_):
        return [pyarrow.field("value", type_.value_type)]
    return [type_.field(i) for i in range(type_.num_fields)]


def _like(type_, fields):
    """The type with other fields inside."""
    is_ = pyarrow.types
    if is_.is_dictionary(type_):
        return pyarrow.dictionary(type_.index_type, fields[0].type, type_.ordered)
    if is_.is_fixed_size_list(type_):
        return pyarrow.list_(fields[0], type_.list_size)
    if is_.is_large_list(type_):
        return pyarrow.large_list(fields[0])
    if is_.is_list(type_):
        return pyarrow.list_(fields[0])
    if is_.is_struct(type_):
        return pyarrow.struct(fields)
    if is_.is_union(type_):
        return pyarrow.union(fields, type_.mode, type_.type_codes)
    return type_


def _notes(field):
    """What Awkward Array says of a field of an extension type, and of those inside."""
    if not isinstance(field.type, pyarrow.BaseExtensionType):
        return None
    out = json.loads(field.type.__arrow_ext_serialize__())
    out["field_name"] = field.name
    if (field.metadata or {}).get(b"option_type") == b"False" or not field.nullable:
        out["option_type"] = "False"
    inner = _inner_fields(field.type.storage_type)
    if inner:
        out["subfield_metadata"] = [_notes(f) for f in inner]
    return out


def _typed_field(field, notes):
    """The field with Awkward Array's type; of records fewer fields may have been read."""
    if notes is None:
        return field
    inner, type_ = _inner_fields(field.type), field.type
    if inner:
        known = notes.get("subfield_metadata") or []
        if len(known) != len(inner):
            by_name = {n["field_name"]: n for n in known if n is not None}
            known = [by_name.get(f.name) for f in inner]
        type_ = _like(type_, [_typed_field(f, n) for f, n in zip(inner, known, strict=True)])
    own = {k: v for k, v in notes.items() if k not in ("field_name", "subfield_metadata")}
    metadata = {b"ARROW:extension:name": b"awkward"}
    metadata[b"ARROW:extension:metadata"] = json.dumps(own).encode()
    nullable = field.nullable and notes.get("option_type") != "False"
    return pyarrow.field(field.name, type_, nullable, metadata)


def typed_schema(schema):
    """The schema with Awkward Array's types, if it says which they were."""
    metadata = dict(schema.metadata or {})
    if _TYPES not in metadata:
        return schema
    notes = json.loads(metadata.pop(_TYPES).decode())
    fields = [_typed_field(f, notes.get(f.name)) for f in schema]
    return pyarrow.schema(fields, metadata)


class _Batch:
    """A batch under another schema of the same storage."""

    def __init__(self, batch, schema):
        self._batch, self._schema = batch, schema

    def __arrow_c_array__(self, requested_schema=None):
        return self._schema.__arrow_c_schema__(), self._batch.__arrow_c_array__()[1]


def attrs_of(schema):
    out = {}
    for key in _KNOWN_ATTRS:
        if key in (schema.metadata or {}):
            out |= json.loads(schema.metadata[key])
    return out


def form_of(schema):
    return from_arrow_schema(typed_schema(schema))


def plain_form_of(schema):
    """With the names that columns have in the file: slots of tuples are fields."""
    metadata = {k: v for k, v in (schema.metadata or {}).items() if k != _TYPES}
    return from_arrow_schema(schema.with_metadata(metadata or None))


def array_of(tables, highlevel, behavior, attrs, generate_bitmasks=False):
    """The rows of tables, one behind the other, whose memory is shared."""
    kept, batches = {}, []
    for table in tables:
        said, of_table = table.schema, table.to_batches()
        kept |= attrs_of(said)
        schema = typed_schema(said)
        if schema is said:
            batches += of_table or [table]  # without batches a table still has a type
            continue
        if not of_table:
            empty = [pyarrow.array([], f.type) for f in said]
            of_table = [pyarrow.record_batch(empty, schema=said)]
        batches += [_Batch(b, schema) for b in of_table]
    return _core.from_arrow(
        batches,
        generate_bitmasks=generate_bitmasks,
        highlevel=highlevel,
        behavior=behavior,
        attrs=(kept | (attrs or {})) or None,
    )


def arrow_options(given):
    """Those of a call's arguments that are to_arrow's."""
    return {name: given[name] for name in _OPTIONS}


def table_of(array, options):
    """A table to be written: with extensionarray, of plain types that say what they were."""
    table = to_arrow_table(array, **(options | {"extensionarray": False}))
    metadata = {}
    if options["extensionarray"]:
        said = to_arrow_table(array, **options).schema
        notes = {field.name: _notes(field) for field in said}
        metadata = dict(said.metadata or {}) | {_TYPES: json.dumps(notes).encode()}
    attrs = lasting(getattr(array, "attrs", None))
    if attrs:
        metadata[_ATTRS] = json.dumps(attrs).encode()
    return table.replace_schema_metadata(metadata) if metadata else table
