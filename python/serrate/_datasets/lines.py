"""Files of lines (JSON, CSV) as partitions: ranges of bytes that begin and end where lines do."""

from serrate import _core
from serrate._datasets.sources import Source, check_unchanged, stamp
from serrate._files import feather, json, paths, streams

BLOCK = "64 MiB"
_MORE = 1 << 16  # bytes that are read at once behind a range, until its last line ends


class Lines(Source):
    """Ranges of files; a line is of the range in which it begins. Compressed files are one."""

    decodes = True

    def __init__(self, what, parser, fs, files, block):
        self.what, self.parser, self.fs = what, parser, fs
        self.files = [fs.unstrip_protocol(f) for f in files]
        self.stamps = [stamp(fs, f) for f in files]
        self.pieces = [
            (i, a, b)
            for i, f in enumerate(files)
            for a, b in self._ranges(f, self.stamps[i][0], block)
        ]
        names = [
            self.files[i] if b is None or (a == 0 and b == self.stamps[i][0])
            else f"{self.files[i]}#{a}:{b}"
            for i, a, b in self.pieces
        ]  # fmt: skip
        super().__init__(None, names)
        first = parser.first(self.load(0, None)) if names else None
        self.example = _core.materialize(first[:0])

    def _ranges(self, path, size, block):
        """(begin, end) of each; (0, None) is a whole file, whatever it is."""
        if block is None or size is None or size <= block:
            return [(0, None)]
        with self.fs.open(path, "rb") as file:
            if streams.is_compressed(file.read(8)):
                return [(0, None)]
        return [(a, min(a + block, size)) for a in range(0, size, block)]

    def load(self, i, columns):
        f, begin, end = self.pieces[i]
        path = self.fs._strip_protocol(self.files[f])
        check_unchanged(self.what, self.fs, path, self.stamps[f])
        with self.fs.open(path, "rb") as file:
            if end is None:
                return streams.decompressed(file.read(), self.what)
            return _whole_lines(file, begin, end)

    def read(self, i, columns, loaded=None):
        text = self.load(i, columns) if loaded is None else loaded
        if not text.strip():
            return self.example
        return self.parser(text, is_first=self.pieces[i][1] == 0)

    def bytes_of(self, i, columns):
        f, begin, end = self.pieces[i]
        return (self.stamps[f][0] if end is None else end - begin) or 0


def _whole_lines(file, begin, end):
    """The bytes of all lines that begin in a range."""
    skipped = max(begin - 1, 0)
    file.seek(skipped)
    data = file.read(end - skipped)
    start = 0 if begin == 0 else data.find(b"\n") + 1
    if begin and start in (0, len(data)):
        return b""  # no line begins here
    out = [data[start:]]
    while not out[-1].endswith(b"\n"):
        more = file.read(_MORE)
        stop = more.find(b"\n") + 1
        out.append(more[:stop] if stop else more)
        if not more:
            break
    return b"".join(out)


class JsonLines:
    """Bytes of lines of JSON as an array."""

    def __init__(self, options):
        self.options = options

    def first(self, text):
        return self(text, True)

    def __call__(self, text, is_first):
        return json.from_json(text, **self.options)


class CsvLines:
    """Bytes of lines of CSV as an array, with the names and types that the first range has."""

    def __init__(self, options):
        self.options, self.schema, self.names = options, None, None

    def first(self, text):
        self.schema = feather.read_csv(text, **self.options).schema
        plain = {k: v for k, v in self.options.items() if k != "convert_options"}
        some = text[: text.find(b"\n", _MORE) + 1] or text
        self.names = feather.read_csv(some, **plain).column_names
        return self(text, True)

    def __call__(self, text, is_first):
        how = self.options | {"has_header": is_first}
        return feather.from_csv_as(self.schema, self.names, text, **how)


def blocks_of(what, blocksize):
    """The number of bytes of a range, or None."""
    if blocksize is None:
        return None
    size = paths.size_of(blocksize, f"{what}: blocksize")
    if size < 1:
        raise ValueError(f"{what}: blocksize must be at least 1 byte, got {blocksize!r}")
    return int(size)


def is_plain(options):
    """Can no line end inside of a value, and is a newline one byte?"""
    parsing, reading = options.get("parse_options"), options.get("read_options")
    encoding = str(getattr(reading, "encoding", "utf8")).lower().replace("-", "")
    return not getattr(parsing, "newlines_in_values", False) and encoding in ("utf8", "ascii")
