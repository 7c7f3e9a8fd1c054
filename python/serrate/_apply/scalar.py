"""apply of functions of numbers: types, compiled functions that are kept, errors once more."""

from serrate import _core
from serrate._apply import results, wrap
from serrate._apply.key import key_of
from serrate._apply.numba import check_function, compiled, numba, python_function

_by_object = {}  # function and types: what is asked most is found soonest
_by_key = {}
_asked = {}  # the same by the function as it was given, for arrays and numbers of Python
_PLAIN = {_core.Array, int, float, bool}
_MOST = 4096


def apply_known(function, arrays):
    """apply of numbers by a function that was asked for with these types before; None if it was
    not, and for what is looked at more closely."""
    if not _PLAIN.issuperset(map(type, arrays)) or not arrays:
        return None
    try:
        known = _asked.get((function, _core._apply_types(arrays), _core._are_on_gpu(arrays)))
    except TypeError:  # no key, or no numbers
        return None
    if known is None:
        return None
    made, of_errors = known
    return _core._apply(made, arrays, of_errors and _Replay(of_errors, made, arrays))


def remember(given, function, arrays):
    """What apply_known finds, behind a call that was good."""
    if not _PLAIN.issuperset(map(type, arrays)):
        return
    types, on_gpu = _core._apply_types(arrays), _core._are_on_gpu(arrays)
    made, may_fail = prepared(function, types, on_gpu)
    if len(_asked) >= _MOST:
        _asked.clear()
    try:
        _asked[given, types, on_gpu] = made, function if may_fail else None
    except TypeError:
        return


def apply_scalar(function, arrays, types=None):
    """apply of numbers; as these types, if they are not to be those of the arrays."""
    if not arrays:
        raise TypeError("apply: a function of arrays has an argument")
    types = types or _core._apply_types(arrays)
    made, may_fail = prepared(function, types, _core._are_on_gpu(arrays))
    replay = _Replay(function, made, arrays) if may_fail else None
    return _core._apply(made, arrays, replay)


def prepared(function, types, on_gpu=False):
    """The compiled function, and whether it may raise; made once. With code for GPUs, if asked for:
    where it fails there, the CPU finds the item."""
    try:
        found = _by_object.get((function, types, on_gpu))
    except TypeError:
        found = None
    if found is not None:
        return found
    check_function(function, "apply")
    plain, options = python_function(function)
    key = key_of(plain, *types, repr(sorted(options.items(), key=str)))
    found = _by_key.get((key, on_gpu)) if key else None
    if found is None:
        found = _make(function, types, key, on_gpu)
        if key:
            _by_key[key, on_gpu] = found
    if len(_by_object) >= _MOST:
        _by_object.clear()
    _by_object[function, types, on_gpu] = found
    return found


def _make(function, types, key, on_gpu):
    from serrate._apply import cpu, cuda, disk, loop

    name = python_function(function)[0].__name__
    nb_types = [numba_type(t) for t in types]
    if key and (loaded := disk.load(key)):
        description, address, owner = loaded
    else:
        dispatcher, result = compiled(function, nb_types)
        shape = results.shape_of(result, name)
        flat = wrap.flat(dispatcher, shape, nb_types)
        may_fail = wrap.can_fail(flat, nb_types)
        owner = cpu.block(flat, nb_types, shape.outputs(), may_fail)
        address = owner.address
        description = {
            **shape.description,
            "may_fail": may_fail,
            "item": ("", "") if may_fail else loop.item(flat, nb_types),
        }
        if key:
            disk.store(key, description, owner._library, owner._wrapper_name)
    item_name, item_code = description.pop("item")
    if item_name:
        loop.register()
    given = {**description, "results": [tuple(x) for x in description["results"]]}
    shape = results.read(description)
    code = ("", "", b"")
    if on_gpu:
        code = cuda.code(function, types, nb_types, shape, description["may_fail"], key)
    made = _core._function(
        name=name,
        arguments=list(types),
        block=address,
        owner=owner,
        cuda_name=code[0],
        cuda_text=code[1],
        cuda_code=code[2],
        item_name=item_name,
        item_code=item_code,
        **given,
    )
    return made, description["may_fail"]


def numba_type(name):
    """Numba's type of a dtype's name."""
    types = numba().types
    return types.boolean if name == "bool" else getattr(types, name)


class _Replay:
    """Calls the function in Python with the first item of which it failed."""

    def __init__(self, function, made, arrays):
        self.function, self.made, self.arrays = function, made, arrays

    def __call__(self):
        place, arguments = self._failed()
        try:
            python_function(self.function)[0](*arguments)
        except Exception as error:
            at = f"item {place} of " if place else ""
            note = f"apply: {at}arguments {', '.join(map(repr, arguments))}"
            error.__notes__ = [*getattr(error, "__notes__", []), note]
            raise

    def _failed(self):
        status = _core._apply_status(self.made, self.arrays)
        if not isinstance(status, _core.Array):
            return [], [_number(x) for x in self.arrays]
        bad = status != 0
        place = [
            _first(_core.broadcast_arrays(bad, _core.local_index(status, axis=k))[1], bad)
            for k in range(status.ndim)
        ]
        arrays = [_first(_core.broadcast_arrays(bad, x)[1], bad) for x in self.arrays]
        return place, arrays


def _first(x, where):
    return _number(_core.flatten(x[where], axis=None)[0])


def _number(x):
    return x.item() if hasattr(x, "item") else x
