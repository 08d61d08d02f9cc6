"""`python -m verify.experiments STUDY [--workers W | --scheduler ADDRESS] [options of the study]`: its runs, spread.

Without workers this is the same as `python -m verify.experiments.STUDY`. CPU seconds of runs are those of the worker.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from verify.experiments.recorded import WORKERS
from verify.experiments.study import NAMES
from verify.spread.workers import add_options, said, told


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments", description=__doc__, allow_abbrev=False)
    parser.add_argument("study", choices=NAMES)
    add_options(parser)
    options, sys.argv[1:] = parser.parse_known_args()
    with told(parser):
        WORKERS.set(said(options))
        return int(import_module(f"verify.experiments.{options.study}").main())


if __name__ == "__main__":
    sys.exit(main())
