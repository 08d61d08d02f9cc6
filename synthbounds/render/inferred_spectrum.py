"""What a release says about principal components, and what a plan expects, as blocks of a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from mechanisms.infer.findings import Interval
from mechanisms.infer.spectrum_answer import Component, Spectrum
from mechanisms.infer.spectrum_plan import SpectrumPlan
from synthbounds.render.document import Answer, Block, Bullets, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import ABOUT, KINDS, SPENT, end_text
from synthbounds.render.numbers import json_integer

PROOF = "docs/proofs/synthbounds.noisy-spectrum.md"
_DIGITS, _SHOWN, _WEIGHTS = 12, 3, 6
_SPANS = ("of the angle to the real one", "root of the summed squares, between the spans")
"""Of one component, and of several."""
_OF = {"moments": "second moments", "covariance": "covariance matrix"}
_EXPLAINED = {
    "moments": "the second moments (not centred; --centred asks for the covariance)",
    "covariance": "the variance",
}
_TRACE = {"moments": "second moment", "covariance": "variance"}


def spectrum_blocks(found: Spectrum) -> tuple[Block, ...]:
    """How well the components are known, then each of them, then all eigenvalues."""
    blocks: list[Block] = [Title(f"Principal components of the {_OF[found.of]}", _sentence(found))]
    blocks.append(Answer(tuple(_answer(found))))
    untold = [str(one.place) for one in found.components if not one.is_told]
    if untold:
        blocks.append(
            Vacuous(
                f"component {', '.join(untold)}: at this noise, the gaps to the neighbours do not tell it from them; "
                "what the components explain together is known all the same"
            )
        )
    blocks += [_components(found), _weights(found), _eigenvalues(found), Facts(tuple(_facts(found)))]
    if found.notes:
        blocks.append(Bullets("Notes", found.notes))
    return tuple(blocks)


def spectrum_details(found: Spectrum) -> dict[str, Any]:
    """What is special to spectra; ends are rounded outwards."""
    classical = found.classical
    return {
        "of": found.of,
        "rank": found.rank,
        "columns": list(found.names),
        "divisor": json_integer(found.divisor),
        "n_is_public": found.n_is_public,
        "squared_norm": found.squared_norm,
        "deviation_est": found.deviation,
        "components": [
            {"place": one.place, "weights": list(one.weights), "told": one.is_told, "sine": _up(one.sine.hi)}
            for one in found.components
        ],
        "classical": {
            "radius": _up(classical.radius),
            "sine": _up(classical.sine),
            "span_sine": _up(classical.span_sine),
            "loss": _up(classical.loss),
        },
        "notes": list(found.notes),
        "proof": PROOF,
    }


def spectrum_plan_blocks(plan: SpectrumPlan) -> tuple[Block, ...]:
    """Radii, and a list by gap."""
    first = "component" if plan.rank == 1 else f"{plan.rank} components"
    rows = (
        ("radius", _short(plan.radius), "all real eigenvalues are within this of the noisy ones, at once"),
        ("above", _short(plan.largest_up), "the largest real eigenvalue is at most this far above the noisy one"),
        ("gap", _short(plan.gap_needed), f"after component {plan.rank}, tells the first {first} from the others"),
    )
    at = tuple((show_rational(one.gap), _short(one.sine), _short(one.loss)) for one in plan.at)
    facts = (
        ("Scale", f"features divided by the root of {plan.squared_norm}: eigenvalues add up to at most 1"),
        ("Noise", f"deviation {float(plan.deviation):.3g} of a second moment; {plan.columns} features"),
        ("Level", f"{show_rational(plan.level)}, for every table; gaps are those of the noisy matrix"),
        ("Spent", "nothing: a plan uses public numbers only"),
        ("Proof", PROOF),
    )
    title = Title(
        "Plan of principal components",
        f"the first {first} will be told from the others if the gap after them is more than {_short(plan.gap_needed)}",
    )
    table = Table("By gap", ("gap", "sine at most", "second moment lost at most"), at, right=frozenset({0, 1, 2}))
    return (title, Answer(rows), table, Facts(facts))


def spectrum_plan_details(plan: SpectrumPlan) -> dict[str, Any]:
    return {
        "rank": plan.rank,
        "level": show_rational(plan.level),
        "columns": plan.columns,
        "n": json_integer(plan.size) if plan.n_is_public else None,
        "least_size": None if plan.n_is_public else json_integer(plan.size),
        "squared_norm": plan.squared_norm,
        "deviation": _up(plan.deviation),
        "radius": _up(plan.radius),
        "largest_up": _up(plan.largest_up),
        "gap_needed": _up(plan.gap_needed),
        "at": [{"gap": show_rational(one.gap), "sine": _up(one.sine), "loss": _up(one.loss)} for one in plan.at],
        "proof": PROOF,
    }


def _sentence(found: Spectrum) -> str:
    first = "The first component" if found.rank == 1 else f"The first {found.rank} components"
    verb = "explains" if found.rank == 1 else "explain"
    ends = f"between {_share(found.share_explained.lo, up=False)} and {_share(found.share_explained.hi, up=True)}"
    of = _EXPLAINED[found.of]
    return f"{first} of the noisy matrix {verb} {ends} of {of} of the real table{_lost(found, verb)}."


def _lost(found: Spectrum, verb: str) -> str:
    """As a part of the noisy variance, so it is only approximate; nothing if it could be all of that."""
    whole = Fraction(sum(max(one.estimate or 0.0, 0.0) for one in found.eigenvalues))
    if found.loss.hi is None or found.loss.hi >= whole:
        return ""
    return f"; the best {verb} at most about {_share(found.loss.hi / whole, up=True)} more"


def _answer(found: Spectrum) -> Iterator[tuple[str, str, str]]:
    shared = found.share_explained
    yield (
        "explained",
        f"{end_text(shared.lo, up=False)} to {end_text(shared.hi, up=True)}",
        f"share of the real {_TRACE[found.of]} along the noisy components",
    )
    yield (
        "lost",
        f"at most {end_text(found.loss.hi, up=True)}",
        f"more {_TRACE[found.of]} along the real components; "
        f"{_short(found.classical.loss)} by the norm of the noise only",
    )
    span = found.span_sine
    yield (
        "sine",
        "not told" if span.hi is None else f"at most {end_text(span.hi, up=True)}",
        (
            f"{_SPANS[found.rank > 1]}; {_short(found.classical.span_sine)} by Davis and Kahan"
            if span.hi is not None
            else span.note
        ),
    )


def _components(found: Spectrum) -> Table:
    rows = tuple(
        (
            str(one.place),
            "-" if one.eigenvalue.estimate is None else f"{one.eigenvalue.estimate:.4g}",
            _end(one.eigenvalue, one.eigenvalue.lo, up=False),
            _end(one.eigenvalue, one.eigenvalue.hi, up=True),
            "not told" if one.sine.hi is None else end_text(one.sine.hi, up=True),
        )
        for one in found.components
    )
    columns = ("", "eigenvalue", "from", "to", "sine at most")
    return Table("Components, each on its own", columns, rows, right=frozenset({1, 2, 3, 4}))


def _weights(found: Spectrum) -> Table:
    rows = tuple((str(one.place), ", ".join(_largest(one, found.names))) for one in found.components)
    return Table("Largest weights of the noisy components", ("", "features"), rows)


def _largest(one: Component, names: tuple[str, ...]) -> list[str]:
    ranked = sorted(zip(names, one.weights, strict=True), key=lambda pair: -abs(pair[1]))[:_WEIGHTS]
    return [f"{name} {weight:+.2f}" for name, weight in ranked]


def _eigenvalues(found: Spectrum) -> Table:
    rows = tuple(
        (
            str(place),
            "-" if one.estimate is None else f"{one.estimate:.4g}",
            end_text(one.lo, up=False),
            end_text(one.hi, up=True),
        )
        for place, one in enumerate(found.eigenvalues, 1)
    )
    marked = frozenset(range(found.rank))
    columns = ("", "noisy", "from", "to")
    legend = "the components asked for"
    return Table("Eigenvalues, all at once", columns, rows, right=frozenset({1, 2, 3}), marked=marked, legend=legend)


def _facts(found: Spectrum) -> Iterator[tuple[str, str]]:
    yield "About", ABOUT["table"]
    yield "Level", f"{show_rational(found.level)}, {KINDS['exact']}"
    yield "Ends", "certified, enclosed and rounded outwards; each statement on its own, all eigenvalues at once"
    yield "Gaps", "those of the noisy matrix, checked; if they are too small, nothing is claimed"
    yield "Without privacy", "every interval would have no width: the question is about the table itself"
    yield "Largest", f"at most {end_text(found.largest.hi, up=True)}: one normal quantile above the noisy eigenvalue"
    yield (
        "Radius",
        f"{_short(found.classical.radius)}, the norm of all the noise; deviation of one entry {found.deviation:.3g}",
    )
    yield "Spent", SPENT
    yield "Proof", PROOF


def _end(of: Interval, end: Fraction | None, *, up: bool) -> str:
    return "not told" if end is None and of.note else end_text(end, up=up)


def _share(value: Fraction | None, *, up: bool) -> str:
    return "all" if value is None else f"{decimal_text(100 * value, _SHOWN, up=up) or '0'} %"


def _short(value: Fraction | None) -> str:
    return "nothing" if value is None else decimal_text(value, _SHOWN, up=True) or "0"


def _up(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value, _DIGITS, up=True)
