# Numbers of arrays as NumPy's, wherever the arrays are.
import serrate as ak


def in_ram(x):
    return ak.to_numpy(ak.to_backend(x, "cpu"))
