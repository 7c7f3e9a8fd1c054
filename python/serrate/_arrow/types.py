"""Awkward Array's type for pyarrow, where Awkward Array is not installed."""

import contextlib
import json

import pyarrow


class AwkwardType(pyarrow.ExtensionType):
    """An Arrow type with what Awkward Array says of a node beside it."""

    def __init__(self, storage, metadata):
        self.metadata = metadata
        super().__init__(storage, "awkward")

    def __arrow_ext_serialize__(self):
        return json.dumps(self.metadata).encode(errors="surrogatescape")

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(storage, json.loads(serialized.decode(errors="surrogatescape")))


def register():
    """Once a process."""
    with contextlib.suppress(pyarrow.ArrowKeyError):  # it is there
        pyarrow.register_extension_type(AwkwardType(pyarrow.null(), {}))
