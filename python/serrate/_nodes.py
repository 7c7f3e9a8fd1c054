"""What is asked of a node of a form or a layout, by the family that its kind belongs to."""

from functools import cached_property

from serrate.errors import FieldNotFoundError

_TEXT = ("string", "bytestring")
MOST_LEVELS = 256  # of a type, too


def too_deep(what):
    return ValueError(f"{what}: nested deeper than {MOST_LEVELS} levels")


class Node:
    """A node of a form or a layout. What is asked of a node depends on those below it."""

    # What the kinds of _kinds.py say of themselves.
    kind = None  # the name of its layout, which is the class in JSON
    arguments = ()  # of its form; a layout may have others
    buffer_types = {}  # the names of its buffers, and the types of integers that they may have
    written = None  # its arguments in the order of the JSON, where that is another one

    is_numpy = False
    is_unknown = False
    is_list = False
    is_regular = False
    is_option = False
    is_indexed = False
    is_record = False
    is_union = False
    is_leaf = False
    is_unmasked = False
    is_identity_like = False
    dimension_optiontype = False
    fields = ()

    _levels = 1  # of nodes, this one included

    @property
    def _inner(self):
        """The nodes below."""
        return ()

    def _count_levels(self, inner):
        self._levels = 1 + max([x._levels for x in inner], default=0)
        if self._levels > MOST_LEVELS:
            raise too_deep(type(self).__name__)

    @property
    def parameters(self):
        """Notes by name: __array__, __record__, ..."""
        return self._parameters if self._parameters is not None else {}

    def parameter(self, key):
        """One note, or None."""
        return self.parameters.get(key)

    @property
    def is_tuple(self):
        """Are the fields of the records numbered?"""
        return bool(self._inner) and all(x.is_tuple for x in self._inner)

    def purelist_parameter(self, key):
        """The note of this node, else of those inside lists and options."""
        return self.purelist_parameters(key)

    def purelist_parameters(self, *keys):
        """The first of these notes that this node has, else those inside lists and options."""
        for key in keys:
            if key in self.parameters:
                return self.parameters[key]
        return self._below(keys)

    def _below(self, keys):
        return None

    @property
    def purelist_depth(self):
        """Levels of lists down to numbers or records, 1 for those themselves."""
        return 1

    @property
    def purelist_isregular(self):
        """Are all lists down to numbers or records of fixed lengths?"""
        return True

    @property
    def minmax_depth(self):
        """The smallest and the largest depth of any part."""
        inner = [x.minmax_depth for x in self._inner]
        if not inner:
            return (1, 1)
        return (min(a for a, _ in inner), max(b for _, b in inner))

    @property
    def branch_depth(self):
        """Do depths differ below, and the smallest one."""
        inner = [x.branch_depth for x in self._inner]
        if not inner:
            return (False, 1)
        depth = min(d for _, d in inner)
        return (any(b or d != depth for b, d in inner), depth)


class Numpy(Node):
    """Numbers."""

    is_numpy = is_leaf = True
    fields = property(lambda self: [])

    @property
    def purelist_depth(self):
        return len(self.inner_shape) + 1

    @property
    def minmax_depth(self):
        return (self.purelist_depth, self.purelist_depth)

    @property
    def branch_depth(self):
        return (False, self.purelist_depth)


class Empty(Node):
    """No values, of no type."""

    is_unknown = is_leaf = is_identity_like = True
    fields = property(lambda self: [])


class Single(Node):
    """A node with one below it."""

    @property
    def content(self):
        """The node below."""
        return self._content

    @property
    def _inner(self):
        return (self._content,)

    @property
    def fields(self):
        return self._content.fields

    def _below(self, keys):
        return self._content.purelist_parameters(*keys)

    @property
    def purelist_depth(self):
        return self._content.purelist_depth

    @property
    def purelist_isregular(self):
        return self._content.purelist_isregular


class List(Single):
    """Lists of any length, strings among them."""

    is_list = True

    @property
    def _is_text(self):
        return self.parameter("__array__") in _TEXT

    @property
    def purelist_depth(self):
        return 1 if self._is_text else self._content.purelist_depth + 1

    @property
    def purelist_isregular(self):
        return False

    @property
    def minmax_depth(self):
        if self._is_text:
            return (1, 1)
        a, b = self._content.minmax_depth
        return (a + 1, b + 1)

    @property
    def branch_depth(self):
        if self._is_text:
            return (False, 1)
        branch, depth = self._content.branch_depth
        return (branch, depth + 1)


class Regular(List):
    """Lists of one length."""

    is_regular = True

    @property
    def purelist_isregular(self):
        return self._content.purelist_isregular


class Indexed(Single):
    """Chosen items of another node."""

    is_indexed = True

    @property
    def is_leaf(self):
        return self._content.is_leaf

    @property
    def dimension_optiontype(self):
        return self._content.dimension_optiontype


class Option(Single):
    """Values some of which may be missing."""

    is_option = True
    dimension_optiontype = True

    @property
    def is_leaf(self):
        return self._content.is_leaf


class Several(Node):
    """A node with any number of others below it."""

    @property
    def contents(self):
        """The nodes below."""
        return self._contents

    @property
    def _inner(self):
        return self._contents


class Record(Several):
    """Records and tuples."""

    is_record = True

    @property
    def is_tuple(self):
        """Are the fields numbered?"""
        return self._fields is None

    @property
    def is_leaf(self):
        return not self._contents

    @cached_property
    def fields(self):
        """Names, or numbers as text."""
        if self._fields is None:
            return [str(i) for i in range(len(self._contents))]
        return list(self._fields)

    def has_field(self, field):
        """Is there such a field?"""
        return field in self.fields

    def field_to_index(self, field):
        """The number of a field."""
        if field not in self.fields:
            raise FieldNotFoundError(
                f"no field {field!r} in record with {len(self._contents)} fields"
            )
        return self.fields.index(field)

    def index_to_field(self, index):
        """The name of a field by its number."""
        if not 0 <= index < len(self._contents):
            raise IndexError(f"no index {index} in record with {len(self._contents)} fields")
        return self.fields[index]

    def content(self, index_or_field):
        """The node of a field, by its name or number."""
        if isinstance(index_or_field, str):
            return self._contents[self.field_to_index(index_or_field)]
        return self._contents[index_or_field]


class Union(Several):
    """Values of several kinds."""

    is_union = True

    def content(self, index):
        """The node of a tag."""
        return self._contents[index]

    @property
    def fields(self):
        """Those that all records have."""
        first = self._contents[0].fields if self._contents else []
        return [f for f in first if all(f in c.fields for c in self._contents)]

    @property
    def dimension_optiontype(self):
        return any(x.dimension_optiontype for x in self._contents)

    def _below(self, keys):
        found = [x.purelist_parameters(*keys) for x in self._contents]
        return found[0] if found and all(x == found[0] for x in found) else None

    @property
    def purelist_depth(self):
        depths = {x.purelist_depth for x in self._contents}
        return depths.pop() if len(depths) == 1 else -1

    @property
    def purelist_isregular(self):
        return all(x.purelist_isregular for x in self._contents)
