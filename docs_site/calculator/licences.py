"""The page of licences: whose work the calculator contains, what the LGPL lets a reader do, and every licence's text.

The texts of python-flint and of the libraries inside it are those in its wheel; the others are in licences/.
"""

from __future__ import annotations

import zipfile
from html import escape
from pathlib import Path

from docs_site.calculator.parts import FLINT, fetched
from docs_site.calculator.works import WORKS
from docs_site.pages import ROOT

TEXTS = Path(__file__).parent / "licences"
_IN_WHEEL = "python_flint-0.9.0.dist-info/licenses/"

REPLACING = """
<p>This page uses FLINT, GMP and MPFR. They are free software under the GNU Lesser General Public License, version 3 or
later; its text and that of the GNU General Public License are below. You may change these libraries and use this page
with your changed versions, and you may reverse engineer the page for debugging such changes.</p>
<p>They are the shared libraries <code>libflint.so</code>, <code>libgmp.so</code> and <code>libmpfr.so</code> inside
<code>python_flint.whl</code>, an unchanged copy of <code>{wheel}</code> from the Python Package Index. Replace it with
your own wheel for the same Python, under the same name; nothing checks it. In the page that is a single file,
the wheel is one of its parts: put yours into <code>build/parts</code> of a checkout of synthbounds, write its digest
into <code>docs_site/calculator/parts.py</code> and run <code>make page</code>.</p>
<p>Their sources are FLINT 3.6.0 from flintlib.org, GMP 6.3.0 from gmplib.org and MPFR 4.2.2 from www.mpfr.org, free of
charge; the scripts and patches that make the wheel from them are in the folder <code>bin</code> of python-flint 0.9.0,
github.com/flintlib/python-flint. Anyone who passes this page on must make sure that these sources are available as long
as the page is offered.</p>
<p>Pyodide is under the Mozilla Public License 2.0; its source is at github.com/pyodide/pyodide, version 314.0.7.</p>
<p>The last column of the table says how each entry is known, and what is uncertain. The page that is a single file
has <code>pyodide.js</code> where the folder has <code>pyodide.mjs</code>: the same work.</p>
"""


def licences_text() -> str:
    """The list and the texts, as HTML for a page of its own or inside another; equal texts are given once."""
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td>{escape(cell)}"
            for cell in (work.name, work.licence, work.copyright, work.source, ", ".join(work.files), work.known)
        )
        for work in WORKS
    )
    columns = ("work", "licence", "whose", "source", "files", "how this is known")
    head = "".join(f"<th scope=col>{name}" for name in columns)
    texts = "".join(
        f"<h3>{escape(', '.join(titles))}</h3><pre>{escape(text)}</pre>" for text, titles in _texts().items()
    )
    return f"{REPLACING.format(wheel=FLINT.file)}<table><tr>{head}{rows}</table>{texts}"


def _texts() -> dict[str, list[str]]:
    """Every text with the works it licenses."""
    found = {(ROOT / "LICENSE").read_text("utf-8"): ["synthbounds"]}
    with zipfile.ZipFile(fetched(FLINT)) as wheel:
        for work in WORKS:
            for name in work.texts:
                kept = TEXTS / f"{name}.txt"
                text = kept.read_text("utf-8") if kept.exists() else wheel.read(_IN_WHEEL + name).decode("utf-8")
                found.setdefault(text, []).append(work.name)
    return found


def licences_page() -> str:
    """The page next to the calculator."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Licences</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        '<link rel="stylesheet" href="licences.css">\n</head>\n<body>\n<main id="licences">\n<h1>Licences</h1>\n'
        f'<p><a href="index.html">Back to the calculator</a></p>\n{licences_text()}\n</main>\n</body>\n</html>\n'
    )
