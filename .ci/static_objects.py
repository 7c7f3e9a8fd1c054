"""Checks in a build folder that no static object of the library or the module has a destructor.

Threads of a Python program run on while the process ends, and arrays outlive the interpreter: what
they use must not be destroyed before them. Such objects are `static const T& x = *new T(...)`.
"""

import subprocess
import sys
from pathlib import Path

TARGETS = (
    "serrate_objects",
    "serrate_isa_baseline",
    "serrate_isa_avx2",
    "serrate_isa_avx512",
    "_core",
)


def main(build):
    objects = [
        path
        for target in TARGETS
        for path in sorted((Path(build) / "CMakeFiles" / f"{target}.dir").rglob("*.o"))
    ]
    assert objects, f"nothing is built in {build}"
    text = subprocess.run(
        ["nm", "--undefined-only", "--print-file-name", *map(str, objects)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    bad = [line.split(":")[0] for line in text.splitlines() if line.endswith(" __cxa_atexit")]
    for path in bad:
        print(
            f"{Path(path).relative_to(build)}: a static object is destroyed when the process ends"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
