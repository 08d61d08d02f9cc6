"""Notebooks from their sources: split a source at its cells, run it top to bottom, write the notebook with its outputs.

`python -m notebooks.build [NAME ...]` writes notebooks/NAME.ipynb for every source notebooks/source/NAME.py, in the
percent format: `# %%` begins a cell of code, `# %% [markdown]` one of text. What changes from run to run is left out.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
SOURCES = tuple(sorted((FOLDER / "source").glob("*.py")))
PATIENCE = 3600
"""Seconds for a kernel to start and to say that it is done; what a cell computes may take as long as it does."""
_TEXT, _CODE = "# %% [markdown]", "# %%"


def notebook_path(source: Path) -> Path:
    return FOLDER / f"{source.stem}.ipynb"


def cells(text: str) -> Iterator[tuple[str, str]]:
    """("markdown" or "code", what is in it), cell by cell."""
    kind, lines = "", list[str]()
    for line in [*text.splitlines(), _CODE]:
        if line not in (_TEXT, _CODE):
            lines.append(line)
            continue
        if kind == "markdown":
            yield kind, "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines).strip()
        elif kind:
            yield kind, "\n".join(lines).strip()
        kind, lines = "markdown" if line == _TEXT else "code", []


def unexecuted(source: Path) -> Any:
    """The notebook without outputs; every cell is named by its number."""
    from nbformat import v4

    made = []
    for number, (kind, content) in enumerate(cells(source.read_text(encoding="utf-8")), start=1):
        new = v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell
        made.append(new(content, id=f"cell-{number}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=made, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def executed(source: Path) -> Any:
    """The notebook with the outputs of a run in a new kernel, in the folder of the notebooks."""
    from nbclient import NotebookClient

    notebook = unexecuted(source)
    metadata = dict(notebook.metadata)
    with _private_folders() as environment:
        client = NotebookClient(
            notebook,
            timeout=None,
            startup_timeout=PATIENCE,
            iopub_timeout=PATIENCE,
            kernel_name="python3",
            resources={"metadata": {"path": str(FOLDER)}},
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
        )
        client.execute(env=environment)
    notebook.metadata = type(notebook.metadata)(metadata)  # the kernel adds its own version
    for cell in notebook.cells:
        cell.metadata.clear()  # times of the run
    return notebook


@contextmanager
def _private_folders() -> Iterator[dict[str, str]]:
    """The environment of a kernel that sees this checkout, one thread, and no settings or files of the user."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("JUPYTER_RUNTIME_DIR")
        os.environ["JUPYTER_RUNTIME_DIR"] = str(Path(folder, "runtime"))
        try:
            yield {
                **{name: value for name, value in os.environ.items() if name != "MPLBACKEND"},
                "IPYTHONDIR": str(Path(folder, "ipython")),
                "MPLCONFIGDIR": str(Path(folder, "matplotlib")),
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": str(FOLDER.parent),
            }
        finally:
            if before is None:
                del os.environ["JUPYTER_RUNTIME_DIR"]
            else:
                os.environ["JUPYTER_RUNTIME_DIR"] = before


def write(source: Path) -> Path:
    """Run a source and replace its notebook, whole or not at all."""
    import nbformat

    text = nbformat.writes(executed(source), version=4)
    path = notebook_path(source)
    draft = path.with_suffix(".draft")
    draft.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def main(names: Sequence[str]) -> int:
    known = {source.stem: source for source in SOURCES}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no notebook is called {unknown[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        print(f"{name} ...", flush=True)
        write(known[name])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
