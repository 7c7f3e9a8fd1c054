# cuDF's Series and DataFrames, which share the GPU's memory.
import pytest
from gpu import on_gpu

import serrate as ak

VALUES = {
    "numbers": [1, 2, 3],
    "missing": [1.5, None, 3.5],
    "booleans": [True, False, None],
    "strings": ["one", "", "th\u00e9"],
    "lists": [[1, 2], [], [3]],
    "missing lists": [[1.5, None], None, []],
    "lists of lists": [[[1], []], [], [[2, 3]]],
    "records": [{"x": 1, "y": [1.5]}, {"x": 2, "y": []}],
    "lists of records": [[{"x": 1, "y": "a"}], [], [{"x": 2, "y": "b"}]],
}


def test_what_is_needed(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cudf", None)
    with pytest.raises(ModuleNotFoundError, match="pip install cudf"):
        ak.to_cudf(on_gpu(ak.Array([1, 2])))
    with pytest.raises(ModuleNotFoundError, match="pip install cudf"):
        ak.from_cudf(type("Series", (), {"__module__": "cudf.core.series"})())
    with pytest.raises(TypeError, match="the array is on the CPU"):
        ak.to_cudf(ak.to_backend(ak.Array([1, 2]), "cpu"))
    with pytest.raises(TypeError, match=r"expected a Series.* got list"):
        ak.from_cudf([1])


class TestSeries:
    @pytest.fixture(autouse=True)
    def cudf(self):
        self.cudf = pytest.importorskip("cudf")

    @pytest.mark.parametrize("name", VALUES)
    def test_there_and_back(self, name):
        x = on_gpu(ak.Array(VALUES[name]))
        series = ak.to_cudf(x)
        assert isinstance(series, self.cudf.Series)
        assert series.to_arrow().to_pylist() == VALUES[name]
        back = ak.from_cudf(series)
        assert ak.backend(back) == "cuda"
        assert ak.to_backend(back, "cpu").to_list() == VALUES[name]

    @pytest.mark.parametrize("name", ["lists", "missing lists", "strings", "lists of records"])
    def test_slices(self, name):
        x = on_gpu(ak.Array(VALUES[name] * 3))[2:7]
        assert ak.to_cudf(x).to_arrow().to_pylist() == x.to_list()

    def test_series_of_cudf(self):
        s = self.cudf.Series([[1, 2], None, [3]])
        assert ak.from_cudf(s).to_list() == [[1, 2], None, [3]]
        assert ak.Array(s.to_pylibcudf()[0]).to_list() == [[1, 2], None, [3]]
        c = self.cudf.Series(["a", "b", None, "a"], dtype="category")
        got = ak.from_cudf(c)
        assert got.to_list() == ["a", "b", None, "a"]

    def test_frames(self):
        frame = self.cudf.DataFrame({"x": [1, 2], "y": [[1.5], []]})
        got = ak.from_cudf(frame)
        assert ak.fields(got) == ["x", "y"]
        assert got.y.to_list() == [[1.5], []]
        with pytest.raises(TypeError, match="expected a Series"):
            ak.from_cudf([1])

    def test_numbers_are_shared(self):
        x = on_gpu(ak.Array([1.5, 2.5]))
        series = ak.to_cudf(x)
        there = series.__cuda_array_interface__["data"][0]
        assert there == x.__cuda_array_interface__["data"][0]
        assert ak.from_cudf(series).__cuda_array_interface__["data"][0] == there

    def test_what_cudf_lacks(self):
        for values in ([1, "a"], [1 + 2j]):
            with pytest.raises(Exception, match=r"(?i)type|support|complex"):
                ak.to_cudf(on_gpu(ak.Array(values)))
