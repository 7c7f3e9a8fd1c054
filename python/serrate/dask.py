"""PartitionedArrays on Dask: threads, processes, clusters.

>>> import serrate as ak
>>> x = ak.scan([[1, 2], [3]])
>>> ak.compute(ak.sum(x), scheduler="synchronous")
np.int64(6)

A PartitionedArray is a Dask collection: dask.compute(x), dask.persist(x), dask.visualize(x) take
it.
"""

import contextlib

from serrate._datasets import carry, cluster
from serrate._datasets.collection import of_source
from serrate._datasets.sources import Source

__all__ = ["client", "from_delayed", "to_delayed"]

carry.register()


@contextlib.contextmanager
def client(*args, backend=None, **kwargs):
    """A client of dask.distributed (with these arguments) that serrate.compute and all that looks
    at PartitionedArrays use while it is open: `with serrate.dask.client(n_workers=4): ...`.

    backend="cuda" makes the workers' arrays on their GPUs, "cpu" in RAM; by default each worker's
    SERRATE_BACKEND says where. `client(dask_cuda.LocalCUDACluster(), backend="cuda")` has a worker
    a GPU.
    """
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "clusters are Dask's: pip install dask[distributed]", name="distributed"
        ) from error
    from serrate._datasets.workers import working_on

    with distributed.Client(*args, **kwargs) as opened, working_on(opened, backend):
        before = cluster.default.set(opened)
        try:
            yield opened
        finally:
            cluster.default.reset(before)


def to_delayed(array):
    """The partitions as objects of dask.delayed; of what is one value, one."""
    from dask.delayed import Delayed

    tasks, keys = array.__dask_graph__(), array.__dask_keys__()
    return [Delayed(key, tasks) for key in keys]


class _Delayed(Source):
    """Partitions that Dask makes."""

    what = "from_delayed"

    def __init__(self, values, example):
        super().__init__(example, [str(v.key) for v in values])
        self.values = values

    def read(self, i, columns, loaded=None):
        return self.values[i].compute(scheduler="synchronous")


def from_delayed(values, *, example=None):
    """Objects of dask.delayed that give arrays, as the partitions of one array. example says the
    type; without one the first is computed.
    """
    values = list(values)
    if example is None:
        if not values:
            raise ValueError("from_delayed: there must be at least one partition")
        example = values[0].compute()
    return of_source(_Delayed(values, example[:0]))
