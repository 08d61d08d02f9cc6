"""The page for people that --report names: refused early if it cannot be made, and never at the cost of a release."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import OutOfMemory, OutputError, SynthboundsError, Unforeseen, UsageError

if TYPE_CHECKING:
    from release.spending import InAccount
    from synthbounds.cli.outcome import Outcome
    from synthbounds.report.sheet import Sheet

SUFFIXES = (".html", ".htm")
COMPLETE = "the files of the release are complete; only this page is missing"


def require_page(options: argparse.Namespace) -> None:
    """Refuse, before anything is computed, a name that no browser would open."""
    said = getattr(options, "report", None)
    if said is not None and not said.lower().endswith(SUFFIXES):
        raise UsageError(f"report = {said[:60]}: must end in .html or .htm, as the report is a page")


def page_of(outcome: Outcome, options: argparse.Namespace) -> bytes | None:
    """The page; None if none was asked for."""
    if getattr(options, "report", None) is None:
        return None
    from synthbounds.report.file_names import names_only
    from synthbounds.report.frame import plain_sheet, with_warnings
    from synthbounds.report.html import render_html
    from synthbounds.report.spending import without_account

    sheet = plain_sheet(outcome.document()) if outcome.report is None else outcome.report()
    if outcome.spent and options.account is None:
        sheet = without_account(sheet)
    declared = options.declared.parameters
    inputs = {
        name: Path(said).name if name in declared and declared[name].kind == "file" else said
        for name, said in outcome.inputs.items()
    }  # a page does not say where files are
    inputs |= {name: "" for name in inputs if getattr(options, name, None) is True}  # for a flag, its name is enough
    framed = with_warnings(sheet, outcome.warnings, command=options.command, inputs=inputs)
    framed = names_only(framed, _files(options))
    return render_html(framed).encode("utf-8", "backslashreplace")


def _files(options: argparse.Namespace) -> list[str]:
    """Every file that the command line names, including those in lists."""
    found: list[str] = []
    for name, parameter in options.declared.parameters.items():
        said = getattr(options, name, None)
        if parameter.kind == "file" and said:
            found.append(str(said))
        elif parameter.kind == "list":
            found += [one for one in said or () if isinstance(one, str) and Path(one).is_file()]
    return found


def write_page_after_files(outcome: Outcome, options: argparse.Namespace) -> None:
    """What was paid for is already in its files; any error says so."""
    from release.files.outputs import Outputs
    from release.spending import SPENT

    try:
        page = page_of(outcome, options)
        if page is not None:
            with Outputs(force=options.force) as outputs:
                outputs.add(options.report, page, name="report")
    except SynthboundsError as error:
        error.args = (f"{error}; {COMPLETE}",)
        raise
    except OSError as error:
        raise OutputError(f"report: cannot be written ({error.strerror}); {COMPLETE}") from None
    except MemoryError:
        raise OutOfMemory(f"memory ran out; {COMPLETE}") from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; {COMPLETE} ({SPENT})") from None
    except Exception as error:  # its text may show what the page must not
        raise Unforeseen(f"a bug of ours: {type(error).__name__}; {COMPLETE}") from None


def booked_sheet(outcome: Outcome, found: InAccount) -> Sheet:
    """The sheet with what is left of the account."""
    from synthbounds.report.spending import with_account

    assert outcome.report is not None
    return with_account(outcome.report(), found)
