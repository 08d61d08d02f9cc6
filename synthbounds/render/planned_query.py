"""What the answer to a planned query says, for every report that contains one: its parts, its failures, its JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.certify.gradient import ACROSS_SHARE, LOWER_SHARE, UPPER_SHARE
from bounds.exact import root_at_least, show_rational
from mechanisms.models.confirm.ask import QueryRoute
from synthbounds.render.document import Table
from synthbounds.render.numbers import down, json_enclosure, nearest_text, up

_DIGITS = 4
_SCALE = "gradient of the mean loss, features in the unit ball"


def has_direction(route: QueryRoute) -> bool:
    """Whether the gradient was divided into parts along and across the model, or taken as a whole."""
    return route.confirmation.certificate.compared.tau is not None and any(route.query.coefficients)


def parts_table(route: QueryRoute) -> Table:
    """The breakdown of the bound."""
    found = route.confirmation.certificate
    noise, other = deviation(route), besides(route)
    across = "gradient across the model" if has_direction(route) else "gradient"
    rows = [(across, nearest_text(found.across.midpoint, _DIGITS), f"at most {up(found.across_hi)}")]
    if has_direction(route):
        seen = nearest_text(found.along.midpoint, _DIGITS) if found.along.midpoint else "0"
        rows.insert(0, ("gradient along the model", seen, f"from {down(found.along_lo)} to {up(found.along_hi)}"))
    rows += [
        ("noise of an entry", up(noise), "standard deviation"),
        ("other errors", up(other), "at most: rounding" + (" and the release's noise" if is_assisted(route) else "")),
        ("excess", up(found.observed), f"at most {up(found.bound)}"),
    ]
    return Table(
        f"Where the {up(found.bound)} comes from ({_SCALE})",
        ("part", "observed", "certified"),
        tuple(rows),
        right=frozenset({1}),
    )


def is_assisted(route: QueryRoute) -> bool:
    return bool(route.query.offset or route.query.slope)


def deviation(route: QueryRoute) -> Fraction:
    """Standard deviation of an entry of the noisy gradient, in the unit ball."""
    return _in_ball(route, route.confirmation.certificate.errors.deviation)


def besides(route: QueryRoute) -> Fraction:
    """Every error of the gradient but that noise, in the unit ball."""
    errors = route.confirmation.certificate.errors
    return _in_ball(route, errors.shift + errors.grid)


def _in_ball(route: QueryRoute, size: Fraction) -> Fraction:
    return root_at_least(size**2 / route.query.feature_map.squared_norm) if size else size


def failures(route: QueryRoute) -> dict[str, Fraction]:
    """How the failure probability is divided."""
    whole = route.confirmation.query_failure
    shares = (
        (ACROSS_SHARE, LOWER_SHARE, UPPER_SHARE) if has_direction(route) else (Fraction(1), Fraction(0), Fraction(0))
    )
    across, lower, upper = (whole * share for share in shares)
    return {"across": across, "along_lo": lower, "along_hi": upper, "release": route.confirmation.release_failure}


def failure_text(route: QueryRoute) -> str:
    split = failures(route)
    words = {
        "across": "across the model" if has_direction(route) else "the whole gradient",
        "along_lo": "its lower end along the model",
        "along_hi": "its upper end along the model",
        "release": "the release's own noise",
    }
    listed = ", ".join(f"{words[name]} {show_rational(value)}" for name, value in split.items() if value)
    return f"at most {show_rational(route.failure)}: {listed}"


def line_text(route: QueryRoute) -> str:
    """What was asked, in words."""
    query = route.query
    asked = f"the gradient of the mean {query.loss} loss at this model"
    if not is_assisted(route):
        return f"{asked}, from the table only"
    slope = f" - {show_rational(query.slope)} times the margin" if query.slope else ""
    return f"{asked}, its slopes reduced by the line {show_rational(query.offset)}{slope}, which the release adds back"


def sensitivity_text(route: QueryRoute) -> str:
    return (
        f"one record moves the sum of slopes times features by at most {up(route.query.sensitivity, 6)} in L2, "
        "features in the unit ball"
    )


def route_payload(route: QueryRoute) -> dict[str, Any]:
    """The query and its certificate."""
    query, found = route.query, route.confirmation.certificate
    errors = found.errors
    return {
        "digest": query.digest,
        "model_digest": query.model_digest,
        "reservation": query.release_id,
        "round": query.round,
        "previous": query.previous,
        "loss": query.loss,
        "offset": show_rational(query.offset),
        "slope": show_rational(query.slope),
        "sensitivity": {"norm": "L2", "value": up(query.sensitivity, 25)},
        "mu_squared": up(query.mu_squared, 25),
        "mu_squared_left": down(query.mu_squared_left, 25),
        "left_state": query.left_state,
        "bound": up(route.bound, 25),
        "beta": show_rational(route.failure),
        "failure": {name: show_rational(value) for name, value in failures(route).items()},
        "breakdown": {
            "observed": up(found.observed, 25),
            "along": {
                "observed": json_enclosure(found.along),
                "lo": down(found.along_lo, 25),
                "hi": up(found.along_hi, 25),
            }
            if has_direction(route)
            else None,
            "across": {"observed": json_enclosure(found.across), "hi": up(found.across_hi, 25)},
            "noise_deviation": up(deviation(route), 25),
            "other_errors": up(besides(route), 25),
            "slack": up(errors.slack, 25),
            "scale": _SCALE,
        },
    }
