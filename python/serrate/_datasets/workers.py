"""Workers of dask.distributed that make their arrays on a GPU: the one that they see first, which
with dask-cuda is each worker's own."""

import contextlib
import uuid

import distributed

from serrate import _core
from serrate._datasets import carry

carry.register()


class Backend(distributed.WorkerPlugin):
    """Where a worker makes its arrays while this is registered."""

    def __init__(self, backend):
        self.backend, self.name = backend, f"serrate-backend-{uuid.uuid4().hex}"

    def setup(self, worker):
        carry.register()
        self.before = _core.default_backend()
        _core.set_default_backend(self.backend)

    def teardown(self, worker):
        _core.set_default_backend(self.before)


@contextlib.contextmanager
def working_on(client, backend):
    """The workers of a client, those that join later too, on this backend."""
    if backend is None:
        yield
        return
    plugin = Backend(backend)
    client.register_plugin(plugin)
    try:
        yield
    finally:
        client.unregister_worker_plugin(plugin.name)
