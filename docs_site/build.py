"""`python -m docs_site.build [--strict] [--output FOLDER]`: writes the pages, builds the site and checks it.

The Markdown goes to FOLDER/pages and the HTML to FOLDER/site (build/docs by default), with the calculator. With
--strict a warning of mkdocs is an error, and the regression corpus is asked again in the calculator's Python. A broken
link, a file fetched from elsewhere or a formula left as text is always an error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from docs_site.calculator.build import build_calculator, explain_absence, put_into_site
from docs_site.calculator.corpus import CorpusRun, start_corpus
from docs_site.calculator.parts import Missing
from docs_site.check import check_site
from docs_site.navigation import navigation
from docs_site.pages import ROOT, all_pages, copied_files


def write_pages(folder: Path) -> None:
    """All pages and files of the site, and the configuration next to them; earlier files are removed."""
    pages = all_pages()
    files = copied_files()
    source = folder / "pages"
    wanted = {source / place for place in (*pages, *files)}
    for old in [path for path in source.rglob("*") if path.is_file() and path not in wanted]:
        old.unlink()
    for place, text in pages.items():
        _write(source / place, text.encode("utf-8"))
    for place, path in files.items():
        _write(source / place, path.read_bytes())
    write_configuration(folder, navigation(pages))


def write_configuration(folder: Path, nav: list[dict[str, Any]]) -> None:
    """What docs_site/mkdocs.yml cannot know: folders and navigation. JSON is YAML, too."""
    base = os.path.relpath(ROOT / "docs_site" / "mkdocs.yml", folder)
    config = {"INHERIT": base, "docs_dir": "pages", "site_dir": "site", "nav": nav}
    _write(folder / "mkdocs.yml", json.dumps(config, indent=1).encode("utf-8"))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def run_mkdocs(folder: Path, *, strict: bool) -> int:
    """HTML from the pages; the exit code. Not with --quiet, which would also hide warnings from --strict."""
    command = [sys.executable, "-m", "mkdocs", "build", "--clean", "-f", str(folder / "mkdocs.yml")]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"}  # the theme advertises its successor
    return subprocess.run([*command, *(["--strict"] if strict else [])], cwd=ROOT, env=environment).returncode


def build(folder: Path, *, strict: bool) -> int:
    """The site from its sources; the exit code."""
    write_pages(folder)
    corpus = build_page(folder, corpus=strict)
    code = run_mkdocs(folder, strict=strict)
    wrong = corpus_problems(corpus) if corpus else []
    if code:
        return code
    put_into_site(folder)
    report = check_site(folder / "site")
    for problem in (*wrong, *report.broken):
        print(problem, file=sys.stderr)
    print(f"{report.pages} pages, {report.links} links, {len(report.broken)} broken")
    print("\n".join([f"{len(report.external)} external, not followed", *(f"  {link}" for link in report.external)]))
    site = folder / "site"
    print(f"open {site / 'index.html'}; to search it, serve it: python -m http.server --directory {site}")
    return 1 if wrong or report.broken else 0


def build_page(folder: Path, *, corpus: bool) -> CorpusRun | None:
    """The calculator, next to the site; the corpus then runs in its Python while the site is made."""
    try:
        page, _ = build_calculator(folder)
    except Missing as missing:
        explain_absence(folder, str(missing))
        print(f"calculator not built, corpus in its Python not run: {missing}")
        return None
    return start_corpus(page) if corpus else None


def corpus_problems(run: CorpusRun) -> list[str]:
    """Answers that differ from those in the reviewed copy; the count is printed."""
    asked, wrong = run.problems()
    print(f"corpus in the calculator's Python: {asked - len(wrong)} of {asked} identical")
    return wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs_site.build", description="Build the documentation site.")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "docs", help="folder (default build/docs)")
    options = parser.parse_args(arguments)
    return build(options.output.resolve(), strict=options.strict)


if __name__ == "__main__":
    sys.exit(main())
