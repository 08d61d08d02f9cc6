"""`python -m docs_site.calculator.build [--output FOLDER]`: the calculator as a folder for a host and as one file.

The folder is FOLDER/site/calculator and belongs to the site; the file is FOLDER/synthbounds-calculator.html (build/docs
by default). Parts of others are fetched once into build/parts. Where they cannot be had, the folder holds a page that
says so, the reason is printed and nothing fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from html import escape
from pathlib import Path

from docs_site.calculator.archives import archives
from docs_site.calculator.first_answers import first_answers
from docs_site.calculator.licences import licences_page
from docs_site.calculator.parts import FLINT, Missing, fetched, pyodide_folder
from docs_site.calculator.single import single_file, with_policy
from docs_site.pages import ROOT

PAGE = ROOT / "synthbounds" / "web" / "page"
SINGLE = "synthbounds-calculator.html"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'"
)
_LICENCES = '<span id="licences"></span>'


def calculator_folder(output: Path) -> Path:
    return output / "site" / "calculator"


def build_calculator(output: Path) -> tuple[Path, Path]:
    """The folder and the one file."""
    from synthbounds.web.papers import papers_text

    parts = _parts()
    folder = _emptied(calculator_folder(output))
    for path in PAGE.iterdir():
        shutil.copy(path, folder)
    for name, content in parts.items():
        place = folder / ("pyodide" if name.startswith("pyodide") else "") / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    page = (folder / "index.html").read_text("utf-8")
    if _LICENCES not in page:
        raise ValueError("index.html: no place for the licences")
    page = page.replace(_LICENCES, '<a href="licences.html">Licences</a>')
    home = page.replace("<html ", '<html data-docs="../" ', 1)  # the pages of proofs lie beside it
    (folder / "index.html").write_text(with_policy(home, POLICY), "utf-8")
    (folder / "papers.json").write_text(papers_text(), "utf-8")
    (folder / "stored.json").write_text(first_answers(folder), "utf-8")
    (folder / "licences.html").write_text(licences_page(), "utf-8")
    single = output / SINGLE
    single.write_text(single_file(folder, page, _single_parts(parts)), "utf-8")
    return folder, single


def _parts() -> dict[str, bytes]:
    """What Python in the page is made of, by the names of the files."""
    pyodide, flint = pyodide_folder(), fetched(FLINT)
    standard, ours = archives()
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))
    lock["packages"] = {}  # so that nothing can be fetched from elsewhere
    core = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
    return {name: (pyodide / name).read_bytes() for name in core} | {
        "pyodide-lock.json": json.dumps(lock).encode(),
        "python.zip": standard.read_bytes(),
        "python_flint.whl": flint.read_bytes(),
        "synthbounds.zip": ours.read_bytes(),
    }


def _single_parts(parts: dict[str, bytes]) -> dict[str, bytes]:
    """A worker from a disk is no module, and takes Pyodide's script for that."""
    script = (pyodide_folder() / "pyodide.js").read_bytes()
    return {name: content for name, content in parts.items() if name != "pyodide.mjs"} | {"pyodide.js": script}


def explain_absence(output: Path, reason: str) -> None:
    """A page in the calculator's place, so that links to it lead somewhere."""
    folder = _emptied(calculator_folder(output))
    text = f"<p>The calculator is not part of this build: {escape(reason)}.</p>"
    page = f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>synthbounds calculator</title>{text}</html>\n'
    (folder / "index.html").write_text(page, "utf-8")


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs_site.calculator.build", description="Build the calculator.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "docs", help="folder (default build/docs)")
    output = parser.parse_args(arguments).output.resolve()
    try:
        folder, single = build_calculator(output)
    except Missing as missing:
        explain_absence(output, str(missing))
        print(f"calculator not built: {missing}")
        return 0
    print(f"open {single}, or serve the folder: python -m http.server --directory {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
