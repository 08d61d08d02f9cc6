"""What a command has next to its answer when it shows it: files, what pays, what would make a bound smaller.

In Python there are no files; if a document or JSON names one, it gets a word that is taken out again, or None. What
went with the question, such as the release, was noted with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bounds.errors import NotApplicable, UsageError
from bounds.exact import show_rational
from bounds.shown import Asked

if TYPE_CHECKING:
    from fractions import Fraction

    from release.private_release import Release
    from synthbounds.render.document import Document
    from synthbounds.render.inferred import Said

Arguments: TypeAlias = "Callable[[Any, Asked | None], tuple[Any, ...]]"


class NotNoted(UsageError):
    """The answer was not made through `synthbounds`, so what is shown with it was not noted."""


class NoFile(str):
    """A stand-in for a file that a command names."""

    __slots__ = ()


UNWRITTEN = NoFile("not written")
"""Lines that begin with this are left out."""
GIVEN = NoFile("as given")
KEPT = NoFile("in `release` of this answer")


def alone(found: Any, _: Asked | None) -> tuple[Any, ...]:
    return (found,)


def with_files(*files: Any) -> Arguments:
    return lambda found, _: (found, *files)


def reach(found: Any) -> tuple[Any, ...]:
    """How well the best models of other norms do."""
    from synthbounds.api.reach import over_tau

    return (over_tau(found),)


def improvements_and_reach(found: Any) -> tuple[Any, ...]:
    from synthbounds.api.modelling import improvements

    return improvements(found), *reach(found)


def in_context(found: Any, _: Asked | None) -> tuple[Any, ...]:
    from bounds.approximation.context import context

    return found, context(found)


RENYI: tuple[Arguments, Arguments] = (
    lambda found, _: (found, None, None, ""),
    lambda found, _: (found, None, None),
)
PERTURBED: tuple[Arguments, Arguments] = (
    lambda found, _: (None, found.infinite, found.simulation, _setting(found)),
    lambda found, _: (None, found.infinite, found.simulation),
)


def _setting(found: Any) -> str:
    return f"n = {found.n:,}, epsilon = {show_rational(found.epsilon)}"


def of_theorem(found: Any, _: Asked | None) -> tuple[Any, ...]:
    return found, ()


def explained(found: Any, _: Asked | None) -> tuple[Any, ...]:
    return found.theorem, found.values


def verified(results: Any) -> Document:
    from synthbounds.render.verification import verification_document

    return verification_document(results, one=len(results) == 1)


def drawn(made: Any, asked: Asked | None) -> tuple[Any, ...]:
    from paper_figures.make import FOLDER

    return made, Path((asked.said if asked else {}).get("folder", FOLDER))


def _beta(asked: Asked | None) -> Fraction:
    from release.parameters import BETA

    return BETA.number((asked.said if asked else {}).get("beta"))


def moments(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    """With radii, if a probability was given for them."""
    from mechanisms.models.event import Radii

    said = asked is not None and "beta" in asked.said
    return found, UNWRITTEN, Radii.of(found, _beta(asked)) if said else None


def floors(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    from release.floors.intervals import floor_intervals

    return found, floor_intervals(found, _beta(asked)), UNWRITTEN


def compared(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    return found, UNWRITTEN, GIVEN, _beta(asked)


def plan_of(found: Any, _: Asked | None) -> tuple[Any, ...]:
    return found.plan, found.solved, found.target


def _stood(asked: Asked | None, name: str) -> Any:
    """What was given under that name."""
    if asked is None or asked.beside.get(name) is None:
        raise NotNoted(f"{name} is missing: ask through `synthbounds`, as in sb.certify, which notes what was asked")
    return asked.beside[name]


def _release(asked: Asked | None) -> Release:
    from synthbounds.api.releases import open_release

    given = _stood(asked, "release")
    found: Release = open_release(given) if isinstance(given, str | Path) else given
    return found


def _query(asked: Asked | None) -> Any:
    from synthbounds.api.confirming import query_for

    query = _stood(asked, "query")
    return query_for(query, _release(asked)) if isinstance(query, str | Path) else query  # type: ignore[arg-type]


def asked_again(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    from synthbounds.api.confirming import model_for

    release, model = _release(asked), _stood(asked, "model")
    if isinstance(model, str | Path):
        model = model_for(str(model), release)  # type: ignore[arg-type]
    return found, _query(asked), release, model


def scored_by(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    return found, _release(asked)


def scored_again(found: Any, release: Any) -> dict[str, Any]:
    from synthbounds.render.any_model import scored_payload

    return {**scored_payload(found, release), "by_query": True}


def _confirm_files(asked: Asked | None) -> Any:
    from synthbounds.render.query_cost import ConfirmFiles

    previous = None if asked is None or asked.beside.get("previous") is None else GIVEN
    return ConfirmFiles(GIVEN, GIVEN, GIVEN, UNWRITTEN, previous)


def confirmed(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    return found, _confirm_files(asked)


def scored_now(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    return found.scored, found.booking.payer.release, _confirm_files(asked), found.half_width


def regressed(found: Any, asked: Asked | None) -> tuple[Any, ...]:
    from mechanisms.regression.instead import trained_instead
    from synthbounds.api.regressing import regression_excess
    from synthbounds.render.regression import Files

    excess = found.__dict__.get("_excess")  # kept: it takes long, and every form shows it
    if excess is None:
        excess = regression_excess(found, beta=(asked.said if asked else {}).get("beta"))
        object.__setattr__(found, "_excess", excess)
    files = Files(UNWRITTEN, None if found.release is None else KEPT)
    return found, excess, files, trained_instead(found)


def improved(found: Any, _: Asked | None) -> tuple[Any, ...]:
    from synthbounds.render.improvement import Files

    return found, Files(GIVEN, GIVEN, None, None)


@dataclass(frozen=True)
class _Question:
    """One question of `infer`: its name, and which functions make its blocks and details."""

    name: str
    module: str
    stem: str

    def said(self, found: Any, *more: Any) -> Said:
        from synthbounds.render.inferred import Said

        words = import_module(f"synthbounds.render.{self.module}")
        name = "fit" if getattr(found, "question", None) == "fit" else self.name
        blocks, details = getattr(words, f"{self.stem}_blocks"), getattr(words, f"{self.stem}_details")
        conclusions = getattr(found, "conclusions", ())
        return Said(question=name, blocks=blocks(found, *more), details=details(found, *more), conclusions=conclusions)


def inferred(name: str, module: str, stem: str) -> Arguments:
    def these(found: Any, asked: Asked | None) -> tuple[Any, ...]:
        question, release = _Question(name, module, stem), _release(asked)
        real = _of_real_table(asked, release) if getattr(found, "question", None) == "independence" else None
        if real is None:
            return question.said(found), release
        said = question.said(found, real)
        return replace(said, conclusions=(*said.conclusions, *real.conclusions)), release

    return these


def _of_real_table(asked: Asked | None, release: Any) -> Any:
    """What the command adds to a test of independence: what the same test would find on the real table."""
    from synthbounds.api.inferring import would_real_table_reject

    said = asked.said if asked else {}
    try:
        return would_real_table_reject(release, said["chi2"], level=said.get("level"))
    except NotApplicable:
        return None


def planned(name: str, module: str, stem: str) -> Arguments:
    return lambda found, _: (_Question(name, module, stem).said(found), None)


def said_document(said: Said, release: Any) -> Document:
    return said.document(release)


def inferred_payload(said: Said, release: Any) -> dict[str, Any]:
    return said.payload(release)


def planned_payload(said: Said, _: Any) -> dict[str, Any]:
    return said.plan_payload()
