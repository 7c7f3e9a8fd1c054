"""Files in partitions: only what is needed is read, and what is damaged is named."""

import inspect
import os
import pickle
import threading

import awkward
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from partitioned import events, same

import serrate as ak
from serrate._datasets.sources import OpenFiles

ROWS = 60


@pytest.fixture
def whole():
    return events(ROWS, seed=5)


@pytest.fixture
def path(tmp_path, whole):
    """Two files of four row groups each."""
    for i in range(2):
        part = whole[i * ROWS // 2 : (i + 1) * ROWS // 2]
        ak.to_parquet(part, tmp_path / f"part{i}.parquet", row_group_size=8)
    return tmp_path


def read_by(x):
    """Columns, and bytes of what is computed."""
    plan, report = ak.explain(x), ak.Report()
    ak.compute(x, report=report)
    assert plan.bytes_read >= report.bytes_read
    return plan.columns, report


def test_parquet(path, whole):
    x = ak.scan_parquet(path)
    assert x.npartitions == 8
    assert str(x.type) == str(whole.type)
    same(x, whole)
    same(x[x.met > 5].muon.pt, whole[whole.met > 5].muon.pt)
    same(ak.scan_parquet([path / "part1.parquet"]).n, whole.n[ROWS // 2 :])
    assert ak.scan_parquet(path, rows_per_partition=16).npartitions == 4
    same(ak.scan_parquet(path, rows_per_partition=16).label, whole.label)
    same(ak.scan_parquet(str(path / "*.parquet")).maybe, whole.maybe)


@pytest.mark.parametrize(
    ("f", "columns"),
    [
        (lambda x: x.muon.pt, ["muon.pt"]),
        (lambda x: ak.num(x.muon), ["muon.charge"]),
        (lambda x: ak.sum(x.met), ["met"]),
        (lambda x: ak.max(x.muon.eta, axis=-1), ["muon.eta"]),
        (lambda x: x[x.met > 5].muon.eta, ["met", "muon.eta"]),
        (lambda x: ak.zip({"a": x.muon.pt, "b": x.muon.eta}).b, ["muon.eta"]),
        (lambda x: ak.combinations(x.muon, 2)["1"].pt, ["muon.pt"]),
        (
            lambda x: x.muon[ak.argmax(x.muon.pt, axis=1, keepdims=True)].eta,
            ["muon.eta", "muon.pt"],
        ),
        (lambda x: ak.unique(x.label), ["label"]),
        (lambda x: ak.with_field(x, x.met, "other").n, ["n"]),
        (lambda x: ak.mean(x.n), ["n"]),
        (lambda x: ak.sort(x.met, axis=0), ["met"]),
        (lambda x: x[ak.argsort(x.met, axis=0)].n, ["met", "n"]),
        (lambda x: x[x.met > 3][:2].label, ["label", "met"]),
        (
            lambda x: ak.cartesian([x.muon, x.maybe], axis=0)["1"],
            ["maybe", "muon.pt", "muon.eta", "muon.charge"],
        ),
        (lambda x: np.sqrt(x.met) + ak.firsts(x.muon.pt), ["met", "muon.pt"]),
    ],
)
def test_only_the_columns_that_are_needed(path, whole, f, columns):
    x = ak.scan_parquet(path)
    found, report = read_by(f(x))
    same(f(x), f(whole))
    if f(whole[:0]) is not None and "1" not in str(columns):
        assert set(found) <= set(columns)
    meta = x._node.function
    leaves = [leaf for leaf in meta.leaves if ".".join(leaf) in columns]
    most = sum(meta.bytes_of(i, leaves) for i in range(8))
    if "sort" in inspect.getsource(f):
        most += sum(meta.bytes_of(i, [("met",)]) for i in range(8))  # keys are sampled before
    assert report.bytes_read <= most
    assert report.bytes_read < sum(meta.bytes_of(i, None) for i in range(8))


def test_bytes_that_are_read(path, monkeypatch):
    """What pyarrow asks of the file is what the report says, but for footers."""
    whole = events(20_000)
    ak.to_parquet(whole, path / "large.parquet", row_group_size=5000)
    x = ak.scan_parquet(path / "large.parquet")
    source, read = x._node.function, []
    opened = source.fs.open

    class Counted:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def read(self, *args):
            out = self.file.read(*args)
            read.append(len(out))
            return out

    class Fs:
        protocol = "counted"

        def __getattr__(self, name):
            return getattr(source_fs, name)

        def open(self, *args, **kwargs):
            return pyarrow.PythonFile(Counted(opened(*args, **kwargs)), "r")

    source_fs, source.fs = source.fs, Fs()
    report = ak.Report()
    ak.compute(ak.max(x.met), report=report)
    assert 0 < sum(read) <= 1.1 * report.bytes_read


def test_row_groups_that_statistics_leave_out(path, whole):
    x = ak.scan_parquet(path)
    late = x[x.n >= int(whole.n[50])]
    plan = ak.explain(late.met)
    assert plan.passes[0]["left_out"] == 6
    same(late.met, whole.met[50:])
    one = x[(x.n < int(whole.n[3])) & (x.met > -1)].label
    assert ak.explain(one).passes[0]["left_out"] == 7
    same(one, whole.label[:3])
    same(x[x.label == "nothing"].n, whole.n[:0])
    same(x[x.n < 5].n, whole.n[whole.n < 5])
    same(x[x.maybe > 3].n, whole[whole.maybe > 3].n)


def test_the_first_rows(path, whole):
    x = ak.scan_parquet(path)
    report = ak.Report()
    same(ak.compute(x[:5].met, report=report), whole.met[:5])
    assert report.partitions == 1
    assert len(x) == ROWS
    same(x[-3:].n, whole.n[-3:])


def test_written_partition_by_partition(path, whole, tmp_path):
    x = ak.scan_parquet(path)
    out = tmp_path / "out.parquet"
    made = ak.to_parquet(ak.zip({"double": x.met * 2, "pt": x.muon.pt}, depth_limit=1), out)
    assert made.num_row_groups == 8
    same(ak.from_parquet(out).double, whole.met * 2)
    ak.to_parquet_row_groups(x[x.met > 5], out)
    same(ak.from_parquet(out), whole[whole.met > 5])


def test_nothing_of_a_bad_file_is_silently_missing(path, whole):
    x = ak.scan_parquet(path)
    file = path / "part1.parquet"
    data = bytearray(file.read_bytes())
    stat = os.stat(file)
    middle = x._node.function.metas[1].row_group(2).column(5)
    start = middle.data_page_offset
    data[start : start + middle.total_compressed_size] = b"\xff" * middle.total_compressed_size
    file.write_bytes(data)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    column = middle.path_in_schema.split(".")[0]
    with pytest.raises(ValueError, match=r"part1.parquet#2"):
        ak.compute(x[column])
    report = ak.Report()
    kept = ak.compute(x[column], on_error="skip", report=report)
    assert [name.rpartition("/")[2] for name, _ in report.skipped] == ["part1.parquet#2"]
    same(kept, ak.concatenate([whole[column][:46], whole[column][54:]]))
    with pytest.raises(ValueError, match="report"):
        ak.compute(x[column], on_error="skip")
    with pytest.raises(ValueError, match="on_error"):
        ak.compute(x[column], on_error="ignore")
    good = next(n for n in ("met", "n", "label") if n != column)
    same(x[good], whole[good])


def test_a_file_that_has_changed(path, whole):
    x = ak.scan_parquet(path)
    ak.compute(x.met)  # files stay open
    ak.to_parquet(whole, path / "part0.parquet", row_group_size=8)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"part0.parquet: the file has changed"):
            ak.compute(x.met)


def test_a_file_that_is_gone(path):
    x = ak.scan_parquet(path)
    os.remove(path / "part1.parquet")
    with pytest.raises((FileNotFoundError, ValueError), match="part1"):
        ak.compute(x.met)


def test_files_of_other_columns(path):
    ak.to_parquet(ak.Array([{"x": 1}]), path / "part2.parquet")
    with pytest.raises(ValueError, match="part2"):
        ak.scan_parquet(path)
    (path / "part2.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ValueError, match="part2"):
        ak.scan_parquet(path)
    with pytest.raises(FileNotFoundError):
        ak.scan_parquet(path / "none.parquet")


def test_other_files(tmp_path, whole):
    for i in range(3):
        part = whole[i * 20 : (i + 1) * 20]
        ak.to_json(part, tmp_path / f"{i}.json", line_delimited=True)
        ak.to_feather(part, tmp_path / f"{i}.feather")
        (tmp_path / f"{i}.csv").write_text("a,b\n" + "".join(f"{n},{n / 2}\n" for n in part.n))
    x = ak.scan_json(tmp_path / "*.json")
    assert x.npartitions == 3
    same(x.muon.pt, whole.muon.pt)
    same(ak.scan_feather(str(tmp_path / "*.feather")), whole)
    same(ak.sum(ak.scan_csv(tmp_path / "*.csv").b, axis=0), ak.sum(whole.n / 2, axis=0))
    assert str(ak.scan_feather(tmp_path / "0.feather").type).startswith("## *")


@pytest.fixture
def root(tmp_path, new_arrays_on_the_cpu):
    """A TTree and an RNTuple of flat and ragged branches."""
    uproot = pytest.importorskip("uproot")
    r = np.random.default_rng(0)
    counts = r.integers(0, 4, 100)
    pt = ak.unflatten(ak.Array(r.exponential(20, int(counts.sum()))), counts)
    met = r.exponential(10, 100)
    path = tmp_path / "events.root"
    with uproot.recreate(path) as file:
        file["Events"] = {"Muon_pt": ak.to_awkward(pt), "met": met}
        file["Others"] = {"x": np.arange(5)}
    return path, pt, ak.Array(met)


def test_root(root):
    path, pt, met = root
    x = ak.scan_root(path, "Events", step_size=30)
    assert x.npartitions == 4
    same(x.Muon_pt, pt)
    same(x[x.met > 10].Muon_pt, pt[met > 10])
    plan = ak.explain(ak.sum(x.met))
    assert plan.columns == ["met"]
    same(ak.from_root(path, "Events").Muon_pt, pt)
    same(
        ak.from_root(f"{path}:Events", filter_name="m*", entry_start=10, entry_stop=20).met,
        met[10:20],
    )
    same(ak.scan_root([f"{path}:Events"] * 2).met, ak.concatenate([met, met]))


@pytest.fixture
def counted(tmp_path, new_arrays_on_the_cpu):
    """A TTree whose branches of jets have one counter, those of muons another one."""
    uproot = pytest.importorskip("uproot")
    r = np.random.default_rng(1)
    columns = {}
    for name, fields in (("Jet", ("pt", "eta", "phi", "mass")), ("Muon", ("pt", "eta"))):
        counts = r.integers(0, 4, 100)
        n = int(counts.sum())
        made = {f: awkward.unflatten(r.normal(size=n), counts) for f in fields}
        columns[name] = awkward.zip(made)
    with uproot.recreate(tmp_path / "tree.root") as file:
        tree = file.mktree("Events", {k: v.type.content for k, v in columns.items()})
        tree.extend(columns)
    return tmp_path / "tree.root", columns


def test_branches_with_one_counter_are_not_read_for_their_lengths(counted):
    path, columns = counted
    x = ak.scan_root(path, "Events", step_size=30)
    jets = ak.zip({f: x[f"Jet_{f}"] for f in ("pt", "eta", "phi", "mass")})
    muons = ak.zip({f: x[f"Muon_{f}"] for f in ("pt", "eta")})
    both = ak.cartesian({"jet": jets, "muon": muons})
    expected = {name: ak.Array(column) for name, column in columns.items()}
    pairs = ak.cartesian({"jet": expected["Jet"], "muon": expected["Muon"]})
    jet = expected["Jet"]
    for found, known, read in [
        (jets.phi, jet.phi, ["Jet_phi"]),
        (jets[jets.pt > 0].eta, jet[jet.pt > 0].eta, ["Jet_eta", "Jet_pt"]),
        (x.Jet_pt + x.Jet_mass, jet.pt + jet.mass, ["Jet_mass", "Jet_pt"]),
        (jets, jet, ["Jet_eta", "Jet_mass", "Jet_phi", "Jet_pt"]),
    ]:
        assert ak.explain(found).columns == read
        same(found, known)
    # Any one says how many there are.
    for found, known, names in [
        (ak.num(jets, axis=1), ak.num(jet, axis=1), ["Jet"]),
        (both.muon.eta, pairs.muon.eta, ["Jet", "Muon"]),
    ]:
        assert [c.partition("_")[0] for c in ak.explain(found).columns] == names
        same(found, known)
    # A program that went to another process knows it, too.
    same(ak.compute(jets.phi, scheduler="synchronous"), expected["Jet"].phi)


def test_root_that_is_wrong(root, tmp_path):
    path = root[0]
    with pytest.raises(ValueError, match="name one tree of it; there are: Events, Others"):
        ak.from_root(path)
    with pytest.raises(ValueError, match="no tree 'None_'"):
        ak.scan_root(path, "None_")
    with pytest.raises(ValueError, match="no branch"):
        ak.from_root(path, "Events", filter_name="nothing")
    with pytest.raises(FileNotFoundError):
        ak.from_root(tmp_path / "none.root")
    bad = tmp_path / "bad.root"
    bad.write_bytes(b"no root")
    with pytest.raises(ValueError, match=r"bad\.root"):
        ak.from_root(bad)
    with pytest.raises(ValueError, match="step_size"):
        ak.scan_root(path, "Events", step_size=0)
    x = ak.scan_root(path, "Events", step_size=30)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 3])
    with pytest.raises(ValueError, match=r"events\.root"):
        ak.compute(x.Muon_pt)


def test_files_that_a_thread_keeps_open():
    closed = []
    files = OpenFiles(closed.append)
    files.most = 2
    made = [files.get(key, key.upper) for key in ("a", "b", "a", "c", "a", "d")]
    assert made == ["A", "B", "A", "C", "A", "D"]
    assert closed == ["B", "C"]  # "a" was used since
    assert [key in files for key in "abcd"] == [True, False, False, True]
    elsewhere = []
    thread = threading.Thread(target=lambda: elsewhere.append("a" in files))
    thread.start()
    thread.join()
    assert elsewhere == [False]
    assert "a" not in pickle.loads(pickle.dumps(OpenFiles(len)))

    def fails():
        raise OSError("not there")

    with pytest.raises(OSError, match="not there"):
        files.get("e", fails)
    assert "e" not in files


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_of_many_files_a_few_are_open(kind, tmp_path, monkeypatch, new_arrays_on_the_cpu):
    monkeypatch.setattr(OpenFiles, "most", 3)
    whole = events(30, seed=8)
    write, scan = getattr(ak, f"to_{kind}"), getattr(ak, f"scan_{kind}")
    for i in range(10):
        write(whole[3 * i : 3 * i + 3], tmp_path / f"{i}.{kind}")
    x = scan(tmp_path)
    for _ in range(2):
        same(x.met, whole.met)
    fds = [f"/proc/self/fd/{n}" for n in os.listdir("/proc/self/fd")]
    held = [os.readlink(f) for f in fds if os.path.islink(f)]
    # Two threads read; the one that scans looks at each.
    assert len([f for f in held if f.startswith(str(tmp_path))]) <= 3 * 3
