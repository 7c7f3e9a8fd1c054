"""PartitionedArray: an Array whose data are in partitions of files."""

import inspect
import operator
import types as python_types

import numpy as np

from serrate import _core, types
from serrate._datasets import cluster, passes, record, rules
from serrate._datasets.execute import Options
from serrate._datasets.nodes import Node, Rows, flattened, restored
from serrate._datasets.passes import UnknownLength

_VECTORS = tuple(
    getattr(_core._vectors, f"{kind}Array{n}D")
    for kind in ("Vector", "Momentum")
    for n in (2, 3, 4)
)
_SHOWN = 20  # rows that show() looks at
OWN = {}  # functions that have a way of their own with PartitionedArrays, by name


def unwrapped(x):
    """Arguments with the Nodes of PartitionedArrays."""
    if isinstance(x, PartitionedArray):
        return x._node
    if isinstance(x, dict):
        return {key: unwrapped(value) for key, value in x.items()}
    if isinstance(x, slice):
        return slice(*(unwrapped(v) for v in (x.start, x.stop, x.step)))
    if type(x) in (list, tuple):
        return type(x)(map(unwrapped, x))
    return x


def wrapped(node):
    """A handle on a node; of several results, one each."""
    if not isinstance(node, Node):
        return node
    example = node.example
    if isinstance(example, tuple | list):
        return type(example)(wrapped(_part(node, i)) for i in range(len(example)))
    if isinstance(example, dict):
        return {key: wrapped(_part(node, key)) for key in example}
    return PartitionedArray(node)


def _part(node, key):
    make = record.of_values if node.is_value else record.by_rows
    return make(operator.getitem, (node, key), {})


def apply(name, *args, **kwargs):
    """A public function of what may be PartitionedArrays."""
    return wrapped(record.public(name, unwrapped(args), unwrapped(kwargs)))


def _elementwise(function, args):
    """An operator, a ufunc: by rows, if nothing but rows and single values meet."""
    args = unwrapped(args)
    nodes = [n for n in args if isinstance(n, Node)]
    fits = all(n.is_value for n in nodes) is False and rules.together(nodes)
    if fits and not any(map(rules.is_many, args)) and not rules._may_swap_dimensions(nodes):
        return wrapped(record.by_rows(function, args, {}))
    return wrapped(record.of_values(function, args, {}))


class PartitionedArray:
    """An array whose type is known and whose data are in files, cut into partitions.

    Functions of serrate, operators, x[...] and NumPy's ufuncs of it are written down; compute() (or
    whatever looks at values: to_list, len, float ...) reads what the result needs, a partition
    after the other. scan_parquet, scan, from_partitions ... make them.
    """

    __slots__ = ("_graph", "_node")
    __hash__ = None

    def __init__(self, node):
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_graph", None)  # Dask's, once it has asked

    # -- what is known without a look

    @property
    def type(self):
        """As Array.type; where nobody has counted the rows its length is None, "##" in text."""
        node = self._node
        if node.result is not None:
            return _core.type(node.result[0])
        if node.example is None:
            return _core.type(self.compute())
        if not isinstance(node.example, _core.Array):
            return _core.type(node.example)
        content = _core.type(node.example).content
        if node.is_value or node.rows.counts is None:
            return UnknownLength(content)
        return types.ArrayType(content, sum(node.rows.counts))

    @property
    def typestr(self):
        """The text of its type."""
        return str(self.type)

    @property
    def fields(self):
        """Names of the fields of its records."""
        sample = self._sample()
        return _core.fields(sample) if isinstance(sample, _core.Array | _core.Record) else []

    @property
    def ndim(self):
        """Number of dimensions."""
        return self._sample().ndim

    @property
    def npartitions(self):
        """Number of partitions; 1 of what is one value."""
        return 1 if self._node.is_value else self._node.count

    @property
    def attrs(self):
        """As Array.attrs."""
        return self._sample().attrs

    @property
    def behavior(self):
        """As Array.behavior."""
        return self._sample().behavior

    @property
    def partitions(self):
        """x.partitions[i] is one of them, x.partitions[i:j] are some."""
        return _Partitions(self)

    def _sample(self):
        example = self._node.example
        return self.compute() if example is None else example

    # -- looking

    def compute(self, **options):
        """The Array, record or number: serrate.compute(x) with its options."""
        return compute(self, **options)

    def persist(self, **options):
        """The same with its partitions in memory."""
        if self._node.is_value:
            self.compute(**options)
            return self
        parts = list(each(self, **options))
        return of_source(cluster.Kept(parts, self._node.example, [len(p) for p in parts]))

    def __len__(self):
        node = self._node
        if node.is_value:
            return len(self.compute())
        n = record.length(node)
        return n if not isinstance(n, Node) else int(passes.values_of([n], Options())[0])

    def __iter__(self):
        if self._node.is_value:
            yield from self.compute()
            return
        for part in each(self):
            yield from part

    def to_list(self):
        """As Array.to_list."""
        return _core.to_list(self.compute())

    tolist = to_list

    def to_numpy(self, *args, **kwargs):
        """As Array.to_numpy."""
        return _core.to_numpy(self.compute(), *args, **kwargs)

    def show(self, *args, **kwargs):
        """As Array.show, of the first rows."""
        rows = self.compute() if self._node.is_value else self[:_SHOWN].compute()
        return rows.show(*args, **kwargs) if hasattr(rows, "show") else print(rows)

    def __array__(self, dtype=None, copy=None):
        out = np.asarray(self.compute())
        return out if dtype is None else out.astype(dtype)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.compute().__arrow_c_stream__(requested_schema)

    @property
    def layout(self):
        """As Array.layout."""
        return self.compute().layout

    def __bool__(self):
        return bool(self.compute())

    def __float__(self):
        return float(self.compute())

    def __int__(self):
        return int(self.compute())

    def __index__(self):
        return operator.index(self.compute())

    def __complex__(self):
        return complex(self.compute())

    def __round__(self, digits=None):
        return round(self.compute(), digits)

    def __format__(self, spec):
        return format(self.compute(), spec) if spec else str(self)

    def __contains__(self, item):
        return any(item in part for part in each(self))

    def __repr__(self):
        node = self._node
        if node.result is not None:
            return repr(node.result[0])
        if node.example is None or (node.is_value and not isinstance(node.example, _core.Array)):
            return "<PartitionedArray: one value, not computed>"
        many = "" if node.is_value else f"{node.count} partitions "
        return f"<PartitionedArray {many}type={self.typestr!r}>"

    # -- parts

    def __getitem__(self, where):
        return wrapped(record.getitem(self._node, unwrapped(where)))

    def __setitem__(self, where, what):
        if not isinstance(where, str) and not (
            isinstance(where, tuple | list) and all(isinstance(w, str) for w in where)
        ):
            raise TypeError("x[...] = y: of a PartitionedArray only fields can be set")
        self.__init__(apply("with_field", self, what, where)._node)

    def __setattr__(self, name, value):
        raise AttributeError(f"fields are set by x[{name!r}] = value")

    def __getattr__(self, name):
        if name.startswith("__") or name in (
            "_repr_html_",
            "_repr_mimebundle_",
            "_ipython_display_",
        ):
            raise AttributeError(name)
        sample = self._sample()
        if name in self.fields and not hasattr(type(sample), name):
            return self[name]
        found = getattr(sample, name)
        static = inspect.getattr_static(type(sample), name, None)
        if isinstance(static, property):
            return static.fget(self)
        if isinstance(static, python_types.FunctionType):
            return python_types.MethodType(static, self)
        if callable(found) and not isinstance(found, _core.Array):
            return lambda *args, **kwargs: self._method(name, args, kwargs)
        if name in ("named_axis", "positional_axis", "is_tuple"):
            return found
        if not isinstance(found, _core.Array):
            return getattr(self.compute(), name)
        return self._attribute(getattr, (self, name))

    def _attribute(self, function, args):
        make = record.of_values if self._node.is_value else record.by_rows
        return wrapped(make(function, unwrapped(args), {}))

    def _method(self, name, args, kwargs):
        """Methods of the classes that are built in: of vectors, which are row by row."""
        node, given = self._node, unwrapped((args, kwargs))
        rows = [node, *(n for n in record.found(given) if not n.is_value)]
        by_rows = not node.is_value and rules.together(rows) and isinstance(node.example, _VECTORS)
        make = (
            record.by_rows
            if by_rows and not any(map(rules.is_many, given[0]))
            else record.of_values
        )
        return wrapped(make(call_method, (node, name, *given[0]), given[1]))

    @property
    def mask(self):
        """x.mask[y] is serrate.mask(x, y)."""
        return _Mask(self)

    def map_partitions(self, function, *args, **kwargs):
        """function(partition, ...) of each partition, as the partitions of the result.

        It is called once with no rows, to find the type. args may be PartitionedArrays of the same
        partitions.
        """
        nodes = unwrapped((self, *args))
        if any(isinstance(n, Node) and not n.is_value for n in nodes) and rules.together(
            [n for n in nodes if isinstance(n, Node)]
        ):
            return wrapped(record.by_rows(function, nodes, unwrapped(kwargs), Rows()))
        raise ValueError("map_partitions: the arguments have different partitions")

    # -- protocols

    def _call_of_rows(self, function, args):
        """A function of users of rows, as what it gives of each partition."""
        return _elementwise(function, args)

    def __awkward_function__(self, function, array_likes, args, kwargs):
        name = function.__name__
        if getattr(_core, name, None) is None:
            return NotImplemented
        own = OWN.get(name)
        return apply(name, *args, **kwargs) if own is None else own(*args, **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method == "__call__" and not kwargs:
            return _elementwise(ufunc, inputs)
        function = getattr(ufunc, method)
        return wrapped(record.of_values(function, unwrapped(inputs), unwrapped(kwargs)))

    def __array_function__(self, function, types, args, kwargs):
        return OWN["__array_function__"](function, args, kwargs)

    def __reduce__(self):
        return _restored, (flattened([self._node]),)

    # -- Dask's

    def __dask_tokenize__(self):
        return cluster.dumps(flattened([self._node]))

    def __dask_graph__(self):
        return self._dask()[0]

    def __dask_keys__(self):
        return self._dask()[1]

    def _dask(self):
        if self._graph is None:
            object.__setattr__(self, "_graph", cluster.collection(self._node, record.gathered))
        return self._graph

    def __dask_postcompute__(self):
        return _computed_by_dask, (self._node.is_value, self._node.example)

    def __dask_postpersist__(self):
        return _persisted_by_dask, (self._node.is_value, self._node.example)

    @property
    def __dask_scheduler__(self):
        import dask.threaded

        return staticmethod(dask.threaded.get).__func__

    @staticmethod
    def __dask_optimize__(tasks, keys, **kwargs):
        return tasks


def vector_arrays(vector):
    """The classes of arrays of vectors."""
    return tuple(
        getattr(vector, f"{kind}Array{n}D") for kind in ("Vector", "Momentum") for n in (2, 3, 4)
    )


def _restored(flat):
    return PartitionedArray(restored(flat)[0])


def _computed_by_dask(parts, is_value, example):
    if is_value:
        return parts[0]
    return parts[0] if len(parts) == 1 else _core.concatenate([example, *parts])


def _persisted_by_dask(tasks, is_value, example, rename=None):
    values = [tasks[key] for key in tasks]
    if is_value:
        return values[0]
    return of_source(cluster.Kept(values, example))


def call_method(x, name, *args, **kwargs):
    """x.name(*args): a function that can be pickled."""
    return getattr(x, name)(*args, **kwargs)


class _Mask:
    def __init__(self, array):
        self._array = array

    def __getitem__(self, where):
        return apply("mask", self._array, where)


class _Partitions:
    def __init__(self, array):
        self._array = array

    def __len__(self):
        return self._array.npartitions

    def __getitem__(self, where):
        node = self._array._node
        if node.is_value:
            raise TypeError("one value has no partitions")
        chosen = range(node.count)[where]
        chosen = [chosen] if isinstance(chosen, int) else list(chosen)
        counts = node.rows.counts
        rows = Rows(None if counts is None else [counts[i] for i in chosen])
        table = [(i, slice(None)) for i in chosen]
        made = {"table": table}
        return PartitionedArray(
            Node("slice", None, (node,), made, count=len(table), rows=rows, example=node.example)
        )


def _operator(function, swapped=False):
    if swapped:
        return lambda self, other: _elementwise(function, (other, self))
    return lambda self, *others: _elementwise(function, (self, *others))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _f = getattr(operator, _name + "_" if _name in ("and", "or") else _name)
    setattr(PartitionedArray, f"__{_name}__", _operator(_f))
    setattr(PartitionedArray, f"__r{_name}__", _operator(_f, swapped=True))
for _name in ("lshift", "rshift", "matmul"):
    setattr(PartitionedArray, f"__{_name}__", _operator(getattr(operator, _name)))
    setattr(PartitionedArray, f"__r{_name}__", _operator(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert"):
    setattr(PartitionedArray, f"__{_name}__", _operator(getattr(operator, _name)))


def each(array, **options):
    """Its partitions, computed one after the other; the next ones are read meanwhile."""
    return (parts[0] for parts in each_of([array], **options))


def each_of(arrays, **options):
    """The same of several arrays of the same partitions (and others, which stay), as lists."""
    nodes = [a._node for a in arrays if isinstance(a, PartitionedArray)]
    for made in passes.each_of(nodes, Options(**options)):
        values = iter(made)
        yield [next(values) if isinstance(a, PartitionedArray) else a for a in arrays]


def of_source(source):
    """A PartitionedArray of what a Source reads."""
    made = {"count": len(source.names), "rows": Rows(source.counts), "example": source.example}
    return PartitionedArray(Node("source", source, (), {}, **made))


@_core._compute
def compute(*arrays, scheduler=None, progress=None, on_error="raise", report=None):
    """Computes arrays together, in as few passes as can be, and returns them.

    Of PartitionedArrays only what the results need is read, partition by partition. scheduler is
    None (threads of this process) or a client of dask.distributed (or "threads", "processes",
    "synchronous": dask's). progress is True, False, a function of (done, partitions, report), or
    None: a bar if stderr is a terminal. on_error="skip" leaves out partitions that can't be read,
    and says which in report.skipped, of a report=serrate.Report() that is given.

    >>> import serrate as ak
    >>> x = ak.scan([[[1, 2], []], [[3]]])
    >>> ak.compute(ak.num(x), ak.sum(x))
    (<Array [2, 0, 1] type='3 * int64'>, np.int64(6))
    """
    for a in arrays:
        if isinstance(a, PartitionedArray):
            break
    else:
        _core.compute(*arrays)
        return arrays if len(arrays) != 1 else arrays[0]
    options = Options(progress=progress, on_error=on_error)
    if on_error == "skip" and report is None:
        raise ValueError(
            "compute: on_error='skip' needs report=serrate.Report(), to say what was left out"
        )
    if report is not None:
        options.report = report
    options.scheduler = scheduler
    nodes = [record.gathered(a._node) for a in arrays if isinstance(a, PartitionedArray)]
    values = iter(passes.values_of(nodes, options))
    rest = [a for a in arrays if isinstance(a, _core.Array)]
    if rest:
        _core.compute(*rest)
    out = tuple(next(values) if isinstance(a, PartitionedArray) else a for a in arrays)
    return out if len(out) != 1 else out[0]
