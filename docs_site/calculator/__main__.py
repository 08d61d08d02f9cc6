"""`python -m docs_site.calculator [--output FOLDER]`: the calculator without the rest of the site.

The folder is FOLDER/site/calculator, the one file is FOLDER/synthbounds-calculator.html (build/docs by default).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docs_site.calculator.build import build_calculator, put_into_site
from docs_site.calculator.parts import Missing
from docs_site.pages import ROOT


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs_site.calculator", description="Build the calculator.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "docs", help="folder (default build/docs)")
    output = parser.parse_args(arguments).output.resolve()
    try:
        _, single = build_calculator(output)
    except Missing as missing:
        print(f"calculator not built: {missing}", file=sys.stderr)
        return 1
    print(f"open {single}, or serve the folder: python -m http.server --directory {put_into_site(output)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
