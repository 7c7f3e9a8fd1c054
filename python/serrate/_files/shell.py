"""`serrate show FILE` and `serrate convert A B`: files of all formats by the ends of their
names."""

import os

import serrate
from serrate._datasets.collection import PartitionedArray
from serrate._datasets.scan import (
    scan_csv,
    scan_feather,
    scan_json,
    scan_parquet,
    scan_root,
)

_SCANS = {
    ".parquet": scan_parquet,
    ".parq": scan_parquet,
    ".feather": scan_feather,
    ".arrow": scan_feather,
    ".csv": scan_csv,
    ".ndjson": scan_json,
    ".jsonl": scan_json,
}
_READS = {
    ".json": "from_json",
    ".avro": "from_avro_file",
    ".safetensors": "from_safetensors",
    ".npy": "from_npy",
    ".npz": "from_npz",
    ".h5": "from_hdf5",
    ".hdf5": "from_hdf5",
}
_WRITES = {
    ".parquet": "to_parquet",
    ".parq": "to_parquet",
    ".feather": "to_feather",
    ".arrow": "to_feather",
    ".json": "to_json",
    ".ndjson": "to_json",
    ".jsonl": "to_json",
    ".safetensors": "to_safetensors",
    ".npy": "to_npy",
    ".npz": "to_npz",
    ".h5": "to_hdf5",
    ".hdf5": "to_hdf5",
}
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")


def _ending(path):
    name, end = os.path.splitext(path)
    return os.path.splitext(name)[1].lower() if end in _COMPRESSED else end.lower()


def _known(path, table, what):
    end = _ending(path)
    if end not in table:
        raise ValueError(f"{what}: {path!r} should end in one of {', '.join(table)}")
    return table[end]


def opened(path, tree=None):
    """What a file holds: scanned where it can be read in parts."""
    if ".root" in path:
        return scan_root(path, tree)
    if os.path.isdir(path):
        return scan_parquet(path)
    name = _known(path, {**_SCANS, **_READS}, "show")
    if callable(name):
        return name(path)
    return getattr(serrate, name)(_path(path))


def _path(path):
    import pathlib

    return path if "://" in path else pathlib.Path(path)


def show(path, *, tree=None, rows=10):
    """The type of a file and its first rows."""
    array = opened(path, tree)
    if isinstance(array, PartitionedArray):
        print(f"{path}: {array.npartitions} partitions")
    type_ = array.type if isinstance(array, PartitionedArray) else serrate.type(array)
    print(type_)
    first = array[:rows] if hasattr(array, "__len__") else array
    first = first.compute() if isinstance(first, PartitionedArray) else first
    if hasattr(first, "show"):
        first.show()
    else:
        print(first)


def convert(source, destination, *, tree=None, columns=None, progress=None, overwrite=False):
    """Writes what one file holds to another one, of the format that its name says."""
    name = _known(destination, _WRITES, "convert")
    if os.path.exists(destination) and not overwrite:
        raise FileExistsError(f"convert: there is {destination!r} already; --overwrite replaces it")
    array = opened(source, tree)
    if columns:
        array = array[list(columns)]
    if os.path.exists(destination):
        os.remove(destination)
    write = getattr(serrate, name)
    options = {"line_delimited": True} if _ending(destination) in (".ndjson", ".jsonl") else {}
    if isinstance(array, PartitionedArray):
        if name == "to_parquet":
            from serrate._datasets.collection import each

            pieces = each(array, progress=progress)
            serrate.to_parquet_row_groups(pieces, destination)
            return
        array = array.compute(progress=progress)
    write(array, destination, **options)
