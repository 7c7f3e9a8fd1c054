"""House rules: plain searches, which folder may include which, circles, files that pages name.

Prints each offence as file:line: reason; exits with 1 if there is any.
"""

import ast
import glob
import graphlib
import os
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
        ["include/*", "src/*"],
        ["src/cuda/plugin/*"],
        r"#\s*include\s*[<\"](cuda_|cuda\.h|cuda/plugin|nvrtc|cub/|thrust/)",
        "no CUDA header here: only the plug-in knows CUDA",
    ),
    (
        ["src/core/*", "src/graph/*", "src/ops/*", "src/interop/*", "src/io/*"],
        ["*_test.cpp", "src/core/host.h"],
        r"Device::cuda|kReference|[!=]= *Device::|Device::cpu *[!=]=",
        "no test for a device here: ask what it can do (graph/backend.h), or is_host()",
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
        ["python/src/common/checked.h", "python/src/common/python.h"],
        r"nb::steal\((Py[A-Z]|nb::detail)|PyObject_Is(Instance|True)\(|PyNumber_Index\(",
        "what may be null, or no answer, goes through checked.h",
    ),
    (
        CPP,
        [],
        r"std::views\b|include <ranges>|ranges::(subrange|unique|remove(_if)?|rotate|equal_range|"
        r"(stable_)?partition|search(_n)?|find_end)\b",
        "clang 14 cannot read GCC 12's views and subranges: use a loop, or std's of iterators",
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


MAP = "docs/internals.md"
INCLUDE = re.compile(r'\s*#\s*include "([^"]+)"')
IS_TEST = re.compile(r"_(test|bench|fuzz)\.cpp$")


def layers():
    """Folder: the folders that it may include, from the table in MAP."""
    with open(MAP, encoding="utf-8") as f:
        text = f.read()
    table = text[text.index("| may include |") :].split("\n\n")[0]
    allowed = {}
    for row in table.splitlines()[2:]:
        folder, _, others = row.strip("|").split("|")
        # Of folders, with "/*" of those inside of them, too, and of single headers.
        names = re.findall(r"`([^`]+?)/?`", others)
        folder = re.search(r"`([^`]+)/`", folder).group(1)
        allowed[folder] = {folder, "include/serrate", *names}
    allowed["include/serrate"] = {"include/serrate"}
    return allowed


def included_folder(path, header):
    """The folder of a header, as the table names it; None for those that are not in the table."""
    if header.startswith(".."):
        return os.path.normpath(os.path.join(os.path.dirname(path), os.path.dirname(header)))
    folder = os.path.dirname(header)
    if path.startswith("python/src/") and os.path.exists(f"python/src/{header}"):
        return f"python/src/{folder}".rstrip("/")
    return "include/serrate" if folder == "serrate" else "src/" + folder if folder else None


def is_among(folder, names):
    """Is it one of them, or in one of those with "/*"?"""
    inside = (n[:-1] for n in names if n.endswith("/*"))
    return folder in names or any(f"{folder}/".startswith(n) for n in inside)


def circles_of_folders(allowed):
    """Folders that may include one another, by the table itself."""
    graph = {a: {b for b in allowed if b != a and is_among(b, may)} for a, may in allowed.items()}
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        yield MAP, 1, f"folders include one another: {', '.join(error.args[1])}"


def upward_includes(path, lines, allowed):
    folder = os.path.dirname(path)
    if folder not in allowed or not matches(path, CPP):
        return
    may = set(allowed[folder])
    if IS_TEST.search(path):
        may |= {"src/reference", "tests/cpp"}
        may |= {"src/cpu/*"} if folder.startswith("src/cuda") else set()
        may |= {"src/ops/*"} if folder.startswith("src/ops") else set()
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        to = found and included_folder(path, found.group(1))
        if to and not is_among(to, may) and f"src/{found.group(1)}" not in may:
            yield number, f"{folder} may not include {to}: see the table in {MAP}"


MOST_FILES = 40
PACKAGE, COMPILED = "python/serrate", "serrate._core"


def imported_modules(path):
    """The modules of the package that a file imports, also inside functions, and in which lines."""
    with open(path, encoding="utf-8") as f:
        nodes = list(ast.walk(ast.parse(f.read())))
    for node in nodes:
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # What is imported is a module, or a name in one.
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in found:
            if name.startswith(COMPILED):
                continue
            while name and not any(map(os.path.exists, files_of(name))):
                name = name.rpartition(".")[0]
            if name:
                yield name, node.lineno


def files_of(module):
    path = "python/" + module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def import_circles():
    """Imports within the package that lead back to where they are."""
    graph, lines = {}, {}
    for path in sorted(glob.glob(f"{PACKAGE}/**/*.py", recursive=True)):
        module = path.removeprefix("python/").removesuffix(".py").replace("/", ".")
        module = module.removesuffix(".__init__")
        found = list(imported_modules(path))
        graph[module] = {name for name, _ in found}
        lines |= {(module, name): (path, line) for name, line in found}
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        circle = error.args[1][::-1]  # each one imports the next
        path, line = lines[circle[0], circle[1]]
        yield path, line, f"imports in a circle: {', '.join(circle)}"


NAMED = re.compile(
    r"`((?:src|python|include|tests|bench|docs|examples|cmake|\.ci)/[\w/.-]+\.\w+|"
    r"(?:core|graph|ops|interop|io|cpu|cuda|reference)/[\w/.-]+\.(?:h|cpp|cu|def))`"
)


def stale_names(path, lines):
    """Files that a page names and that are not there."""
    for number, line in enumerate(lines, 1):
        for name in NAMED.findall(line):
            if not any(os.path.exists(root + name) for root in ("", "src/", "python/src/")):
                yield number, f"there is no {name}"


def pages():
    for path in sorted(glob.glob("docs/*.md")):
        with open(path, encoding="utf-8") as f:
            for number, why in stale_names(path, f.read().splitlines()):
                yield path, number, why


def main():
    allowed = layers()
    folders = set()
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
        folders.add(os.path.dirname(path))
        found = [*offences(path, lines), *upward_includes(path, lines, allowed)]
        for number, why in found:
            print(f"{path}:{number}: {why}")
            bad += 1
    for folder in sorted(folders):
        if folder.startswith(("src", "include", "python/src")) and folder not in allowed:
            print(f"{MAP}:1: {folder} is not in the table of folders")
            bad += 1
    for folder in sorted(folders):
        count = sum(os.path.dirname(path) == folder for path in paths if os.path.exists(path))
        if folder.startswith(("python/", "src/", "include/")) and count > MOST_FILES:
            print(f"{folder}:1: {count} files: a folder has {MOST_FILES} at most")
            bad += 1
    for path, line, why in [*circles_of_folders(allowed), *import_circles(), *pages()]:
        print(f"{path}:{line}: {why}")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
