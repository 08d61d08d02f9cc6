"""The claims of the papers and their verdicts, runs of guarantees, audits of mechanisms, figures: all recomputed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import OutputError, UsageError, how_to_install
from bounds.exact import Exact
from bounds.shown import Rows
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from paper_figures.figure import Figure
    from paper_figures.make import Made
    from verify.audit.run import AuditResult
    from verify.audit.subject import Subject
    from verify.export import Export
    from verify.graph import Fallen
    from verify.guarantee import Frequency
    from verify.run import ClaimResult

__all__ = [
    "audit",
    "audit_all",
    "audit_subjects",
    "export_claims",
    "figures",
    "known_figures",
    "read_claims",
    "verify",
    "verify_guarantees",
    "what_falls",
]

_FEW_CLAIMS = 8
"""This few are checked before another process could start."""


def verify(
    *,
    paper: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
    thorough: bool = False,
    progress: Say | None = None,
) -> Rows[ClaimResult]:
    """The claims of a paper, or those whose id is or begins with `id`, each checked now.

    A claim about an experiment is judged by recorded runs; with `thorough`, some of them are repeated, in one process.

    >>> [result.agrees for result in verify(id="bojkovic2024.A5")]
    [True]
    """
    from verify.run import ClaimResult, choose, run_claims
    from verify.spread.workers import HERE, Workers

    usual = 1 if thorough else min(2, os.cpu_count() or 1)  # claims share runs, which a process makes once
    by = Workers.asked(workers, scheduler, certificates, usual=usual)
    claims = choose(paper=paper, claim_id=id)
    if scheduler is None and len(claims) < _FEW_CLAIMS:
        by = HERE
    return Rows(run_claims(claims, workers=by, thorough=thorough, progress=progress), of=ClaimResult)


def verify_guarantees(
    simulate: Exact,
    *,
    id: str | None = None,  # noqa: A002 - the name of the option
    store: str | Path | None = None,
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
    progress: Say | None = None,
) -> Rows[Frequency]:
    """How often guarantees are missed when the algorithm runs `simulate` times. A store keeps finished runs."""
    from synthbounds.api.parameters import VERIFY
    from verify.guarantee import Frequency, guarantees
    from verify.run_guarantees import run_guarantees, store_at
    from verify.spread.workers import Workers

    by = Workers.asked(workers, scheduler, certificates)
    runs = int(VERIFY["simulate"].number(simulate))
    chosen = [g for g in guarantees() if id is None or g.id.startswith(id)]
    if not chosen:
        known = ", ".join(g.id for g in guarantees())
        raise UsageError(f"id = {str(id)[:60]}: must begin the name of a guarantee: {known}")
    kept = None if store is None else store_at(store)
    return Rows(run_guarantees(chosen, runs, store=kept, workers=by, progress=progress), of=Frequency)


def what_falls(falls: str) -> Fallen:
    """What falls with a claim, as the paper argues: whatever uses it, or a place that repeats it.

    >>> "bojkovic2024.III1.probability" in [claim.id for claim in what_falls("bojkovic2024.C.noise-scale").claims]
    True
    """
    from verify.graph import what_falls as answer

    return answer(falls)


def export_claims() -> Export:
    """Everything that the ledger declares, without running it; its `to_text()` gives a file that `read_claims` reads.

    >>> len(export_claims().claims) > 500
    True
    """
    from verify.export import ledger_export

    return ledger_export()


def read_claims(path: str | Path) -> Export:
    """The ledger in a file that `export_claims` made; its claims have no checks."""
    from verify.export import read_export

    return read_export(path)


def audit_subjects() -> Rows[Subject]:
    """The mechanisms that can be audited."""
    from verify.audit.subject import Subject
    from verify.audit.subjects import SUBJECTS

    return Rows(SUBJECTS, of=Subject)


def audit(
    name: str,
    *,
    epsilon: Exact | None = None,
    layer: str | None = None,
    samples: Exact | None = None,
    seed: Exact | None = None,
    progress: Say | None = None,
) -> AuditResult:
    """Whether a mechanism of the papers is as private as it claims: exactly, by densities, or only from samples.

    >>> audit("histogram-half-scale").verdict.value
    'violation'
    """
    from verify.audit.run import audit as answer

    chosen, runs, key = _asked_of_audits(layer, samples, seed)
    if progress is not None:
        progress(f"auditing {name}, layer {chosen}")
    return answer(name, epsilon=epsilon, layer=chosen, samples=runs, seed=key)


def audit_all(
    name: str | None = None,
    *,
    layer: str | None = None,
    samples: Exact | None = None,
    seed: Exact | None = None,
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
    progress: Say | None = None,
) -> Rows[AuditResult]:
    """All subjects that this layer can audit, or those whose names begin with `name`, each at its own epsilon.

    >>> [result.verdict.value for result in audit_all("histogram")]
    ['private', 'violation', 'private']
    """
    from verify.audit.run import AuditResult
    from verify.audit.run import audit_all as answer
    from verify.spread.workers import Workers

    by = Workers.asked(workers, scheduler, certificates)
    chosen, runs, key = _asked_of_audits(layer, samples, seed)
    found = answer(name or "", layer=chosen, samples=runs, seed=key, workers=by, progress=progress)
    return Rows(found, of=AuditResult)


def _asked_of_audits(layer: str | None, samples: Exact | None, seed: Exact | None) -> tuple[str, int, int]:
    from bounds.exact import parse_integer
    from synthbounds.api.parameters import AUDIT

    chosen = AUDIT["layer"].choice(layer)
    if chosen == "exact" and (samples is not None or seed is not None):
        raise UsageError("samples and seed are for --layer ratio and blackbox: the exact layer draws nothing")
    runs, key = AUDIT["samples"].default if samples is None else samples, 0 if seed is None else seed
    return chosen, parse_integer(runs, "samples"), parse_integer(key, "seed")


def known_figures(names: Iterable[str] = ()) -> Rows[Figure]:
    """The figures and tables of the papers with these names, or all.

    >>> [figure.name for figure in known_figures(["zhou2024-figure1a"])]
    ['zhou2024-figure1a']
    """
    from paper_figures.figure import Figure
    from paper_figures.registry import all_figures

    known = all_figures()
    chosen = dict.fromkeys(_known_name(name, list(known)) for name in names)
    return Rows((known[name] for name in chosen or known), of=Figure)


def figures(
    names: Iterable[str] = (),
    *,
    folder: str | Path | None = None,
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
    progress: Say | None = None,
) -> Rows[Made]:
    """Compute and draw figures; data and pictures go into a folder, where existing ones are replaced."""
    from importlib.util import find_spec

    from paper_figures.make import FOLDER, Made, make
    from verify.spread.workers import Workers

    by = Workers.asked(workers, scheduler, certificates)
    chosen = known_figures(names)
    if find_spec("matplotlib") is None:  # before anything is computed
        raise UsageError(f"figures need matplotlib, which is not installed: {how_to_install('figures')}")
    place = FOLDER if folder is None else _folder(str(folder))
    made = []
    answers = by.answers("paper_figures.make:data_of", [figure.name for figure in chosen])
    for number, figure in enumerate(chosen, start=1):
        if progress is not None:
            progress(f"figure {number} of {len(chosen)}: {figure.name}")
        made.append(make(figure, next(answers), place))
    return Rows(made, of=Made)


def _folder(text: str) -> Path:
    """The folder for figures, created before anything is computed."""
    if not text:
        raise OutputError("output = '': give the name of a folder")
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"output = {text[:60]}: is not a folder") from None
    except OSError as error:
        raise OutputError(f"output = {text[:60]}: cannot be created as a folder ({error.strerror})") from None
    except ValueError as error:
        raise OutputError(f"output = {text[:60]!r}: is not a usable name ({error})") from None
    return folder


def _known_name(name: str, known: list[str]) -> str:
    if name in known:
        return name
    from bounds.nearest import did_you_mean

    hint = did_you_mean(name, known, "see `synthbounds figures --list`")
    raise UsageError(f"figure {name[:60]!r} is not known: {hint}")
