"""The two archives from which Python imports inside the page: the standard library and our modules, as bytecode.

Compiling in the browser would take longer than everything else at the start. The bytecode is made by the same Python
that runs in the page, so node is needed; it is kept in build/parts under the digest of its sources.
"""

from __future__ import annotations

import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from bounds.registry import registry_digest
from docs_site.calculator.carried import carried
from docs_site.calculator.parts import FOLDER, pyodide_folder, run_tool
from docs_site.pages import ROOT

HERE = Path(__file__).parent
_STANDARD = """
    __future__ _collections_abc _colorize _opcode_metadata _py_warnings _pyodide _sitebuiltins _strptime _weakrefset abc
    annotationlib argparse ast asyncio base64 bisect bz2 calendar codecs codeop collections compression concurrent
    contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib dis encodings enum fnmatch fractions
    functools genericpath gettext glob graphlib hashlib heapq hmac html importlib inspect io json keyword linecache
    locale logging lzma ntpath numbers opcode operator os pathlib pkgutil platform posixpath pyodide queue random re
    reprlib runpy secrets selectors shlex shutil signal site socket ssl stat statistics string struct subprocess
    tempfile textwrap threading token tokenize traceback types typing warnings weakref zipfile zipimport
"""
STANDARD = frozenset(_STANDARD.split())
"""The part of the standard library that is used; without the rest the page is a megabyte smaller."""
_ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "raw_unicode_escape", "utf_8")
ENCODINGS = frozenset(f"encodings/{name}" for name in _ENCODINGS)


def archives() -> tuple[Path, Path]:
    """The standard library and our modules, compiled."""
    return _compiled(_standard()), _compiled(_ours())


def _standard() -> bytes:
    with zipfile.ZipFile(pyodide_folder() / "python_stdlib.zip") as archive:
        return _zipped({name: archive.read(name) for name in archive.namelist() if _is_standard(name)})


def _is_standard(name: str) -> bool:
    top = name.partition("/")[0].removesuffix(".py")
    return top in STANDARD and name.endswith(".py") and (top != "encodings" or name.removesuffix(".py") in ENCODINGS)


def _ours() -> bytes:
    found = carried()
    facts = f"DIGEST = {registry_digest()!r}\nLEFT_OUT = {found.left_out!r}\n"
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found.files.values()}
    return _zipped({**files, "page_start.py": (HERE / "page_start.py").read_bytes(), "page_facts.py": facts.encode()})


def _zipped(files: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def _compiled(sources: bytes) -> Path:
    script = HERE / "compile.mjs"
    pyodide = pyodide_folder()
    key = sha256(sources + script.read_bytes() + pyodide.name.encode()).hexdigest()[:24]
    kept = FOLDER / f"compiled-{key}.zip"
    if not kept.exists():
        given, made = kept.with_suffix(".from"), kept.with_suffix(".to")
        given.write_bytes(sources)
        run_tool(["node", script, pyodide, given, made], "modules cannot be compiled for the page")
        given.unlink()
        made.replace(kept)
    return kept
