"""Files of named buffers, as to_buffers gives them: safetensors, npz, HDF5; and npy."""

import io
import json
import os

import numpy as np

from serrate import _core
from serrate._files import paths, streams
from serrate._files.lazy import Library

h5py = Library("h5py", "h5py")
safetensors = Library("safetensors", "safetensors")

_FORM, _LENGTH = "form", "length"  # names beside those of buffers


def _write(destination, data, what, storage_options=None):
    """Bytes to a path or URL; no file that looks whole and is not."""
    fs, path = paths.located(destination, what, storage_options, "destination")
    try:
        with fs.open(path, "wb") as file:
            file.write(data)
    except BaseException:
        if fs.exists(path):
            fs.rm_file(path)
        raise


def _read(source, what, storage_options=None):
    fs, path = paths.located(source, what, storage_options, "source")
    if not fs.exists(path):
        raise FileNotFoundError(f"{what}: there is no {os.fsdecode(source)!r}")
    return fs.cat_file(path)


def _buffers(array, **options):
    form, length, container = _core.to_buffers(_core.to_packed(array), **options)
    return form.to_json(), int(length), container


def _array(what, source, form, length, container, **options):
    try:
        return _core.from_buffers(form, length, container, **options)
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{what}: {source}: {error}") from error


def _said(what, source, found):
    """Form and length that a file says."""
    missing = [name for name in (_FORM, _LENGTH) if name not in (found or ())]
    if missing:
        raise ValueError(f"{what}: {source}: it has no {' and no '.join(missing)} of an array")
    return found[_FORM], int(found[_LENGTH])


def to_safetensors(
    array,
    destination,
    *,
    storage_options=None,
    container=None,
    buffer_key="{form_key}-{attribute}",
    form_key="node{id}",
    id_start=0,
    backend=None,
    byteorder="<",
):
    """Writes the buffers of an array to a safetensors file, its form and length as metadata, as
    Awkward Array does. The options are those of to_buffers.

    >>> to_safetensors([[1, 2], []], "memory://some.safetensors")
    >>> from_safetensors("memory://some.safetensors")
    <Array [[1, 2], []] type='2 * var * int64'>
    """
    form, length, buffers = _buffers(
        array,
        container=container,
        buffer_key=buffer_key,
        form_key=form_key,
        id_start=id_start,
        backend="cpu" if backend is None else backend,
        byteorder=byteorder,
    )
    plain = {name: np.ascontiguousarray(data) for name, data in buffers.items()}
    data = safetensors.numpy.save(plain, {_FORM: form, _LENGTH: str(length)})
    _write(destination, data, "to_safetensors", storage_options)


def from_safetensors(
    source,
    *,
    storage_options=None,
    virtual=False,
    buffer_key="{form_key}-{attribute}",
    backend="cpu",
    byteorder="<",
    allow_noncanonical_form=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The array of a safetensors file that to_safetensors or Awkward Array wrote: a path or a URL.

    virtual changes nothing here. ValueError for files that are damaged or hold no array.
    """
    what = "from_safetensors"
    data = _read(source, what, storage_options)
    try:
        tensors = safetensors.numpy.load(data)
        size = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + size]).get("__metadata__")
    except ModuleNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{what}: {source}: {error}") from error
    form, length = _said(what, source, metadata)
    return _array(
        what,
        source,
        form,
        length,
        tensors,
        buffer_key=buffer_key,
        backend=backend,
        byteorder=byteorder,
        allow_noncanonical_form=allow_noncanonical_form,
        highlevel=highlevel,
        behavior=behavior,
        attrs=attrs,
    )


def to_npy(array, destination):
    """Writes a rectilinear array to a .npy file (a path or a URL).

    >>> to_npy([[1, 2], [3, 4]], "memory://some.npy")
    >>> from_npy("memory://some.npy")
    <Array [[1, 2], [3, 4]] type='2 * 2 * int64'>
    """
    out = io.BytesIO()
    data = _core.to_numpy(_core.to_backend(array, "cpu"), allow_missing=False)
    np.save(out, data, allow_pickle=False)
    _write(destination, out.getvalue(), "to_npy")


def from_npy(source, *, highlevel=True, behavior=None, attrs=None):
    """The array of a .npy file (a path or a URL); ValueError for files that are damaged."""
    loaded = _loaded(source, "from_npy")
    if not isinstance(loaded, np.ndarray):
        raise ValueError(f"from_npy: {source}: it holds several arrays: from_npz reads these")
    options = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    return _core.from_numpy(loaded, regulararray=True, **options)


def _loaded(source, what):
    try:
        return np.load(io.BytesIO(_read(source, what)), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{what}: {source}: {error}") from error


def to_npz(array, destination, *, compressed=False):
    """Writes the buffers of an array to a .npz file, with its form and length.

    >>> to_npz([[1, 2], []], "memory://some.npz")
    >>> from_npz("memory://some.npz")
    <Array [[1, 2], []] type='2 * var * int64'>
    """
    form, length, buffers = _buffers(array, backend="cpu")
    out = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(out, **{_FORM: np.array(form), _LENGTH: np.array(length)}, **buffers)
    _write(destination, out.getvalue(), "to_npz")


def from_npz(source, *, highlevel=True, behavior=None, attrs=None):
    """The array of a .npz file that to_npz wrote; of another one a record of its arrays."""
    what = "from_npz"
    loaded = _loaded(source, what)
    if isinstance(loaded, np.ndarray):
        raise ValueError(f"{what}: {source}: it holds one array: from_npy reads it")
    options = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    try:
        with loaded:
            found = {name: loaded[name] for name in loaded.files}
    except Exception as error:
        raise ValueError(f"{what}: {source}: {error}") from error
    if _FORM in found and _LENGTH in found:
        form, length = str(found.pop(_FORM)), int(found.pop(_LENGTH))
        return _array(what, source, form, length, found, **options)
    columns = {name: _core.from_numpy(a, regulararray=True) for name, a in found.items()}
    return _core.materialize(_core.Record(columns), **options)


def to_hdf5(array, destination, *, group="array", compression=None):
    """Writes the buffers of an array as data sets of a group of an HDF5 file, its form and length
    as attributes. A file that is there keeps its other groups; compression is h5py's.
    """
    path = streams.path_text(destination)
    form, length, buffers = _buffers(array, backend="cpu")
    with h5py.File(path, "a") as file:
        if group in file:
            raise ValueError(f"to_hdf5: {path}: there is a group {group!r} already")
        made = file.create_group(group)
        try:
            made.attrs[_FORM], made.attrs[_LENGTH] = form, length
            for name, data in buffers.items():
                how = compression if len(data) else None
                made.create_dataset(name, data=data, compression=how)
        except BaseException:
            del file[group]
            raise


def from_hdf5(source, *, group="array", highlevel=True, behavior=None, attrs=None):
    """The array of a group of an HDF5 file that to_hdf5 wrote; ValueError for what holds none."""
    what, path = "from_hdf5", streams.path_text(source)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{what}: there is no {path!r}")
    try:
        with h5py.File(path, "r") as file:
            if group not in file:
                there = ", ".join(file) or "none"
                raise ValueError(f"there is no group {group!r}; there are: {there}")
            found = file[group]
            form, length = _said(what, path, found.attrs)
            buffers = {name: found[name][...] for name in found}
    except (OSError, ValueError) as error:
        if str(error).startswith(what):
            raise
        raise ValueError(f"{what}: {path}: {error}") from error
    options = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    return _array(what, path, form, length, buffers, **options)
