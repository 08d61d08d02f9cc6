"""Options of the command that makes figures: it writes into a folder, where others write a file."""

from __future__ import annotations

import argparse
from typing import Any


def add_figures(commands: Any, epilog: str) -> None:
    text = "the figures and tables of the papers, computed again and drawn beside what is printed"
    command = commands.add_parser(
        "figures",
        help=text,
        description=text + ".",
        epilog=f"example: synthbounds figures zhou2024-figure1a --output pictures\n{epilog}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("names", metavar="NAME", nargs="*", help="the figures to make (default: all)")
    command.add_argument("--list", action="store_true", help="list the figures and make none")
    output = command.add_argument_group("output")
    output.add_argument("--format", default="text", help="text, json, latex or markdown (default text)")
    output.add_argument(
        "--output",
        metavar="DIR",
        dest="folder",
        help="folder for data and pictures, which are replaced (default paper_figures/output)",
    )
    command.set_defaults(output=None, force=False)
