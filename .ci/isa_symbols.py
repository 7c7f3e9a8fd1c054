"""Checks in a build folder that no AVX code can run by accident on a processor without AVX.

src/cpu/isa/ is compiled once per instruction set. An inline function outside of namespace
serrate::cpu::SERRATE_ISA (say, of the standard library) then exists several times under one name,
and the linker keeps the first that it sees: the plainest, by the order in CMakeLists.txt. What only
an AVX object defines would be that object's copy for all.
"""

import subprocess
import sys
from pathlib import Path


def shared_functions(folder):
    """Functions that the linker may merge with another object's: symbol -> object that has it."""
    found = {}
    for path in folder.rglob("*.o"):
        text = subprocess.run(
            ["nm", "--defined-only", str(path)], check=True, capture_output=True, text=True
        ).stdout
        found |= {f[2]: path.name for f in map(str.split, text.splitlines()) if f[1] == "W"}
    return found


def main(build):
    objects = {
        name: shared_functions(Path(build) / "CMakeFiles" / f"serrate_{name}.dir")
        for name in ("objects", "isa_baseline", "isa_avx2", "isa_avx512")
    }
    plain = objects["objects"] | objects["isa_baseline"]
    bad = 0
    for isa in ("avx2", "avx512"):
        own = f"3cpu{len(isa)}{isa}"  # the namespace in a mangled name
        for symbol, path in objects[f"isa_{isa}"].items():
            if own not in symbol and symbol not in plain:
                print(f"src/cpu/isa/{path[:-2]}: {symbol} is only compiled for {isa}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
