"""Where bytes come from and go to: memory, paths, URLs, open files; compressed or not."""

import bz2
import contextlib
import gzip
import lzma
import os
import re

# No text of JSON begins so.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_PATH_OF_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):/(?=[^/])")


def is_url(source):
    return isinstance(source, str) and _URL.match(source) is not None


def path_text(source):
    """The text of a path; pathlib makes one slash of the two of a URL."""
    text = os.fsdecode(source)
    if isinstance(source, os.PathLike) and not os.path.exists(text):
        text = _PATH_OF_URL.sub(lambda m: f"{m[1]}:///" if m[1] == "file" else f"{m[1]}://", text)
    return text


def fsspec_for(what):
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{what}: URLs are opened by fsspec: pip install fsspec", name="fsspec"
        ) from error
    return fsspec


def open_path(path, mode, what, storage_options=None):
    """An open file of a path or a URL."""
    text = path_text(path)
    if is_url(text):
        return fsspec_for(what).open(text, mode, **(storage_options or {})).open()
    return open(text, mode)


def _zstd():
    try:
        from compression import zstd  # Python 3.14
    except ImportError:
        pass
    else:
        return zstd.decompress, zstd.compress
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "files compressed with zstd: pip install zstandard", name="zstandard"
        ) from error

    def decompress(data):
        # Of any number of frames, whose sizes need not be known.
        out, left = [], data
        while left:
            one = zstandard.ZstdDecompressor().decompressobj()
            out.append(one.decompress(left))
            if not one.eof:
                raise EOFError("compressed file ended before the end-of-stream marker was reached")
            left = one.unused_data
        return b"".join(out)

    return decompress, zstandard.ZstdCompressor().compress


_MAGIC = {
    b"\x1f\x8b": lambda: gzip.decompress,
    b"\x28\xb5\x2f\xfd": lambda: _zstd()[0],
    b"BZh": lambda: bz2.decompress,
    b"\xfd7zXZ\x00": lambda: lzma.decompress,
}
_EXTENSIONS = {
    ".gz": lambda: gzip.compress,
    ".zst": lambda: _zstd()[1],
    ".bz2": lambda: bz2.compress,
    ".xz": lambda: lzma.compress,
}


def is_compressed(data):
    """Do the bytes begin as a compressed file does?"""
    return data.startswith(tuple(_MAGIC))


def decompressed(data, what):
    """The bytes, if they begin as a compressed file does without compression."""
    for magic, codec in _MAGIC.items():
        if data.startswith(magic):
            try:
                return codec()(data)
            except ImportError:
                raise
            except Exception as error:
                raise ValueError(f"{what}: a compressed file that is damaged: {error}") from error
    return data


def read_all(source, what, buffersize=65536):
    """All bytes of a str of JSON, bytes, a path, a URL or an object with read(number of bytes)."""
    if is_url(source) or isinstance(source, os.PathLike):
        with open_path(source, "rb", what) as file:
            return decompressed(file.read(), what)
    if isinstance(source, str):
        return source.encode("utf-8", "surrogateescape")
    if isinstance(source, bytes | bytearray | memoryview):
        return decompressed(bytes(source), what)
    if not hasattr(source, "read"):
        raise TypeError(
            f"{what}: expected a str, bytes, a pathlib.Path, a URL or an object with read(n), got "
            f"one of class {type(source).__name__}"
        )
    pieces = []
    while piece := source.read(buffersize):
        pieces.append(piece.encode() if isinstance(piece, str) else bytes(piece))
    return decompressed(b"".join(pieces), what)


@contextlib.contextmanager
def writer(file, what):
    """A function that writes ASCII text to a path, a URL or an open file, which stays open.

    A path that ends in .gz, .zst, .bz2 or .xz is compressed. What was written of a file when an
    error comes is removed.
    """
    if not isinstance(file, str | bytes | os.PathLike):
        if not hasattr(file, "write"):
            raise TypeError(
                f"{what}: expected a path, a URL or an object with write(), got one of class "
                f"{type(file).__name__}"
            )
        binary = "b" in str(getattr(file, "mode", "")) or (
            not hasattr(file, "encoding") and hasattr(file, "readinto")
        )
        yield (lambda text: file.write(text.encode())) if binary else file.write
        return
    text = path_text(file)
    compress = _EXTENSIONS.get(os.path.splitext(text)[1])
    if compress is not None:
        codec, pieces = compress(), []
        yield pieces.append
        with open_path(file, "wb", what) as out:
            out.write(codec("".join(pieces).encode()))
        return
    try:
        with open_path(file, "wb", what) as out:
            yield lambda piece: out.write(piece.encode())
    except BaseException:
        if not is_url(text) and os.path.isfile(text):
            os.remove(text)
        raise
