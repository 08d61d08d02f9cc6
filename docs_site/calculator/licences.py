"""Whose work the page carries, under which licence, in which of its files; with every licence's text.

The texts of python-flint and of the libraries inside it are those in its wheel; the others stand in licences/ under
their SPDX names. A file that no entry names, or a licence that is not in ALLOWED, fails a test.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from html import escape
from pathlib import Path

from docs_site.calculator.parts import FLINT, fetched
from docs_site.pages import ROOT

ALLOWED = frozenset(
    {
        *("MIT", "MPL-2.0", "PSF-2.0", "LGPL-3.0-or-later", "Zlib", "bzip2-1.0.6", "BSD-3-Clause"),
        *("Apache-2.0 WITH LLVM-exception", "public domain"),
    }
)
_TEXTS = Path(__file__).parent / "licences"
_IN_WHEEL = "python_flint-0.9.0.dist-info/licenses/"
_RUNTIME = ("pyodide/pyodide.asm.wasm", "pyodide/pyodide.asm.mjs")


@dataclass(frozen=True)
class Work:
    """One work of its authors inside the page."""

    name: str
    licence: str
    copyright: str
    source: str
    files: tuple[str, ...]
    """Where it is in the folder; `*` stands for any name there."""
    wheel_texts: tuple[str, ...] = ()
    """Its licence in python-flint's wheel, if it is there."""


WORKS = (
    Work(
        "synthbounds",
        "MIT",
        "Copyright (c) 2026 The synthbounds authors",
        "this page's own project",
        ("*.html", "*.js", "*.css", "papers.json", "stored.json", "synthbounds.zip"),
    ),
    Work(
        "Pyodide 314.0.7, with hiwire",
        "MPL-2.0",
        "Copyright (c) Pyodide contributors and Mozilla",
        "https://github.com/pyodide/pyodide, tag 314.0.7",
        (*_RUNTIME, "pyodide/pyodide.mjs", "pyodide/pyodide-lock.json", "python.zip"),
    ),
    Work(
        "CPython 3.14.2, with the libraries it brings (libmpdec, expat, HACL*, mimalloc)",
        "PSF-2.0",
        "Copyright (c) 2001 Python Software Foundation; All Rights Reserved",
        "https://www.python.org/downloads/release/python-3142; the standard library is cut to what the page uses and "
        "compiled, otherwise unchanged",
        (*_RUNTIME, "python.zip"),
    ),
    Work(
        "python-flint 0.9.0",
        "MIT",
        "Copyright (c) 2014-2016 Fredrik Johansson",
        "https://github.com/flintlib/python-flint, tag 0.9.0",
        ("python_flint.whl",),
        ("LICENSE",),
    ),
    Work(
        "FLINT 3.6.0",
        "LGPL-3.0-or-later",
        "Copyright (c) the FLINT authors",
        "https://flintlib.org/download/flint-3.6.0.tar.gz",
        ("python_flint.whl",),
        ("python-flint.libs/flint-3.6.0/COPYING.LESSER", "python-flint.libs/flint-3.6.0/COPYING"),
    ),
    Work(
        "GMP 6.3.0",
        "LGPL-3.0-or-later",
        "Copyright (c) Free Software Foundation, Inc.",
        "https://gmplib.org/download/gmp/gmp-6.3.0.tar.xz",
        ("python_flint.whl",),
        ("python-flint.libs/gmp-6.3.0/COPYING.LESSERv3", "python-flint.libs/gmp-6.3.0/COPYING"),
    ),
    Work(
        "MPFR 4.2.2",
        "LGPL-3.0-or-later",
        "Copyright (c) Free Software Foundation, Inc.",
        "https://www.mpfr.org/mpfr-4.2.2/mpfr-4.2.2.tar.xz",
        ("python_flint.whl",),
        ("python-flint.libs/mpfr-4.2.2/COPYING.LESSER", "python-flint.libs/mpfr-4.2.2/COPYING"),
    ),
    Work(
        "Emscripten 5.0.3",
        "MIT",
        "Copyright (c) 2010-2014 Emscripten authors; parts: Copyright Joyent, Inc. and other Node contributors",
        "https://github.com/emscripten-core/emscripten, tag 5.0.3",
        _RUNTIME,
    ),
    Work("musl", "MIT", "Copyright (c) 2005-2020 Rich Felker, et al.", "https://musl.libc.org", _RUNTIME),
    Work(
        "LLVM: compiler-rt, libc++",
        "Apache-2.0 WITH LLVM-exception",
        "Copyright (c) the LLVM contributors",
        "https://github.com/llvm/llvm-project",
        _RUNTIME,
    ),
    Work(
        "libffi",
        "MIT",
        "Copyright (c) 1996-2024 Anthony Green, Red Hat, Inc and others",
        "https://sourceware.org/libffi",
        _RUNTIME,
    ),
    Work("zlib", "Zlib", "Copyright (c) 1995-2024 Jean-loup Gailly and Mark Adler", "https://zlib.net", _RUNTIME),
    Work("bzip2", "bzip2-1.0.6", "Copyright (c) 1996-2019 Julian R Seward", "https://sourceware.org/bzip2", _RUNTIME),
    Work(
        "Zstandard",
        "BSD-3-Clause",
        "Copyright (c) Meta Platforms, Inc. and affiliates",
        "https://github.com/facebook/zstd",
        _RUNTIME,
    ),
    Work("liblzma", "public domain", "Lasse Collin and others", "https://tukaani.org/xz", _RUNTIME),
    Work("SQLite", "public domain", "D. Richard Hipp and others", "https://sqlite.org", _RUNTIME),
    Work(
        "error-stack-parser, stackframe",
        "MIT",
        "Copyright (c) 2017 Eric Wendelin and other contributors",
        "https://github.com/stacktracejs",
        ("pyodide/pyodide.mjs",),
    ),
)

REPLACING = """
<p>FLINT, GMP and MPFR are free software under the GNU Lesser General Public License: you may change them and use this
page with what you changed. They are shared libraries inside <code>python_flint.whl</code>, an unchanged copy of
<code>{wheel}</code> from the Python Package Index. Put a wheel of your own for the same Python in its place, under the
same name; nothing checks it. In the page that is a single file, the wheel is one of its parts: put yours into
<code>build/parts</code> of a checkout of synthbounds, write its digest into <code>docs_site/calculator/parts.py</code>
and run <code>make page</code>. Reverse engineering for debugging such changes is allowed. The sources are at the
addresses below; python-flint's repository says how the wheel is built from them.</p>
"""


def works_in(file: str) -> list[Work]:
    """Whose work a file of the folder holds."""
    return [work for work in WORKS if any(_matches(file, pattern) for pattern in work.files)]


def _matches(file: str, pattern: str) -> bool:
    return file.count("/") == pattern.count("/") and fnmatchcase(file, pattern)


def licences_text() -> str:
    """The list and the texts, as HTML that stands by itself or inside a page; equal texts are given once."""
    rows = "".join(
        f"<tr><td>{escape(work.name)}<td>{escape(work.licence)}<td>{escape(work.copyright)}"
        f"<td>{escape(work.source)}<td>{escape(', '.join(work.files))}"
        for work in WORKS
    )
    head = "".join(f"<th scope=col>{name}" for name in ("work", "licence", "whose", "source", "files"))
    texts = "".join(
        f"<h3>{escape(', '.join(titles))}</h3><pre>{escape(text)}</pre>" for text, titles in _texts().items()
    )
    return f"{REPLACING.format(wheel=FLINT.file)}<table><tr>{head}{rows}</table>{texts}"


def _texts() -> dict[str, list[str]]:
    """Every text with what it is the licence of."""
    found: dict[str, list[str]] = {}
    with zipfile.ZipFile(fetched(FLINT)) as wheel:
        for work in WORKS:
            for name in work.wheel_texts:
                text = wheel.read(_IN_WHEEL + name).decode("utf-8")
                found.setdefault(text, []).append(f"{work.name}: {name.rpartition('/')[2]}")
    found.setdefault((ROOT / "LICENSE").read_text("utf-8"), []).append("synthbounds")
    for path in sorted(_TEXTS.iterdir()):
        whose = [work.name for work in WORKS if work.licence == path.stem and not work.wheel_texts]
        found.setdefault(path.read_text("utf-8"), []).append(f"{path.stem}: {'; '.join(whose)}")
    return found


def licences_page() -> str:
    """The page beside the calculator."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Licences</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        '<link rel="stylesheet" href="licences.css">\n</head>\n<body>\n<main id="licences">\n<h1>Licences</h1>\n'
        f'<p><a href="index.html">Back to the calculator</a></p>\n{licences_text()}\n</main>\n</body>\n</html>\n'
    )
