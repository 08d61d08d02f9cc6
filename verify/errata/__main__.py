"""`python -m verify.errata [--workers W]`: run the ledger and rewrite docs/errata and its pointer page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verify.errata.pages import FOLDER, pages
from verify.ledger import all_claims, all_withdrawn
from verify.run import run_claims
from verify.spread.workers import add_options, said, told

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.errata", description="Write the pages of the errata.")
    add_options(parser)
    options = parser.parse_args(arguments)
    with told(parser):
        results = run_claims(all_claims(), workers=said(options))
    wanted = pages(results, all_withdrawn())
    for old in (ROOT / FOLDER).rglob("*"):
        if old.is_file() and old.relative_to(ROOT).as_posix() not in wanted:
            old.unlink()
    for place, text in wanted.items():
        path = ROOT / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    missing = sum(result.not_run for result in results)
    sys.stderr.write(f"{len(wanted)} files; {missing} claims not run, because the tables they need are not available\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
