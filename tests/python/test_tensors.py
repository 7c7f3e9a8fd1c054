# Tensors of PyTorch, JAX and TensorFlow, where they are installed; what needs none of them always.
import numpy as np
import pytest
from gpu import on_gpu

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64", "complex64"]
RAGGED = [[1.5, 2.5], [], [3.5]]
FUNCTIONS = ["to_torch", "to_jax", "to_tensorflow", "to_raggedtensor"]


def address(x):
    return ak.to_numpy(x, copy=False).__array_interface__["data"][0]


def skewed():
    counts = np.random.default_rng(3).zipf(1.5, 100_000).clip(0, 1000)
    return ak.unflatten(np.arange(counts.sum(), dtype="float64"), counts)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_tensor(name):
    for bad in [["a"], [1, None], [{"x": 1}], [None, [1]], [1, "a"], np.array(["2020"], "M8[D]")]:
        with pytest.raises(TypeError, match=f"{name}: expected numbers in lists"):
            getattr(ak, name)(bad)
    for other in (name.replace("to_", "from_"),):
        with pytest.raises(TypeError, match=f"{other}: expected .*, got list"):
            getattr(ak, other)([1])


@pytest.mark.parametrize(
    ("name", "package"), [("to_torch", "torch"), ("to_jax", "jax"), ("to_tensorflow", "tensorflow")]
)
def test_what_to_install(name, package, monkeypatch):
    def missing(module):
        raise ModuleNotFoundError(module)

    monkeypatch.setattr("serrate._tensors._parts.importlib.import_module", missing)
    with pytest.raises(ModuleNotFoundError, match=f"{name} needs .*: pip install {package}"):
        getattr(ak, name)([1.5])


def test_a_pair_of_values_and_offsets():
    """Whatever has DLPack: JAX is not asked."""
    values, offsets = np.arange(4.0), np.array([0, 2, 2, 4])
    x = ak.from_jax(ak.Jagged(values, offsets))
    assert x.to_list() == [[0, 1], [], [2, 3]]
    assert ak.from_jax((values, offsets.astype("int32"))).to_list() == x.to_list()
    deeper = ak.from_jax(ak.Jagged(ak.Jagged(values, offsets), np.array([0, 1, 3])))
    assert deeper.to_list() == [[[0, 1]], [[], [2, 3]]]
    matrices = ak.from_jax(ak.Jagged(np.arange(8).reshape(4, 2), offsets))
    assert str(matrices.type) == "3 * var * 2 * int64"
    with pytest.raises(ValueError, match="too short: 9 items"):
        ak.from_jax(ak.Jagged(values, np.array([0, 2, 9])))
    with pytest.raises(TypeError, match="got list"):
        ak.from_jax(([1], [0, 1]))


class TestPadded:
    def test_values(self):
        assert ak.to_numpy(RAGGED, pad=0).tolist() == [[1.5, 2.5], [0, 0], [3.5, 0]]
        deep = ak.Array([[[1, None], None], [[2, 3, 4]], None, []])
        got = ak.to_numpy(deep, pad=-1)
        assert got.dtype == np.int64
        rows = [[[1, -1, -1], [-1] * 3], [[2, 3, 4], [-1] * 3], [[-1] * 3] * 2, [[-1] * 3] * 2]
        assert got.tolist() == rows
        assert ak.to_numpy([[], []], pad=0).shape == (2, 0)
        assert ak.to_numpy(ak.Array([]), pad=0).shape == (0,)
        assert ak.to_numpy([1, None, 3], pad=9).tolist() == [1, 9, 3]
        assert ak.to_numpy(np.ones((2, 3)), pad=5).tolist() == np.ones((2, 3)).tolist()
        assert ak.to_numpy(ak.Array(RAGGED)[::-1][:2], pad=0).tolist() == [[3.5], [0]]

    def test_lists_that_nobody_sees_do_not_count(self):
        x = ak.mask(ak.Array([[1], [1, 2, 3], [4, 5]]), [True, False, True])
        assert ak.to_numpy(x, pad=0).tolist() == [[1, 0], [0, 0], [4, 5]]

    @pytest.mark.parametrize("dtype", [*DTYPES, "float16", "uint64", "complex128"])
    def test_types(self, dtype):
        x = ak.values_astype(ak.Array([[1, 0], [], [1]]), dtype)
        got = ak.to_numpy(x, pad=np.array(1, dtype)[()])
        assert got.dtype == dtype
        assert got.tolist() == np.array([[1, 0], [1, 1], [1, 1]], dtype).tolist()

    def test_the_pad_may_need_another_type(self):
        assert ak.to_numpy([[1], []], pad=0.5).tolist() == [[1.0], [0.5]]
        assert np.isnan(ak.to_numpy([[1], []], pad=np.nan)[1, 0])
        times = ak.Array([np.array(["2020-01-01"], "M8[D]"), np.array([], "M8[D]")])
        assert np.isnat(ak.to_numpy(times, pad=np.datetime64("NaT"))[1, 0])

    def test_what_is_refused(self):
        for bad in [["a"], [{"x": 1}], [1, "a"]]:
            with pytest.raises(TypeError, match="pad= is for numbers in lists"):
                ak.to_numpy(bad, pad=0)
        with pytest.raises(TypeError, match="one value"):
            ak.to_numpy([1], pad=np.array([1, 2]))

    def test_large(self):
        x = skewed()
        want = ak.to_numpy(ak.fill_none(ak.pad_none(x, ak.max(ak.num(x)), clip=True), -1.0))
        assert np.array_equal(ak.to_numpy(x, pad=-1.0), want)


class TestTorch:
    @pytest.fixture(autouse=True)
    def torch(self):
        self.torch = pytest.importorskip("torch")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dense(self, dtype):
        x = ak.Array(np.arange(6).reshape(2, 3).astype(dtype))
        t = ak.to_torch(x)
        assert t.data_ptr() == address(x)
        assert str(t.dtype) == f"torch.{dtype}"
        assert t.tolist() == x.to_list()
        back = ak.from_torch(t, copy=False)
        assert address(back) == t.data_ptr() or dtype == "bool"  # which is looked at, and copied
        assert str(back.type) == str(x.type)
        own = ak.to_torch(x, copy=True)
        own.zero_()
        assert x.to_list() == t.tolist() != own.tolist()

    def test_ragged(self):
        x = ak.Array(RAGGED)
        t = ak.to_torch(x)
        assert t.layout == self.torch.jagged
        assert [row.tolist() for row in t.unbind()] == RAGGED
        assert t.values().data_ptr() == address(ak.flatten(x))
        back = ak.from_torch(t, copy=False)
        assert back.to_list() == RAGGED
        assert str(back.type) == str(x.type)
        assert address(ak.flatten(back)) == t.values().data_ptr()
        assert ak.from_torch(t + 1).to_list() == (x + 1).to_list()
        # Parts of lists.
        assert [row.tolist() for row in ak.to_torch(x[1:]).unbind()] == RAGGED[1:]
        assert [r.tolist() for r in ak.to_torch(x[:, :1]).unbind()] == [[1.5], [], [3.5]]

    def test_matrices_and_deeper(self):
        x = ak.unflatten(np.arange(12.0).reshape(6, 2), [2, 0, 4])
        t = ak.to_torch(x)
        assert [row.tolist() for row in t.unbind()] == x.to_list()
        assert str(ak.from_torch(t).type) == "3 * var * 2 * float64"
        with pytest.raises(TypeError, match="one level of lists"):
            ak.to_torch([[[1], []], [[2, 3]]])

    def test_nested_tensors_of_other_layouts(self):
        torch = self.torch
        parts = [torch.arange(6.0).reshape(2, 3), torch.zeros(4, 5)]
        x = ak.from_torch(torch.nested.nested_tensor(parts))
        assert x.to_list() == [p.tolist() for p in parts]
        turned = torch.nested.nested_tensor(
            [torch.ones(3, 2), torch.ones(1, 2)], layout=torch.jagged
        ).transpose(1, 2)
        assert ak.from_torch(turned).to_list() == [[[1] * 3] * 2, [[1]] * 2]
        values, offsets = torch.arange(6.0), torch.tensor([0, 2, 6])
        holes = torch.nested.nested_tensor_from_jagged(
            values, offsets, lengths=torch.tensor([1, 3])
        )
        assert ak.from_torch(holes).to_list() == [[0], [2, 3, 4]]

    def test_gradients(self):
        t = ak.to_torch(RAGGED).requires_grad_()
        (t.values() ** 2).sum().backward()
        assert ak.from_torch(t.grad).to_list() == [[3, 5], [], [7]]
        assert ak.from_torch(t).to_list() == RAGGED  # no gradient, and no error

    def test_what_is_refused(self):
        torch = self.torch
        with pytest.raises(TypeError, match="to_dense"):
            ak.from_torch(torch.eye(3).to_sparse())
        with pytest.raises(TypeError, match="bfloat16"):
            ak.from_torch(torch.ones(2, dtype=torch.bfloat16))
        with pytest.raises(TypeError, match="scalar"):
            ak.from_torch(torch.tensor(1.0))
        with pytest.raises(TypeError, match="got ndarray"):
            ak.from_torch(np.ones(2))

    def test_what_is_changed_later(self):
        t = self.torch.ones(3)
        x = ak.from_torch(t)
        t.zero_()
        assert x.to_list() == [1, 1, 1]
        assert ak.from_torch((1 + 1j) * t.conj()).to_list() == [0, 0, 0]

    def test_large(self):
        x = skewed()
        back = ak.from_torch(ak.to_torch(x))
        assert ak.array_equal(back, x)


class TestJax:
    @pytest.fixture(autouse=True)
    def jax(self):
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)

    def test_dense(self):
        x = ak.Array(np.arange(80_000.0).reshape(-1, 8))  # smaller ones need not be aligned
        j = ak.to_jax(x)
        assert j.unsafe_buffer_pointer() == address(x)
        assert ak.from_jax(j).to_list() == x.to_list()
        assert address(ak.from_jax(j)) == j.unsafe_buffer_pointer()
        assert ak.to_jax(x[1:]).tolist() == x[1:].to_list()
        assert ak.to_jax(x > 3).tolist() == (x > 3).to_list()

    def test_ragged(self):
        x = ak.Array(RAGGED)
        j = ak.to_jax(x)
        assert isinstance(j, ak.Jagged)
        assert ak.from_jax(j).to_list() == RAGGED
        large = skewed()
        assert ak.to_jax(large).values.unsafe_buffer_pointer() == address(ak.flatten(large))
        deep = ak.Array([[[1], []], [[2, 3]]])
        assert ak.from_jax(ak.to_jax(deep)).to_list() == deep.to_list()
        regular = ak.to_regular(ak.Array([[[1], []], [[2, 3], [4]]]))
        assert ak.from_jax(ak.to_jax(regular)).to_list() == regular.to_list()

    def test_a_jagged_goes_through_jit_and_grad(self):
        jax, jnp = self.jax, self.jax.numpy

        @jax.jit
        def sums(j):
            lists = jnp.searchsorted(j.offsets, jnp.arange(j.values.size), side="right") - 1
            return jax.ops.segment_sum(j.values, lists, num_segments=j.offsets.size - 1)

        x = ak.Array(RAGGED)
        assert sums(ak.to_jax(x)).tolist() == ak.sum(x, axis=-1).to_list()
        squares = jax.grad(lambda j: (sums(j) ** 2).sum(), allow_int=True)(ak.to_jax(x))
        assert squares.values.tolist() == [8, 8, 7]


class TestTensorFlow:
    @pytest.fixture(autouse=True)
    def tensorflow(self):
        self.tf = pytest.importorskip("tensorflow")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dense(self, dtype):
        x = ak.Array(np.arange(6).reshape(2, 3).astype(dtype))
        t = ak.to_tensorflow(x)
        assert t.numpy().tolist() == x.to_list()
        assert str(ak.from_tensorflow(t).type) == str(x.type)
        assert ak.from_tensorflow(t).to_list() == x.to_list()
        assert ak.to_tensorflow(x[1:]).numpy().tolist() == x[1:].to_list()  # at any address

    def test_no_copy(self):
        x = ak.Array(np.arange(80_000.0))  # smaller ones need not be aligned
        t = ak.to_tensorflow(x)
        assert np.asarray(memoryview(t)).__array_interface__["data"][0] == address(x)
        assert address(ak.from_tensorflow(t)) == address(x)

    @pytest.mark.parametrize(
        "values", [RAGGED, [[[1], []], [], [[2, 3]]], [[], []], [[[1, 2]], []]], ids=str
    )
    def test_ragged(self, values):
        x = ak.values_astype(ak.Array(values), "float64", including_unknown=True)
        t = ak.to_raggedtensor(x)
        assert t.to_list() == x.to_list()
        assert ak.from_raggedtensor(t).to_list() == x.to_list()
        assert ak.from_tensorflow(ak.to_tensorflow(x)).to_list() == x.to_list()

    def test_regular_levels(self):
        x = ak.to_regular(ak.Array([[[1], []], [[2, 3], [4]]]))
        t = ak.to_tensorflow(x)
        assert t.uniform_row_length == 2
        assert t.to_list() == x.to_list()
        assert str(ak.from_tensorflow(t).type) == str(x.type)
        assert ak.to_raggedtensor(np.ones((2, 3))).to_list() == np.ones((2, 3)).tolist()
        assert ak.from_raggedtensor(self.tf.ragged.constant([[1], []])).to_list() == [[1], []]

    def test_what_is_refused(self):
        with pytest.raises(TypeError, match="scalar"):
            ak.from_tensorflow(self.tf.constant(1))


def test_padded_numbers_on_a_gpu_are_refused():
    with pytest.raises(TypeError, match="to_backend"):
        ak.to_numpy(on_gpu(RAGGED), pad=0)
