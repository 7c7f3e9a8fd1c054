# scikit-hep and its neighbours: what takes arrays as they are, and what takes ak.to_awkward(x).
import awkward
import numpy as np
import pytest

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

PT = [[40.0, 15.0], [], [60.5]]


@pytest.fixture
def pt():
    return ak.Array(PT)


def addresses(array):
    """Of the buffers of an array of either library."""
    lib = ak if isinstance(array, ak.Array) else awkward
    return {b.__array_interface__["data"][0] for b in lib.to_buffers(array)[2].values() if b.size}


class TestUproot:
    @pytest.fixture(autouse=True)
    def uproot(self, tmp_path):
        self.uproot = pytest.importorskip("uproot")
        self.path = str(tmp_path / "x.root")

    def written(self, write):
        with self.uproot.recreate(self.path) as file:
            write(file)
        with self.uproot.open(self.path) as file:
            return ak.Array(file["t"].arrays())

    def test_trees(self, pt):
        n = ak.Array([1, 2, 3])
        muons = ak.zip({"pt": pt, "eta": pt / 10})
        text, pairs = ak.Array(["a", "", "th\u00e9"]), ak.Array(np.ones((3, 2)))

        def write(file):
            file["t"] = {"x": pt, "n": n, "mu": muons, "s": text, "p": pairs, "b": pt > 20}

        back = self.written(write)
        assert back.x.to_list() == PT
        assert back.n.to_list() == [1, 2, 3]
        assert back.mu.to_list() == muons.to_list()
        assert back.s.to_list() == text.to_list()
        assert back.p.to_list() == pairs.to_list()
        assert back.b.to_list() == (pt > 20).to_list()

    def test_trees_that_grow(self, pt):
        """Types go as their texts."""

        def write(file):
            tree = file.mktree("t", {"x": str(pt.type.content), "n": "int64"})
            for n in range(2):
                tree.extend({"x": pt + n, "n": ak.num(pt)})

        back = self.written(write)
        assert back.x.to_list() == PT + (pt + 1).to_list()
        assert back.n.to_list() == [2, 0, 1] * 2

    def test_records(self, pt):
        events = ak.zip({"x": pt, "n": ak.num(pt)}, depth_limit=1)

        def write(file):
            file["t"] = dict(zip(ak.fields(events), ak.unzip(events), strict=True))

        assert self.written(write).x.to_list() == PT

    def test_ntuples(self, pt):
        def write(file):
            file.mkrntuple("t", {"x": pt, "n": ak.num(pt)})

        back = self.written(write)
        assert back.x.to_list() == PT
        assert back.n.to_list() == [2, 0, 1]

        def write_records(file):
            file.mkrntuple("t", ak.to_awkward(ak.zip({"x": pt, "n": ak.num(pt)}, depth_limit=1)))

        assert self.written(write_records).x.to_list() == PT

    def test_histograms(self, pt):
        hist = pytest.importorskip("hist")
        h = hist.Hist(hist.axis.Regular(5, 0, 100)).fill_flattened(pt)

        def write(file):
            file["h"] = h

        with self.uproot.recreate(self.path) as file:
            write(file)
        with self.uproot.open(self.path) as file:
            assert file["h"].values().tolist() == [1, 0, 1, 1, 0]

    @pytest.fixture
    def tree(self, uproot):
        """A tree of each kind of branch."""
        pytest.importorskip("serrate.uproot")
        n = 3000
        counts = np.random.default_rng(1).poisson(2, n)
        x = awkward.unflatten(np.arange(counts.sum(), dtype=np.float32), counts)
        columns = {
            "mu": awkward.zip({"pt": x, "eta": x / 10}),
            "s": awkward.Array([str(i) for i in range(n)]),
        }
        types = {k: v.type.content for k, v in columns.items()}
        columns |= {"n": np.arange(n), "p": np.ones((n, 2, 3)), "b": np.arange(n) % 2 == 0}
        types |= {"n": "int64", "p": np.dtype(("f8", (2, 3))), "b": "bool"}
        with self.uproot.recreate(self.path) as file:
            file.mktree("t", types).extend(columns)
        with self.uproot.open(self.path) as file:
            yield file["t"]

    @staticmethod
    def assert_same(got, want):
        assert type(got) is ak.Array
        assert str(got.type) == str(want.type)
        assert got.to_list() == want.to_list()

    @pytest.mark.parametrize("how", [None, "zip"])
    def test_library_of_records(self, tree, how):
        self.assert_same(tree.arrays(library="serrate", how=how), tree.arrays(how=how))

    @pytest.mark.parametrize("how", [dict, tuple, list])
    def test_library_of_collections(self, tree, how):
        got, want = tree.arrays(library="serrate", how=how), tree.arrays(how=how)
        if how is dict:
            assert list(got) == list(want)
            got, want = got.values(), want.values()
        for a, b in zip(got, want, strict=True):
            self.assert_same(a, b)

    def test_library_of_expressions_and_parts(self, tree):
        asked = {
            "expressions": ["mu_pt", "twice"],
            "cut": "n > 2000",
            "aliases": {"twice": "n * 2"},
        }
        self.assert_same(tree.arrays(library="serrate", **asked), tree.arrays(**asked))
        part = {"entry_start": 3, "entry_stop": 9}
        branch = tree["mu_pt"]
        self.assert_same(branch.array(library="serrate", **part), branch.array(**part))
        steps = list(tree.iterate("s", step_size=999, library="serrate"))
        assert [len(x) for x in steps] == [999, 999, 999, 3]
        files = [f"{self.path}:t"] * 2
        both = self.uproot.concatenate(files, ["mu_pt", "s"], library="serrate")
        self.assert_same(both, self.uproot.concatenate(files, ["mu_pt", "s"]))

    def test_library_of_objects(self):
        """What uproot makes as Awkward's arrays is shared."""
        library = pytest.importorskip("serrate.uproot").Serrate()
        made = awkward.Array([{"x": [1.5]}, {"x": []}])
        got = library.finalize(made.layout, None, None, 0, 2, {})
        self.assert_same(got, made)
        assert addresses(got) & addresses(made)

    def test_what_was_read_is_shared(self):
        with self.uproot.recreate(self.path) as file:
            file["t"] = {"x": ak.unflatten(np.arange(1000.0), np.full(100, 10))}
        with self.uproot.open(self.path) as file:
            theirs = file["t"].arrays()
        assert addresses(ak.Array(theirs.x)) & addresses(theirs.x)
        assert addresses(ak.to_awkward(ak.Array(theirs.x))) & addresses(theirs.x)


def test_correctionlib(pt):
    schema = pytest.importorskip("correctionlib.schemav2")
    correction = schema.Correction(
        name="weight",
        version=1,
        inputs=[schema.Variable(name="pt", type="real")],
        output=schema.Variable(name="w", type="real"),
        data=schema.Binning(
            nodetype="binning",
            input="pt",
            edges=[0, 20, 50, 100],
            content=[1.0, 1.5, 2.0],
            flow="clamp",
        ),
    ).to_evaluator()
    assert correction.evaluate(ak.flatten(pt)).tolist() == [1.5, 1.0, 2.0]
    assert ak.Array(correction.evaluate(ak.to_awkward(pt))).to_list() == [[1.5, 1.0], [], [2.0]]


def test_fastjet():
    fastjet = pytest.importorskip("fastjet")
    particles = ak.Array(
        [
            {"px": 1.2, "py": 3.2, "pz": 5.4, "E": 23.5},
            {"px": 32.2, "py": 64.21, "pz": 543.34, "E": 755.12},
            {"px": 32.45, "py": 63.21, "pz": 543.14, "E": 835.56},
        ]
    )
    jet = fastjet.JetDefinition(fastjet.antikt_algorithm, 0.6)
    jets = ak.Array(fastjet.ClusterSequence(ak.to_awkward(particles), jet).inclusive_jets())
    assert len(jets) == 2
    assert np.isclose(ak.sum(jets.E), ak.sum(particles.E))


def test_coffea(pt):
    tools = pytest.importorskip("coffea.analysis_tools")
    lookup = pytest.importorskip("coffea.lookup_tools.dense_lookup")
    selection = tools.PackedSelection()
    selection.add("two", np.asarray(ak.num(pt) > 1))
    selection.add("hard", ak.to_awkward(ak.any(pt > 50, axis=-1)))
    assert selection.all("two").tolist() == [True, False, False]
    assert selection.any("two", "hard").tolist() == [True, False, True]
    weights = tools.Weights(3)
    weights.add("sum", np.asarray(ak.sum(pt, axis=-1)))
    weights.add("one", ak.to_awkward(ak.Array([1.0, 2.0, 3.0])))
    assert weights.weight().tolist() == [55, 0, 181.5]
    table = lookup.dense_lookup(np.array([1.0, 1.5, 2.0]), np.array([0.0, 20.0, 50.0, 100.0]))
    assert ak.Array(table(ak.to_awkward(pt))).to_list() == [[1.5, 1.0], [], [2.0]]


def test_nano_events(tmp_path, pt):
    nanoevents = pytest.importorskip("coffea.nanoevents")
    uproot = pytest.importorskip("uproot")
    path = str(tmp_path / "nano.root")
    with uproot.recreate(path) as file:
        file["Events"] = {
            "run": np.ones(3, np.uint32),
            "luminosityBlock": np.ones(3, np.uint32),
            "event": np.arange(3, dtype=np.uint64),
            "Muon": ak.zip({name: ak.values_astype(pt, "float32") for name in ("pt", "eta")}),
        }
    events = nanoevents.NanoEventsFactory.from_root(
        {path: "Events"}, schemaclass=nanoevents.NanoAODSchema, mode="virtual"
    ).events()
    got = ak.Array(events.Muon.pt)  # reads this column
    assert got.to_list() == PT
    assert got.ndim == 2
    muons = ak.Array(ak.without_parameters(ak.from_awkward(events.Muon)))
    assert ak.sum(muons.eta, axis=None) == ak.sum(pt, axis=None)


def test_dask_awkward(pt):
    dask_awkward = pytest.importorskip("dask_awkward")
    lazy = dask_awkward.from_awkward(ak.to_awkward(pt), npartitions=2)
    assert ak.Array((lazy + 1).compute()).to_list() == (pt + 1).to_list()
    # map_partitions calls with arrays without data first; delayed parts are arrays.
    import dask

    parts = [dask.delayed(lambda x: ak.Array(x) * 2)(part) for part in lazy.to_delayed()]
    assert ak.concatenate(dask.compute(*parts)).to_list() == (pt * 2).to_list()
