"""House rules that are plain searches: prints each offence as file:line: reason; exits with 1."""

import re
import subprocess
import sys
from fnmatch import fnmatch

CODE = ["*.h", "*.cpp", "*.cu", "*.def", "*.py", "*.cmake", "*.sh", "CMakeLists.txt", "dev"]
CPP = ["*.h", "*.cpp", "*.cu", "*.def"]

# (files, not these, what must not be there, why). Instead of a pattern: a number is the most lines,
# None asks for a comment on the first line.
RULES = [
    (CODE, [], r"[^\x00-\x7f]", "ASCII only in source files"),
    (CODE, [], r"\bTO" r"DO\b|\bFIX" r"ME\b", "finish it, or open an issue"),
    (
        ["include/*", "src/core/*", "src/graph/*"],
        [],
        r"#\s*include\s*[<\"](cuda_|cuda\.h|cuda/plugin|nvrtc|cub/|thrust/)",
        "no CUDA header here: only the plug-in knows CUDA",
    ),
    (
        ["src/*"],
        ["src/cuda/plugin/primitives.cu"],
        r"#\s*include\s*[<\"]cub/",
        "CUB only in primitives.cu",
    ),
    (
        ["src/*"],
        ["*_test.cpp", "*_bench.cpp", "*_fuzz.cpp"],
        r"std::(cout|cerr)\b|\bf?printf\s*\(",
        "the library never prints",
    ),
    (
        ["python/src/*"],
        ["python/src/checked.h", "python/src/python.h"],
        r"nb::steal\((Py[A-Z]|nb::detail)|PyObject_Is(Instance|True)\(|PyNumber_Index\(",
        "what may be null, or no answer, goes through checked.h",
    ),
    (["*.h", "*.cpp", "*.cu"], [], None, "the first line says what the file is"),
    (["*.h", "*.cpp", "*.py"], [], 500, "longer than 500 lines: split it by subject"),
]

# Files that may be longer, each for a reason.
LONG = []


def matches(path, patterns):
    return any(fnmatch(path, p) for p in patterns)


def offences(path, lines):
    for files, but_not, what, why in RULES:
        if not matches(path, files) or matches(path, but_not):
            continue
        if what is None:
            if not lines or not lines[0].startswith("//"):
                yield 1, why
        elif isinstance(what, int):
            if len(lines) > what and path not in LONG:
                yield len(lines), why
        else:
            for number, line in enumerate(lines, 1):
                if re.search(what, line):
                    yield number, why


def main():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    paths = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    bad = 0
    for path in paths:
        if not matches(path, [pattern for rule in RULES for pattern in rule[0]]):
            continue
        try:
            with open(path, encoding="utf-8") as f:
                lines = f.read().splitlines()
        except (UnicodeDecodeError, FileNotFoundError):  # a binary file, or one just deleted
            continue
        for number, why in offences(path, lines):
            print(f"{path}:{number}: {why}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
