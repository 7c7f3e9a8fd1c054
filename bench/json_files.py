"""JSON in and out, beside Awkward Array and orjson: files like simdjson's examples.

With SERRATE_BENCH_JSON=DIR also the files of that folder, *.json and *.ndjson.
"""

import functools
import json
import os
from pathlib import Path

import awkward
import numpy as np
import orjson
from harness import Case, Required, check

import serrate as ak


@functools.cache
def tweets() -> bytes:
    """Records in records, strings with escapes, what is often missing."""
    r = np.random.default_rng(1)
    words = ["ak", "caf\u00e9", 'quo"te', "\u65e5\u672c\u8a9e", "line\nbreak", "https://t.co/abc"]
    rows = [
        {
            "created_at": "Sun Aug 31 00:29:15 +0000 2014",
            "id": int(r.integers(2**58, 2**59)),
            "text": " ".join(words[k] for k in r.integers(0, 6, 12)),
            "truncated": bool(r.random() < 0.5),
            "reply_to": None if r.random() < 0.8 else int(r.integers(2**40)),
            "user": {"name": "n" * int(r.integers(3, 20)), "followers": int(r.integers(5000))},
            "urls": [{"url": "http://t.co/x", "indices": [1, 22]}] * int(r.integers(0, 3)),
        }
        for _ in range(3000)
    ]
    return json.dumps({"statuses": rows}, ensure_ascii=False).encode()


@functools.cache
def polygons() -> bytes:
    """Lists of pairs of doubles with all their digits."""
    r = np.random.default_rng(2)
    rings = [r.normal(size=(int(n), 2)).tolist() for n in r.integers(10, 400, 400)]
    return json.dumps({"type": "Polygon", "coordinates": rings}).encode()


@functools.cache
def catalog() -> bytes:
    """Small integers and short keys, with indentation."""
    r = np.random.default_rng(3)
    rows = [
        {
            "id": int(r.integers(10**9)),
            "seats": [{"area": int(k), "price": 10} for k in r.integers(0, 9, 8)],
        }
        for _ in range(4000)
    ]
    return json.dumps(rows, indent=4).encode()


@functools.cache
def lines() -> bytes:
    r = np.random.default_rng(4)
    rows = ({"x": float(x), "k": int(x * 9), "tags": ["a", "bc"]} for x in r.normal(size=30000))
    return "\n".join(map(json.dumps, rows)).encode()


def same_values(got, want) -> None:
    check(got.to_list() == want, "values differ")


def read(make, delimited=False) -> Case:
    text = make()
    contestants = {
        "serrate": lambda: ak.from_json(text, line_delimited=delimited),
        "orjson": lambda: (
            list(map(orjson.loads, text.splitlines())) if delimited else orjson.loads(text)
        ),
        "awkward": lambda: awkward.from_json(text, line_delimited=delimited),
    }
    # Awkward's doubles are sometimes not the nearest.
    return Case(contestants, same_values, [Required("awkward", at_least=5)], apart=("awkward",))


def written(make, delimited=False) -> Case:
    text = make()
    ours = ak.from_json(text, line_delimited=delimited)
    theirs = ak.to_awkward(ours)
    contestants = {
        "serrate": lambda: ak.to_json(ours, line_delimited=delimited),
        "awkward": lambda: awkward.to_json(theirs, line_delimited=delimited),
    }
    return Case(
        contestants,
        lambda got, want: check(got == want, "texts differ"),
        [Required("awkward", at_least=8)],
    )


def files() -> dict:
    """Those of the folder that is named."""
    folder = os.environ.get("SERRATE_BENCH_JSON")
    found = sorted(Path(folder).glob("*json")) if folder else []
    return {
        f"json file {path.name} in": functools.partial(
            read, path.read_bytes, delimited=path.suffix == ".ndjson"
        )
        for path in found
    }


CASES = {
    "json tweets in": functools.partial(read, tweets),
    "json polygons in": functools.partial(read, polygons),
    "json catalog in": functools.partial(read, catalog),
    "json lines in": functools.partial(read, lines, delimited=True),
    "json tweets out": functools.partial(written, tweets),
    "json polygons out": functools.partial(written, polygons),
    "json catalog out": functools.partial(written, catalog),
    "json lines out": functools.partial(written, lines, delimited=True),
    **files(),
}
