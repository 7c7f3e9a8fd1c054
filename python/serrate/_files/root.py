"""ROOT files, read through uproot: TTrees and RNTuples."""

from serrate import _core, contents
from serrate._files.lazy import Library

uproot = Library("uproot", "uproot awkward")
_TREES = ("TTree", "ROOT::RNTuple", "TChain", "TNtuple", "TNtupleD")


def opened(path, tree, what):
    """The open file and the tree of a path ("file.root:tree" names it, too)."""
    if isinstance(path, str | bytes) or hasattr(path, "__fspath__"):
        path, tree = _named(path, tree)
    elif hasattr(path, "num_entries"):
        return None, path  # an open tree
    try:
        file = path if hasattr(path, "classnames") else uproot.open(path)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{what}: {path}: {type(error).__name__}: {error}") from error
    return file, _tree_of(file, tree, path, what)


def _named(path, tree):
    import os

    path = os.fsdecode(path)
    if tree is None and ".root:" in path:
        path, _, tree = path.rpartition(":")
    return path, tree


def trees_of(file):
    """Names of the trees in a file, without the numbers of their versions."""
    kinds = file.classnames(cycle=False)
    return [name for name, kind in kinds.items() if kind in _TREES]


def _tree_of(file, tree, path, what):
    names = trees_of(file)
    if tree is None:
        if len(names) != 1:
            said = ", ".join(names) if names else "none"
            raise ValueError(f"{what}: {path}: name one tree of it; there are: {said}")
        tree = names[0]
    if tree not in names and tree not in file:
        raise ValueError(
            f"{what}: {path}: there is no tree {tree!r}; there are: {', '.join(names)}"
        )
    return file[tree]


def loaded(tree, branches, start=None, stop=None):
    """Entries of a tree as Awkward Array's arrays of these branches, and their number."""
    n = len(range(*slice(start, stop).indices(tree.num_entries)))
    if not branches:
        return {}, n
    return tree.arrays(branches, entry_start=start, entry_stop=stop, how=dict, library="ak"), n


def rows_of(columns, n):
    """The n records of what loaded() gave."""
    if not columns:
        return _core.Array(contents.RecordArray([], [], length=n))
    return _core.zip({k: _core.from_awkward(v) for k, v in columns.items()}, depth_limit=1)


def readable(tree):
    """Branches (of RNTuples: fields) that uproot can interpret."""
    out = []
    for name in tree.keys(recursive=False):
        branch = tree[name]
        if hasattr(branch, "interpretation"):
            if branch.branches and "Unknown" in str(branch.interpretation):
                continue
            if type(branch.interpretation).__name__.startswith(("Unknown", "AsObjects")):
                try:
                    branch.interpretation.awkward_form(branch.file)
                except Exception:
                    continue
        out.append(name)
    return out


def from_root(
    path,
    tree=None,
    *,
    filter_name=None,
    entry_start=None,
    entry_stop=None,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The entries of a TTree or RNTuple in a ROOT file as records, through uproot.

    path is a path or URL ("file.root:tree" names the tree), an open file or tree of uproot's; a
    file with one tree needs no name. filter_name chooses branches: a name, a pattern with
    wildcards, a list of these or a function, as uproot's. entry_start and entry_stop count entries.

    FileNotFoundError for what is not there, ValueError for files that are damaged, that have no
    such tree, or none of the branches.
    """
    what = "from_root"
    _, found = opened(path, tree, what)
    names = branches_of(found, filter_name, what)
    try:
        out = rows_of(*loaded(found, names, entry_start, entry_stop))
    except Exception as error:
        raise ValueError(f"{what}: {path}: {type(error).__name__}: {error}") from error
    return _dressed(out, highlevel, behavior, attrs)


def _dressed(array, highlevel, behavior, attrs):
    """The array as the arguments that all functions have in common say."""
    if highlevel and behavior is None and attrs is None:
        return array
    return _core.materialize(array, highlevel=highlevel, behavior=behavior, attrs=attrs)


def branches_of(tree, filter_name, what):
    """Names of the branches that can be read and are chosen."""
    names = readable(tree)
    if filter_name is None:
        return names
    chosen = set(tree.keys(recursive=False, filter_name=filter_name))
    names = [n for n in names if n in chosen]
    if not names:
        raise ValueError(f"{what}: no branch of {tree.name!r} is named {filter_name!r}")
    return names
