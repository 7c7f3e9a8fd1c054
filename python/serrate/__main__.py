"""The command `serrate`: `serrate doctor` says what a GPU needs and whether it is here."""

import argparse
import sys

import serrate


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="serrate", description=__doc__.split(":")[0] + ".")
    parser.add_argument("--version", action="version", version=serrate.__version__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("doctor", help="what a GPU needs, found or not, and what to do")
    parser.parse_args(arguments)
    report = serrate.doctor()
    print(report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
