"""`python -m tests.fuzz`: run hostile cases, say what failed and how to repeat it; exit code 1 if anything did."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

import tests.same_arithmetic  # isort: skip # noqa: F401 - before numpy is imported
from tests.fuzz.campaign import SHARES, Tally, campaign, run_case
from tests.fuzz.commands import command_case
from tests.fuzz.files import file_case
from tests.fuzz.stock import make_stock
from tests.fuzz.tables import table_case


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=2000, help="how many (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default 1)")
    parser.add_argument("--kind", choices=list(SHARES), help="of one kind alone")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one case of a kind, with what it is")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        stock = Path(name)
        for line in make_stock(stock):
            sys.stdout.write(f"the stock is not complete: {line}\n")
        if asked.only is not None:
            return _one(asked.kind or "commands", asked.seed, asked.only, stock)
        shares = SHARES if asked.kind is None else {asked.kind: 1}
        found = campaign(asked.cases, asked.seed, stock, shares, tell=lambda line: print(line, flush=True))
    if asked.json is not None:
        asked.json.write_text(json.dumps(figures(found, asked.seed), indent=1) + "\n", encoding="utf-8")
    for kind, tally in found.items():
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(tally.codes.items()))
        said = f"{kind}: {tally.cases} cases, {len(tally.failed)} failed; exit codes {codes}; {tally.seconds:.0f} CPU s"
        sys.stdout.write(f"{said}; slowest {tally.slowest[0]:.1f} s, {tally.slowest[1]}\n")
    return int(any(tally.failed for tally in found.values()))


def figures(found: dict[str, Tally], seed: int) -> dict[str, object]:
    """What is recorded of a campaign."""
    return {
        "seed": seed,
        "kinds": {
            kind: {
                "cases": tally.cases,
                "failed": len(tally.failed),
                "exit_codes": {str(code): count for code, count in sorted(tally.codes.items())},
                "cpu_seconds": round(tally.seconds),
                "slowest_seconds": round(tally.slowest[0], 1),
            }
            for kind, tally in found.items()
        },
    }


def _one(kind: str, seed: int, number: int, stock: Path) -> int:
    """Run it, and show what it was."""
    draws = random.Random(f"{kind} {seed} {number}")
    if kind == "commands":
        sys.stdout.write(f"{command_case(draws, stock)}\n")
    elif kind in ("files", "tables"):
        words, changed = (file_case if kind == "files" else table_case)(draws, stock)
        sys.stdout.write(f"{words}\n")
        for name, data in changed.items():
            sys.stdout.write(f"{name}: {data[:5000]!r}\n")
    verdict = run_case(kind, seed, number, stock)
    sys.stdout.write(f"exit {verdict.code}, {verdict.seconds:.1f} CPU s\n{verdict.said}")
    sys.stdout.write("".join(f"{fault}\n" for fault in verdict.faults) or "nothing is wrong\n")
    return int(bool(verdict.faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
