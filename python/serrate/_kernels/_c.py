"""C's names of types, the parameters of kernels in a text, what a host that runs kernels needs."""

import re

import numpy as np

# By their words in alphabetical order: "unsigned long long" is "long long unsigned".
_WORDS = {
    "bool": "bool",
    "char": "int8",
    "char signed": "int8",
    "char unsigned": "uint8",
    "short": "int16",
    "short unsigned": "uint16",
    "int": "int32",
    "int unsigned": "uint32",
    "unsigned": "uint32",
    "long": "int64",
    "long unsigned": "uint64",
    "long long": "int64",
    "long long unsigned": "uint64",
    "size_t": "uint64",
    "float": "float32",
    "double": "float64",
} | {f"{u}int{n}_t": f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)}

# What kernels call the types of dtypes.
NAMES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}
# NVRTC reads no header: these are what <stdint.h> has.
INTEGERS = "\n".join(
    f"typedef {c} {u}int{n}_t;"
    for n, c in ((8, "signed char"), (16, "short"), (32, "int"), (64, "long"))
    for u, c in (("", c), ("u", "unsigned " + c.removeprefix("signed ")))
)


def c_name(dtype, said_as):
    """C's name of a dtype; TypeError for those that kernels do not have."""
    name = np.dtype(dtype).name
    if name not in NAMES:
        raise TypeError(f"{said_as}: kernels of users have no {name}")
    return NAMES[name]


def dtype_of(text):
    """The dtype of a type of C, or None."""
    return _WORDS.get(" ".join(sorted(text.split())))


def without_comments(code):
    """The text with blanks for comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.DOTALL)


def kernels_in(code):
    """Names of the kernels of a text, with their parameters as text."""
    found = re.finditer(
        r"\b__global__\s+(?:void\s+)?(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:void\s+)?(\w+)\s*"
        r"\(([^)]*)\)\s*\{",
        without_comments(code),
    )
    return {m[1]: m[2] for m in found}


def parameters(text, said_as):
    """(kind, dtype, name, 0) of each parameter, as _core._Launcher takes them."""
    out = []
    for part in filter(None, map(str.strip, text.split(","))):
        plain = re.sub(r"\b(__restrict__|__restrict|volatile)\b", " ", part)
        found = re.fullmatch(r"(.*?)(\*?)\s*(?:const\s+)?(\w+)", plain.strip())
        words = found[1].split() if found else []
        constant = "const" in words
        of = " ".join(w for w in words if w != "const")
        dtype = dtype_of(of)
        if dtype is None and not (of == "void" and found[2]):
            known = "integers, float, double, bool, and pointers to these"
            raise TypeError(f"{said_as}: parameter {part!r}: parameters may be {known}")
        kind = ("in" if constant else "written") if found[2] else "scalar"
        out.append((kind, dtype, found[3], 0))
    return out


def with_entry(code, name, parameter_text):
    """The text, and how a host that runs kernels itself calls this one: by a struct."""
    parts = [p.strip() for p in parameter_text.split(",") if p.strip()]
    names = [re.search(r"(\w+)\s*$", p)[1] for p in parts]
    members = "".join(p.replace("__restrict__", "") + "; " for p in parts)
    values = ", ".join(f"arguments.{n}" for n in names)
    return (
        f"{code}\n#ifndef __CUDACC_RTC__\nstruct {name}_arguments {{ {members}}};\n"
        f'extern "C" void serrate_entry_{name}(const {name}_arguments& arguments) '
        f"{{ {name}({values}); }}\n#endif\n"
    )
