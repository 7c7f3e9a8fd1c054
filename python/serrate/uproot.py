"""Trees of ROOT files as arrays, read by uproot; importing this gives it library="serrate".

>>> import serrate.uproot
>>> tree = uproot.open("events.root")["Events"]
>>> tree.arrays(["pt", "eta"], library="serrate")
<Array [{pt: [40, 15], eta: [1.2, -0.4]}, ...] type='1000 * {pt: var * flo...'>

What uproot has as NumPy's arrays (numbers, lists of them, strings) is taken without Awkward Array;
where it makes Awkward's arrays itself (objects of classes), their memory is shared.
"""

try:
    from uproot.interpretation import library
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "serrate.uproot needs uproot: pip install uproot", name="uproot"
    ) from error

import serrate

__all__ = ["Serrate"]


class Serrate(library.Awkward):
    """What uproot makes with library="serrate".

    `how` is that of library="ak": None for an array of records, "zip", dict, tuple or list.
    """

    name = "serrate"

    @property
    def imported(self):
        """The module whose functions and layouts make the arrays."""
        return serrate

    def finalize(self, array, branch, interpretation, entry_start, entry_stop, options):
        """The array of one branch."""
        if type(array).__module__.partition(".")[0] == "awkward":
            return serrate.Array(array)
        return super().finalize(array, branch, interpretation, entry_start, entry_stop, options)


library._libraries[Serrate.name] = Serrate()
