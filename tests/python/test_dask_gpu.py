"""Dask with arrays on GPUs: what goes between workers, and workers on the emulated GPU."""

import os

import gpu  # before arrays are made: it finds a stand-in where there is no GPU
import msgpack
import numpy as np
import pytest
from distributed.protocol import deserialize, serialize
from distributed.utils import nbytes
from partitioned import cut, events, same

import serrate as ak
import serrate.dask
from serrate import cuda
from serrate._datasets import carry
from serrate._datasets.cluster import Made, dumps

COMPUTES = pytest.mark.skipif(not gpu.EMULATED, reason="needs the emulated GPU")


@pytest.fixture
def new_arrays_on_the_gpu(_keep_default_backend):
    ak.set_default_backend("cuda")


def carried(x, serializers):
    """x as another worker has it: headers are messages, frames are memory of its own."""
    header, frames = serialize(x, serializers=serializers, on_error="raise")
    assert header["serializer"] == serializers[0]
    header = msgpack.unpackb(msgpack.packb(header), use_list=False, strict_map_key=False)
    there = []
    for frame in frames:
        if serializers[0] == "cuda":
            assert hasattr(frame, "__cuda_array_interface__")
            fresh = cuda.Context(frame._memory.number).new_buffer(nbytes(frame))
            fresh.copy_from_device(frame)
            there.append(fresh)
        else:
            there.append(bytearray(frame))
    return deserialize(header, there)


@pytest.mark.parametrize("family", ["cuda", "dask"])
@pytest.mark.parametrize("values", gpu.VALUES.values(), ids=gpu.VALUES)
def test_round_trip(values, family, new_arrays_on_the_gpu):
    x = gpu.on_gpu(values)
    y = carried(x, (family,))
    assert ak.backend(y) == "cuda"
    assert str(y.type) == str(x.type)
    assert y.to_list() == x.to_list()


@pytest.mark.parametrize("family", ["cuda", "dask"])
def test_round_trip_of_parts_and_notes(family, new_arrays_on_the_gpu):
    lists = gpu.on_gpu([[1.5, 2.5], [], [3.5], [4.5]])
    part = lists[1:3]
    assert carried(part, (family,)).to_list() == [[], [3.5]]
    regular = gpu.on_gpu(np.arange(12, dtype="int16").reshape(2, 3, 2))
    y = carried(regular, (family,))
    assert str(y.type) == str(regular.type)
    assert y.to_list() == regular.to_list()
    assert carried(gpu.on_gpu(np.zeros((0, 3))), (family,)).to_list() == []
    record = gpu.on_gpu([{"x": 1, "y": [1.5]}])[0]
    assert carried(record, (family,)).to_list() == {"x": 1, "y": [1.5]}
    noted = ak.with_name(gpu.on_gpu([{"x": 1}]), "Point")
    noted.attrs["origin"] = "here"
    y = carried(noted, (family,))
    assert ak.parameters(y) == {"__record__": "Point"}
    assert y.attrs == {"origin": "here"}


@pytest.mark.parametrize("family", ["cuda", "dask"])
def test_what_tasks_give(family, new_arrays_on_the_gpu):
    x = gpu.on_gpu([1, 2])
    made = Made(([(2, 0.5), x, [(None, x)], {"k": x}, "text"], []))
    again = carried(made, (family,))
    assert type(again) is Made
    values, skipped = again
    assert skipped == []
    assert values[0] == (2, 0.5)
    assert values[4] == "text"
    found = [values[1], values[2][0][1], values[3]["k"]]
    assert [ak.backend(a) for a in found] == ["cuda"] * 3
    assert [a.to_list() for a in found] == [[1, 2]] * 3
    assert values[2][0][0] is None


def test_a_process_without_a_gpu_gets_it_in_ram(new_arrays_on_the_cpu):
    x = gpu.on_gpu([[1, 2], []])
    for family in ("cuda", "dask"):
        y = carried(x, (family,))
        assert ak.backend(y) == "cpu"
        assert y.to_list() == [[1, 2], []]


def test_arrays_in_ram_are_pickled(new_arrays_on_the_cpu):
    for x in (ak.Array([[1, 2], []]), Made(([ak.Array([1])], []))):
        header, _ = serialize(x)
        assert header["serializer"] == "pickle"
    carry.register()
    carry.register()


def test_pickled_programs_have_their_arrays_in_ram(new_arrays_on_the_gpu):
    import pickle

    x = gpu.on_gpu([1, 2])
    made = pickle.loads(dumps({"scan": [x], "factor": lambda: x}))
    assert made["scan"][0].to_list() == [1, 2]
    assert made["factor"]().to_list() == [1, 2]
    again = pickle.loads(pickle.dumps(Made((x, None))))
    assert type(again) is Made
    assert ak.backend(again[0]) == "cuda"
    assert again[0].to_list() == [1, 2]


def test_backends_of_workers(new_arrays_on_the_cpu, monkeypatch):
    import distributed

    monkeypatch.setenv("SERRATE_BACKEND", "cpu")  # of the workers
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster:
        with serrate.dask.client(cluster, backend="cpu") as client:
            assert set(client.run(ak.default_backend).values()) == {"cpu"}
        with (
            pytest.raises(ValueError, match="expected backend 'cpu' or 'cuda'"),
            serrate.dask.client(cluster, backend="gpu"),
        ):
            pass


@COMPUTES
def test_workers_on_a_gpu(new_arrays_on_the_cpu, monkeypatch):
    """Sums, histograms and exchanges of partitions that are on the workers' GPUs."""
    import distributed

    monkeypatch.setenv("SERRATE_BACKEND", "cpu")
    whole = events(24, seed=2)
    x = ak.scan(cut(whole, [7, 0, 9, 3]))

    def results(x):
        return (
            ak.sum(x.n),
            ak.sum(x.muon.charge, axis=-1),
            ak.histogram(x.met, 5, 0, 50),
            ak.mean(x.met),
            ak.argmax(x.met, axis=None),
            ak.sort(x.n, axis=0),
            x[x.met > 5].muon.pt[:, :1],
        )

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster:
        with serrate.dask.client(cluster, backend="cuda") as client:
            assert set(client.run(ak.default_backend).values()) == {"cuda"}
            found = ak.compute(*results(x), scheduler=client)
            assert {ak.backend(a) for a in found if isinstance(a, ak.Array)} == {"cpu"}
            same(found, results(whole))
            there = client.submit(lambda: ak.Array([[1, 2], []]) * 2)
            assert client.submit(ak.backend, there).result() == "cuda"
            assert there.result().to_list() == [[2, 4], []]
        with distributed.Client(cluster) as client:
            assert set(client.run(ak.default_backend).values()) == {"cpu"}
    assert os.environ["SERRATE_BACKEND"] == "cpu"
