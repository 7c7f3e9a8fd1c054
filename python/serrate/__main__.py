"""The command `serrate`: doctor says what a GPU needs, show and convert work with files."""

import argparse
import sys

import serrate


def _parser():
    parser = argparse.ArgumentParser(
        prog="serrate", description="Nested arrays: what a GPU needs, and files."
    )
    parser.add_argument("--version", action="version", version=serrate.__version__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("doctor", help="what a GPU needs, found or not, and what to do")
    show = verbs.add_parser("show", help="the type of a file and its first rows")
    show.add_argument("file")
    show.add_argument("--tree", help="of a ROOT file")
    show.add_argument("--rows", type=int, default=10, help="how many (10)")
    convert = verbs.add_parser("convert", help="write a file in another format, by its name")
    convert.add_argument("source")
    convert.add_argument("destination")
    convert.add_argument("--tree", help="of a ROOT file")
    convert.add_argument("--columns", nargs="+", help="names of the fields that are wanted")
    convert.add_argument("--overwrite", action="store_true", help="replace the destination")
    convert.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="a bar (on a terminal)"
    )
    return parser


def _doctor(_):
    report = serrate.doctor()
    print(report)
    return 0 if report.ok else 1


def _show(given):
    from serrate._files import shell

    shell.show(given.file, tree=given.tree, rows=given.rows)
    return 0


def _convert(given):
    from serrate._files import shell

    how = {k: getattr(given, k) for k in ("tree", "columns", "progress", "overwrite")}
    shell.convert(given.source, given.destination, **how)
    return 0


def main(arguments=None):
    given = _parser().parse_args(arguments)
    try:
        return {"doctor": _doctor, "show": _show, "convert": _convert}[given.verb](given)
    except (OSError, ValueError, TypeError, ImportError) as error:
        print(f"serrate {given.verb}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
