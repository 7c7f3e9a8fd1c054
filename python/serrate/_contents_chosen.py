"""Layouts whose items are chosen among others: by index, by mask, by tag."""

import numpy as np

from serrate import _core, _kinds
from serrate._content import Content, array_of, layout_of, numbers_of
from serrate.index import Index, Index8, Index64, IndexU8


def places(chosen, backend):
    """For booleans of which one is true at each place: how many of its kind came before."""
    index = 0
    for c in chosen:
        index = index + _core.where(c, _core.cumsum(c, axis=0) - 1, 0)
    return Index64(numbers_of(_core.values_astype(index, "int64"), backend))


def positions(valid, backend):
    """The index of an option: numbers those that are there; -1 for the others."""
    index = _core.where(valid, _core.cumsum(valid, axis=0) - 1, -1)
    return Index64(numbers_of(_core.values_astype(index, "int64"), backend))


def _unset(mask, backend):
    """Where an Index or array of bytes is 0."""
    mask = mask.data if isinstance(mask, Index) else mask
    return _core.to_backend(mask, backend) == 0


def _chosen(cls, node, length):
    index = node.index("index")
    n = 1 + int(_core.max(index.data, axis=None)) if len(index) else 0
    return cls._any(index, node.content(n), parameters=node.parameters)


class _Wrapper(Content):
    def _check_inner(self, inner):
        is_categorical = self.parameter("__array__") == "categorical"
        x = inner[0]
        if x.is_option or x.is_indexed or (x.is_union and not is_categorical):
            self._refuse_inner(f"options, unions or indexes ({type(x).__name__})")


class IndexedArray(_kinds.Indexed, _Wrapper):
    """Chosen items of another layout, or categories."""

    built = classmethod(_chosen)

    def __init__(self, index, content, *, parameters=None):
        self._set(parameters, index=index, content=content)

    def _count(self):
        return len(self._index)

    index = property(lambda self: self._index, doc="Which items.")

    def project(self, mask=None):
        """The items themselves, with the notes of the index over theirs."""
        index = _core.to_backend(self._index.data, self.backend)
        if mask is not None:
            index = index[_unset(mask, self.backend)]
        out = self._content[index] if len(index) else self._content[:0]
        own = {k: v for k, v in self.parameters.items() if (k, v) != ("__array__", "categorical")}
        return out.copy(parameters={**out.parameters, **own}) if own else out

    @classmethod
    def simplified(cls, index, content, *, parameters=None):
        """Without two indexes above each other."""
        return layout_of(array_of(cls._any(index, content, parameters=parameters)))


class _Options(_Wrapper):
    _valid_when = True

    def mask_as_bool(self, valid_when=None):
        """One boolean an item: valid_when (that of its mask by default) if it is there."""
        valid_when = self._valid_when if valid_when is None else valid_when
        missing = _core.is_none(array_of(self), axis=0)
        return numbers_of(~missing if valid_when else missing, self.backend)

    def project(self, mask=None):
        """The items that are there."""
        x = array_of(self)
        if mask is not None:
            x = x[_unset(mask, self.backend)]
        return layout_of(_core.drop_none(x, axis=0))

    def to_IndexedOptionArray64(self):
        """Missing items by an index of -1."""
        valid = self.mask_as_bool(True)
        return IndexedOptionArray(
            positions(valid, self.backend), self.project(), parameters=self._parameters
        )

    def to_ByteMaskedArray(self, valid_when=None):
        """Missing items by a byte each."""
        valid_when = self._valid_when if valid_when is None else valid_when
        out = layout_of(array_of(self))
        mask = numbers_of(_core.values_astype(self.mask_as_bool(valid_when), "int8"), self.backend)
        return ByteMaskedArray(Index8(mask), out.content, valid_when, parameters=self._parameters)

    def to_BitMaskedArray(self, valid_when=True, lsb_order=True):
        """Missing items by a bit each."""
        bytes_ = self.to_ByteMaskedArray(valid_when)
        order = "little" if lsb_order else "big"
        bits = np.packbits(np.asarray(bytes_.mask.data).view("uint8"), bitorder=order)
        return BitMaskedArray(
            IndexU8(bits),
            bytes_.content,
            valid_when,
            len(self),
            lsb_order,
            parameters=self._parameters,
        )

    @classmethod
    def simplified(cls, *arguments, **options):
        """Without two options above each other."""
        return layout_of(array_of(cls._any(*arguments, **options)))


class IndexedOptionArray(_kinds.IndexedOption, _Options):
    """Chosen items of another layout; negative: missing."""

    built = classmethod(_chosen)

    def __init__(self, index, content, *, parameters=None):
        self._set(parameters, index=index, content=content)

    def _count(self):
        return len(self._index)

    index = property(lambda self: self._index, doc="Which items.")


class ByteMaskedArray(_kinds.ByteMasked, _Options):
    """Missing items by a byte each."""

    def __init__(self, mask, content, valid_when, *, parameters=None):
        _kinds.check_flags(self, valid_when=valid_when)
        self._set(parameters, mask=mask, content=content, valid_when=valid_when)
        if len(content) < len(mask):
            raise ValueError(f"ByteMaskedArray: {len(mask)} bytes, but {len(content)} items")

    @classmethod
    def built(cls, node, length):
        mask, content = node.index("mask"), node.content(length)
        return cls._any(mask, content, node["valid_when"], parameters=node.parameters)

    def _count(self):
        return len(self._mask)

    def _xml_attributes(self):
        return f" valid_when='{str(self._valid_when).lower()}'"

    mask = property(lambda self: self._mask, doc="A byte for each item.")
    valid_when = property(lambda self: self._valid_when, doc="What it is where items are there.")


class BitMaskedArray(_kinds.BitMasked, _Options):
    """Missing items by a bit each."""

    _arguments = ("mask", "content", "valid_when", "length", "lsb_order")

    def __init__(self, mask, content, valid_when, length, lsb_order, *, parameters=None):
        flags = {"valid_when": valid_when, "lsb_order": lsb_order}
        _kinds.check_flags(self, **flags)
        self._set(parameters, mask=mask, content=content, length=int(length), **flags)
        if len(content) < length or len(mask) * 8 < length:
            raise ValueError(f"BitMaskedArray: fewer than {length} bits or items")

    @classmethod
    def built(cls, node, length):
        flags = node["valid_when"], length, node["lsb_order"]
        return cls._any(
            node.index("mask"), node.content(length), *flags, parameters=node.parameters
        )

    def _count(self):
        return self._length

    def _xml_attributes(self):
        flags = {"valid_when": self._valid_when, "lsb_order": self._lsb_order}
        return "".join(f" {name}='{str(value).lower()}'" for name, value in flags.items())

    mask = property(lambda self: self._mask, doc="A bit for each item.")
    valid_when = property(lambda self: self._valid_when, doc="What it is where items are there.")
    lsb_order = property(lambda self: self._lsb_order, doc="Is the first bit the smallest one?")


class UnmaskedArray(_kinds.Unmasked, _Options):
    """Items of an option type none of which is missing."""

    def __init__(self, content, *, parameters=None):
        self._set(parameters, content=content)

    @classmethod
    def built(cls, node, length):
        return cls._any(node.content(length), parameters=node.parameters)

    def _count(self):
        return len(self._content)


class UnionArray(_kinds.Union, Content):
    """Values of several kinds, by tag and index."""

    def __init__(self, tags, index, contents, *, parameters=None):
        contents = list(contents)
        if len(contents) < 2:
            raise TypeError("UnionArray: expected two contents or more")
        self._set(parameters, tags=tags, index=index, contents=contents)
        if len(index) < len(tags):
            raise ValueError(f"UnionArray: {len(tags)} tags, but an index of {len(index)}")

    def _check_inner(self, inner):
        for x in inner:
            is_categorical = x.parameter("__array__") == "categorical"
            if x.is_union or (x.is_indexed and not x.is_option and not is_categorical):
                self._refuse_inner(f"unions or indexes ({type(x).__name__})")
        if len({x.is_option for x in inner}) > 1:
            self._refuse_inner("options and others")

    @classmethod
    def built(cls, node, length):
        tags, index = node.index("tags"), node.index("index")
        return cls._any(tags, index, node.contents(length), parameters=node.parameters)

    def _count(self):
        return len(self._tags)

    tags = property(lambda self: self._tags, doc="Which of the contents, for each value.")
    index = property(lambda self: self._index, doc="Which of its items, for each value.")

    def project(self, index):
        """The values of one tag."""
        n = len(self)
        tags, all_ = (
            _core.to_backend(x, self.backend) for x in (self._tags.data, self._index.data)
        )
        chosen = all_[:n][tags == index]
        content = self._contents[index]
        return content[chosen] if len(chosen) else content[:0]

    @classmethod
    def simplified(cls, tags, index, contents, *, parameters=None, mergebool=False):
        """Contents that fit one type as one; no union, if all do."""
        sizes = np.cumsum([0, *map(len, contents)])
        first = numbers_of(sizes, contents[0].backend)
        place = index.data[: len(tags)] + first[tags.data]
        place = _core.to_backend(place, contents[0].backend)
        all_ = _core.concatenate([array_of(x) for x in contents], mergebool=mergebool)
        out = layout_of(all_[place])
        return out if parameters is None else out.copy(parameters=parameters)

    def _xml_inner(self, inside):
        out = []
        for i, x in enumerate(self._contents):
            out += [f"{inside}<content index='{i}'>", x._xml(inside + "    ", "", "")]
            out.append(f"{inside}</content>")
        return out
