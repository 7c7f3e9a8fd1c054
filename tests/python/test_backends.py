# Arrays on the GPU. Where there is none its stand-in (SERRATE_CUDA=compile-only) holds their data
# in host memory: moving, looking, handing over and refusing are the same.
import os
import pickle
import subprocess
import sys
from pathlib import Path

import awkward
import numpy as np
import pytest
from conftest import plain

import serrate as ak

EMULATED = "SERRATE_CUDA_PLUGIN" in os.environ  # by tests/emulator
REAL = "SERRATE_CUDA" not in os.environ and (EMULATED or Path("/dev/nvidiactl").exists())
if not REAL:
    os.environ["SERRATE_CUDA"] = "compile-only"

VALUES = {
    "numbers": [1, 2, 3],
    "floats": [1.5, float("inf"), -0.0],
    "ragged": [[1, 2, 3], [], [4]],
    "empty": [],
    "empty lists": [[], []],
    "deep": [[[1], [2, 3]], [], [[]]],
    "missing": [1, None, 3],
    "missing lists": [[1], None, [None, 2]],
    "strings": ["one", "", "th\u00e9"],
    "bytes": [b"a", b"\xff\x00"],
    "records": [{"x": 1, "y": [1.5]}, {"x": 2, "y": []}],
    "tuples": [(1, [2]), (3, [])],
    "union": [1, "two", [3.5], None],
    "bools": [True, False],
    "complex": [1 + 2j, -1j],
    "times": [np.datetime64("2024-02-29"), np.datetime64("1969-12-31")],
}


pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


@pytest.fixture(params=VALUES, ids=str)
def values(request):
    return VALUES[request.param]


def on_gpu(values):
    return ak.to_backend(ak.Array(values), "cuda")


class Foreign:
    """Memory of another library that the GPU can read."""

    def __init__(self, array, **changes):
        if REAL and not EMULATED:
            import cupy

            self.array = cupy.asarray(array)
            self.__cuda_array_interface__ = self.array.__cuda_array_interface__ | changes
        else:
            self.array = array
            i = array.__array_interface__
            self.__cuda_array_interface__ = {
                "shape": i["shape"],
                "typestr": i["typestr"],
                "data": i["data"],
                "strides": i["strides"],
                "version": 3,
                "stream": 1,
            } | changes


def host(gpu_array):
    """The numbers behind __cuda_array_interface__."""
    if REAL and not EMULATED:
        import cupy

        return cupy.asnumpy(cupy.asarray(gpu_array))
    i = dict(gpu_array.__cuda_array_interface__)
    assert i.pop("version") == 3
    assert isinstance(i.pop("stream"), int)
    if REAL:
        ak.cuda.synchronize()
    return np.asarray(type("Host", (), {"__array_interface__": i | {"version": 3}})())


def test_there_and_back(values):
    x = ak.Array(values)
    there = ak.to_backend(x, "cuda")
    assert ak.backend(there) == ("cuda" if len(x) else "cpu")  # no items of no type are nowhere
    assert ak.backend(x) == "cpu"
    assert str(there.type) == str(x.type)
    back = ak.to_backend(there, "cpu")
    assert ak.backend(back) == "cpu"
    assert back.to_list() == x.to_list()
    assert str(back.type) == str(x.type)


def test_what_is_there_already_stays():
    there = on_gpu(np.arange(5))
    before = ak.cuda.memory().used
    again = ak.to_backend(there, "cuda")
    assert ak.cuda.memory().used == before
    assert again.__cuda_array_interface__["data"] == there.__cuda_array_interface__["data"]


def test_only_what_is_used_moves():
    x = ak.Array([[i] * 3 for i in range(1000)])[400:402]
    before = ak.cuda.memory().used
    there = ak.to_backend(x, "cuda")
    assert ak.cuda.memory().used - before < 200
    assert there.to_list() == [[400] * 3, [401] * 3]
    assert ak.to_backend(there, "cpu").to_list() == x.to_list()


def test_fields_share_their_offsets():
    lists = [[1, 2], [], [3]] * 100
    x = ak.zip({"a": lists, "b": lists})
    before = ak.cuda.memory().used
    there = ak.to_backend(x, "cuda")
    moved = ak.cuda.memory().used - before
    assert moved <= 8 * (301 + 2 * 300)
    assert there["b"].to_list() == lists


def test_memory_comes_back():
    before = ak.cuda.memory().used
    x = on_gpu(np.arange(1000.0))
    assert ak.cuda.memory().used == before + 8000
    assert ak.cuda.memory().used_high >= before + 8000
    del x
    assert ak.cuda.memory().used == before
    ak.cuda.trim_memory()


def test_memory_limit():
    used = ak.cuda.memory().used
    ak.cuda.set_memory_limit(used + 10_000)
    try:
        x = on_gpu(np.zeros(1000))
        with pytest.raises(MemoryError, match="asked for 8000 bytes"):
            on_gpu(np.ones(1000))
        del x
        assert on_gpu(np.ones(1000)).to_list() == [1.0] * 1000
    finally:
        ak.cuda.set_memory_limit(None)


def test_where_memory_is_short_the_host_waits():
    x = on_gpu(ak.unflatten(np.arange(100_000.0), [60_000, 40_000]))
    assert ak.explain(x[x > 99_990]).waits == 0
    ak.cuda.set_memory_limit(ak.cuda.memory().used + 300_000)
    try:
        left = x[x > 99_990]
        ak.compute(left)
    finally:
        ak.cuda.set_memory_limit(None)
    assert left.to_list() == [[], [float(v) for v in range(99_991, 100_000)]]


def test_sizes_that_are_bounded():
    x = on_gpu([[1, 2, 3], [], [4]])
    for y in (ak.combinations(x, 2), ak.cartesian([x, x]), ak.pad_none(x, 2), x[:, :2]):
        assert ak.explain(y).waits == 0
    assert ak.explain(ak.drop_none(on_gpu([[1, None], [None]]), axis=1)).waits == 0


def test_looking(values):
    x, there = ak.Array(values), on_gpu(values)
    assert ak.to_list(there) == ak.to_list(x)
    assert repr(there) == repr(x)
    assert there.show(stream=None) == x.show(stream=None)
    assert len(there) == len(x)
    assert [plain(v) for v in there] == [plain(v) for v in x]


def test_bulk_hand_over_is_refused():
    x = on_gpu([1.0, 2.0])
    for hand_over in [
        ak.to_numpy,
        np.asarray,
        ak.to_buffers,
        pickle.dumps,
        lambda a: a.to_numpy(),
        lambda a: a.__dlpack__(dl_device=(1, 0)),
    ]:
        with pytest.raises(TypeError, match="to_backend"):
            hand_over(x)
    with pytest.raises(TypeError, match="to_backend"):
        ak.to_cupy(ak.Array([1]))


def test_mixing_devices():
    x, y = ak.Array([1, 2]), on_gpu([3, 4])
    for mix in [lambda: x + y, lambda: ak.concatenate([x, y]), lambda: ak.where(y > 3, x, y)]:
        with pytest.raises(ValueError, match="to_backend"):
            ak.to_list(mix())
    with pytest.raises(ValueError, match="CPU and on the GPU"):
        ak.backend(x, y)


def test_backend_of():
    assert ak.backend(on_gpu([1])) == "cuda"
    assert ak.backend(on_gpu([1]), on_gpu(["a"])) == "cuda"
    assert ak.backend([1, 2]) == "cpu"
    assert ak.backend(1) == "cpu"


def test_backend_argument(values):
    x = ak.Array(values, backend="cuda")
    assert ak.backend(x) == "cuda" or len(x) == 0
    assert ak.backend(ak.Array(x, backend="cpu")) == "cpu"
    assert ak.to_list(ak.from_iter(values, backend="cuda")) == ak.to_list(ak.Array(values))
    for make in [ak.Array, ak.from_iter]:
        with pytest.raises(ValueError, match="tpu"):
            make([1], backend="tpu")


def test_default_backend():
    assert ak.default_backend() == "cpu"
    ak.set_default_backend("cuda")
    try:
        assert ak.default_backend() == "cuda"
        makers = [
            lambda: ak.Array([1, 2]),
            lambda: ak.Array({"x": [1, 2]}),
            lambda: ak.from_iter([[1], []]),
            lambda: ak.from_numpy(np.arange(3)),
            lambda: ak.from_awkward(awkward.Array([[1], []])),
            lambda: ak.Array(np.arange(3)),
        ]
        for make in makers:
            assert ak.backend(make()) == "cuda"
        b = ak.ArrayBuilder()
        b.append([1])
        assert ak.backend(b.snapshot()) == "cuda"
        assert ak.backend(ak.Array([1], backend="cpu")) == "cpu"
    finally:
        ak.set_default_backend("cpu")
    assert ak.backend(ak.Array([1])) == "cpu"
    with pytest.raises(ValueError, match="tpu"):
        ak.set_default_backend("tpu")


def run(code, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("SERRATE_CUDA", "SERRATE_BACKEND")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_environment_says_the_default_backend():
    code = "import serrate as ak; print(ak.default_backend(), ak.backend(ak.Array([1])))"
    device = {} if REAL else {"SERRATE_CUDA": "compile-only"}
    assert run(code, SERRATE_BACKEND="cuda", **device) == "cuda cuda"
    assert run(code, SERRATE_BACKEND="cpu") == "cpu cpu"
    code = """
import serrate as ak
try:
    ak.Array([1])
except ValueError as e:
    print(e)
"""
    assert "SERRATE_BACKEND" in run(code, SERRATE_BACKEND="tpu")


NO_GPU = """
import serrate as ak
x = ak.Array([1, 2])
assert (x + 1).to_list() == [2, 3]
assert not ak.cuda.is_available()
for use in [lambda: ak.to_backend(x, "cuda"), lambda: ak.Array([1], backend="cuda"),
            lambda: ak.set_default_backend("cuda"), ak.cuda.memory]:
    try:
        use()
    except RuntimeError as e:
        print(e)
    else:
        raise AssertionError("there is a GPU")
report = ak.doctor()
assert not report.ok
print(report)
"""


def test_without_a_gpu_the_error_says_what_is_missing(tmp_path):
    out = run(NO_GPU, SERRATE_CUDA="off")
    assert out.count("SERRATE_CUDA is 'off'") >= 4
    out = run(NO_GPU, SERRATE_CUDA_PLUGIN="/nowhere/plugin.so")
    assert out.count("/nowhere/plugin.so can't be loaded") >= 4
    out = run(NO_GPU, SERRATE_CUDA="on")
    assert "expected 'off' or 'compile-only'" in out


def test_doctor(tmp_path):
    report = ak.doctor()
    assert str(report) == repr(report)
    names = [line.split()[0] for line in report.splitlines()]
    assert names == ["serrate", "Python", "driver", "plug-in", "GPU", "NVRTC", "cache"]
    command = [sys.executable, "-m", "serrate", "doctor"]
    (tmp_path / "file").touch()
    for directory, text in [
        (tmp_path / "cache", ", 0 kernels"),
        (tmp_path / "file" / "x", "not used"),
    ]:
        env = os.environ | {"SERRATE_CACHE_DIR": str(tmp_path / directory)}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert done.returncode == (0 if report.ok else 1), done.stderr
        assert f"{tmp_path / directory}" in done.stdout
        assert text in done.stdout


def test_cuda_array_interface_out():
    x = on_gpu([[1.5, 2.5], [3.5, 4.5]])
    assert not hasattr(ak.Array([1]), "__cuda_array_interface__")
    with pytest.raises(TypeError, match="regular"):
        host(x)
    regular = on_gpu(np.arange(6, dtype="int16").reshape(2, 3))
    interface = regular.__cuda_array_interface__
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == "<i2"
    assert interface["strides"] is None
    assert host(regular).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert host(on_gpu([True, False])).tolist() == [True, False]
    assert host(on_gpu(np.zeros((0, 3)))).shape == (0, 3)
    for bad in [["a"], [1, None], [{"x": 1}]]:
        with pytest.raises(TypeError):
            host(on_gpu(bad))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
def test_cuda_array_interface_in(dtype):
    a = np.array([[1, 0, 3], [0, 5, 6]]).astype(dtype)
    x = ak.Array(Foreign(a))
    assert ak.backend(x) == "cuda"
    assert ak.to_list(x) == a.tolist()
    assert str(x.type) == f"2 * 3 * {dtype}"
    assert host(x).tolist() == a.tolist()


def test_cuda_array_interface_is_no_copy():
    foreign = Foreign(np.arange(5))
    before = ak.cuda.memory().used
    x = ak.from_cupy(foreign)
    assert ak.cuda.memory().used == before
    assert x.__cuda_array_interface__["data"][0] == foreign.__cuda_array_interface__["data"][0]
    with pytest.raises(TypeError, match="scalar"):
        ak.Array(Foreign(np.array(1.5)))
    with pytest.raises(TypeError, match="mask"):
        ak.Array(Foreign(np.arange(2), mask=Foreign(np.arange(2))))
    with pytest.raises(TypeError, match="list"):
        ak.from_cupy([1])


def test_cuda_array_interface_keeps_its_owner_alive():
    x = ak.Array(Foreign(np.full(100_000, 7)))
    np.full(100_000, 8)
    assert x.to_list() == [7] * 100_000


def test_buffers_on_the_gpu(values):
    x = ak.Array(values)
    if len(x) == 0:
        return
    form, length, buffers = ak.to_buffers(x, backend="cuda")
    assert all(ak.backend(b) == "cuda" for b in buffers.values())
    back = ak.from_buffers(form, length, buffers)
    assert ak.backend(back) == "cuda"
    assert str(back.type) == str(x.type)
    assert back.to_list() == x.to_list()
    form, length, buffers = ak.to_buffers(on_gpu(values), backend="cpu")
    assert awkward.from_buffers(str(form), length, buffers).to_list() == x.to_list()


def test_numbers_in_gpu_buffers_are_not_copied():
    offsets, data = Foreign(np.array([0, 2, 3])), Foreign(np.array([1.5, 2.5, 3.5]))
    form = {
        "class": "ListOffsetArray",
        "offsets": "i64",
        "form_key": "a",
        "content": {"class": "NumpyArray", "primitive": "float64", "form_key": "b"},
    }
    x = ak.from_buffers(form, 2, {"a-offsets": offsets, "b-data": data})
    assert ak.backend(x) == "cuda"
    assert x.to_list() == [[1.5, 2.5], [3.5]]
    _, _, buffers = ak.to_buffers(x, backend="cuda")
    address = data.__cuda_array_interface__["data"][0]
    assert address in [b.__cuda_array_interface__["data"][0] for b in buffers.values()]
    bad = Foreign(np.array([0, 2, 1]))
    with pytest.raises(ValueError, match="decrease"):
        ak.from_buffers(form, 2, {"a-offsets": bad, "b-data": data})
    strided = Foreign(np.arange(6), shape=(3,), strides=(16,))
    with pytest.raises(ValueError, match="contiguous"):
        ak.from_buffers(form, 2, {"a-offsets": strided, "b-data": data})


def test_dlpack():
    x = on_gpu(np.arange(6, dtype="float32").reshape(2, 3))
    assert x.__dlpack_device__()[0] == 2
    y = ak.from_dlpack(x)
    assert ak.backend(y) == "cuda"
    assert y.to_list() == [[0, 1, 2], [3, 4, 5]]
    assert y.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
    assert "dltensor" in repr(x.__dlpack__(stream=-1))
    assert "dltensor" in repr(x.__dlpack__(stream=2, max_version=(1, 0)))
    with pytest.raises(ValueError, match="ambiguous"):
        x.__dlpack__(stream=0)
    before = ak.cuda.memory().used
    del x
    assert ak.cuda.memory().used == before
    assert y.to_list() == [[0, 1, 2], [3, 4, 5]]
    del y
    assert ak.cuda.memory().used < before


def test_streams():
    own = ak.cuda.current_stream()
    with ak.cuda.stream(2) as s:
        assert ak.cuda.current_stream() == 2
        x = on_gpu([1, 2])
        with ak.cuda.stream(1):
            assert ak.cuda.current_stream() == 1
            assert x.to_list() == [1, 2]
        assert ak.cuda.current_stream() == 2
        ak.cuda.synchronize()
        assert s is not None
    assert ak.cuda.current_stream() == own
    assert x.to_list() == [1, 2]

    class Cupy:
        ptr = 0

    class Torch:
        cuda_stream = 2

    class Any:
        def __cuda_stream__(self):
            return (0, 2)

    for stream, handle in [(Cupy(), 1), (Torch(), 2), (Any(), 2)]:
        with ak.cuda.stream(stream):
            assert ak.cuda.current_stream() == handle
    with pytest.raises(TypeError, match="stream"):
        ak.cuda.stream("default")


def test_lists_are_literals_in_slices():
    x = on_gpu([[1, 2], [], [3]])
    positions = [[0, 2], [True, False, True], [[1], [], [0]], np.array([0, 2])]
    for made in [*(x[p] for p in positions), x[[0, 2], [0, 0]]]:
        assert ak.backend(made) == "cuda"


def test_an_array_of_numpy_is_in_ram():
    x = on_gpu([[1, 2], [], [3]])
    ak.set_default_backend("cpu")
    with pytest.raises(ValueError, match="to_backend"):
        ak.to_list(x + np.array([1, 2, 3]))


def test_strings_are_literals_on_any_device():
    x = on_gpu(["one", "two"])
    for made in [x == "one", ak.fill_none(x, "none"), ak.where(on_gpu([True, False]), x, "no")]:
        assert ak.backend(made) == "cuda"
