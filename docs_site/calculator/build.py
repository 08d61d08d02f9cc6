"""The calculator as a folder for any host and as one file. Parts by others are fetched once into build/parts.

The folder is made next to the site, which mkdocs makes from scratch, and then put into it. If a part is not available,
a page in the calculator's place says so.
"""

from __future__ import annotations

import json
import re
import shutil
from html import escape
from pathlib import Path

from docs_site.calculator.archives import archives
from docs_site.calculator.first_answers import first_answers
from docs_site.calculator.licences import licences_page, licences_text
from docs_site.calculator.parts import FLINT, fetched, pyodide_folder
from docs_site.calculator.single import single_file, with_policy
from docs_site.pages import ROOT
from synthbounds.web.guard import PAGE_POLICY

PAGE = ROOT / "synthbounds" / "web" / "page"
SINGLE = "synthbounds-calculator.html"
_COLD = re.compile(r'<p id="cold">.*?</p>\n')
_LICENCES = '<span id="licences"></span></p>'


def build_calculator(output: Path) -> tuple[Path, Path]:
    """The folder and the one file."""
    from synthbounds.web.papers import papers_text

    parts = _parts()
    folder = _emptied(output / "calculator")
    for path in PAGE.iterdir():
        shutil.copy(path, folder)
    for name, content in parts.items():
        place = folder / ("pyodide" if name.startswith("pyodide") else "") / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    page = (folder / "index.html").read_text("utf-8")
    if _LICENCES not in page:
        raise ValueError("index.html: no place for the licences")
    linked = page.replace(_LICENCES, '<a href="licences.html">Licences</a></p>')
    home = linked.replace("<html ", '<html data-docs="../" ', 1)  # the pages of proofs and claims are next to it
    (folder / "index.html").write_text(with_policy(home, PAGE_POLICY), "utf-8")
    (folder / "papers.json").write_text(papers_text(), "utf-8")
    (folder / "stored.json").write_text(first_answers(folder), "utf-8")
    (folder / "licences.html").write_text(licences_page(), "utf-8")
    shutil.copy(Path(__file__).with_name("licences.css"), folder)
    page = page.replace("</head>", '<link rel="stylesheet" href="licences.css">\n</head>')
    page = _COLD.sub("", page)  # it is for the folder
    page = page.replace(_LICENCES, f'</p><details id="licences"><summary>Licences</summary>{licences_text()}</details>')
    single = output / SINGLE
    single.write_text(single_file(folder, page, _single_parts(parts)), "utf-8")
    return folder, single


def _parts() -> dict[str, bytes]:
    """The files of Python in the page, by name."""
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
    """Opened from a disk, a worker cannot be a module, so it uses Pyodide's script instead."""
    script = (pyodide_folder() / "pyodide.js").read_bytes()
    return {name: content for name, content in parts.items() if name != "pyodide.mjs"} | {"pyodide.js": script}


def explain_absence(output: Path, reason: str) -> None:
    """A page in the calculator's place, so that links to it lead somewhere."""
    folder = _emptied(output / "calculator")
    text = f"<p>The calculator is not part of this build: {escape(reason)}.</p>"
    page = (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>synthbounds calculator</title>{text}</html>\n'
    )
    (folder / "index.html").write_text(page, "utf-8")


def put_into_site(output: Path) -> Path:
    """Put the folder into the site."""
    return Path(shutil.copytree(output / "calculator", output / "site" / "calculator", dirs_exist_ok=True))


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
