"""What `synth` takes beside what its linear programme takes, and which method each option belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bounds.errors import UsageError
from bounds.parameter import Parameter, Range
from release.parameters import RELEASE_PARAMETERS

AUTO, MOMENTS, LP, INDEPENDENT = "auto", "moments", "lp", "independent"
METHODS = (MOMENTS, LP, INDEPENDENT)
GROUP = "how the table is made"

METHOD = Parameter(
    "method",
    GROUP,
    "moments (one-way tables and products of columns; needs a delta), lp (promises an error in advance), independent "
    "(one-way tables alone), or auto (default: by public facts)",
    "choice",
    choices=(AUTO, *METHODS),
    default=AUTO,
)
LABEL = replace(
    RELEASE_PARAMETERS["label"],
    group=GROUP,
    text="moments: a column whose relations to the others get less noise; models of it can be certified",
)
DISTANCE_SHARE = Parameter(
    "distance",
    GROUP,
    "moments, with a label: share of the budget (of mu^2) for how far the finished table is from the real one",
    "rational",
    Range(above=0, below=1, reason="a share"),
    metavar="SHARE",
)
RELEASE_FILE = Parameter(
    "release",
    "",
    "where the noisy numbers behind the table go, for `certify` and `train`",
    "file",
    metavar="FILE",
    role="written",
    otherwise="beside the table, as its name with .release.json; not for lp",
)

_ONLY_LP = (
    "accuracy",
    "family",
    "degree",
    "measure",
    "m",
    "rows",
    "solver",
    "variant",
    "lipschitz",
    "cells_per_axis",
    "bernstein_degree",
    "bernstein_order",
    "bandwidth",
    "certificate",
    "anyway",
    "exact",
)
TAKEN_BY: dict[str, tuple[str, ...]] = dict.fromkeys(_ONLY_LP, (LP,)) | {
    "label": (MOMENTS,),
    "distance": (MOMENTS,),
    "mechanism": (LP, INDEPENDENT),
    "release": (MOMENTS, INDEPENDENT),
}
"""Options that not every method takes."""


def takers(given: Iterable[str]) -> tuple[tuple[str, ...], str | None]:
    """The methods that take all of these options, and the last option that left out one."""
    left: tuple[str, ...] = METHODS
    deciding = None
    for name in given:
        if name in TAKEN_BY and not set(left) <= set(TAKEN_BY[name]):
            left, deciding = tuple(method for method in left if method in TAKEN_BY[name]), name
    return left, deciding


def require_taken(method: str, given: Iterable[str]) -> None:
    """Refuse by name an option of another method."""
    for name in given:
        if method not in TAKEN_BY.get(name, METHODS):
            option = name.replace("_", "-")
            raise UsageError(f"{option} is for --method {' or '.join(TAKEN_BY[name])}, not for {method}")


def keeps_release(method: str | None, given: Iterable[str]) -> bool:
    """Whether the noisy numbers may go to a file of their own: not where the linear programme makes the table."""
    left, _ = takers(given)
    return method != LP and left != (LP,)
