"""The uniform reference measure: every point of a small domain, or points drawn uniformly from a large one.

It ignores the data, so it costs no privacy. It says nothing about how many points are enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from lp.measures import ReferencePoints, collapse
from lp.measures.draws import draw_generator, require_mode, require_points
from release.data.domain import Domain

if TYPE_CHECKING:
    from release.data.domain import Codes

MOST_BOOLEAN_POINTS = 2**26
MOST_OTHER_POINTS = 2**22
"""Domains up to these sizes are taken whole."""


def uniform_points(
    domain: Domain,
    *,
    m: int | None = None,
    mode: str,
    generator: np.random.Generator | None = None,
    most_enumerated: int | None = None,
) -> ReferencePoints:
    """Every point of the domain if it has at most `most_enumerated` of them, else m points drawn uniformly."""
    simulated = require_mode(mode)
    most = most_enumerated
    if most is None:
        most = MOST_BOOLEAN_POINTS if domain.is_boolean else MOST_OTHER_POINTS
    if domain.size <= most:
        return every_point(domain)
    if m is None:
        raise ParameterError(
            "m", m, "given", f"the domain has {count_text(domain.size)} points, above the {most} that are taken whole"
        )
    require_points(m)
    codes = uniform_codes(domain, m, draw_generator(simulated=simulated, generator=generator))
    said = f"{m} points drawn uniformly from {count_text(domain.size)}"
    return collapse(codes, domain, drawn=m, paid=None, description=said)


def every_point(domain: Domain) -> ReferencePoints:
    """The whole domain, without listing it."""
    said = f"every one of the {domain.size} points of the domain"
    return ReferencePoints(codes=None, multiplicity=None, drawn=domain.size, paid=None, description=said)


def uniform_codes(domain: Domain, m: int, generator: np.random.Generator) -> Codes:
    """m points, every code of every attribute equally likely."""
    columns = [generator.integers(size, size=m).astype(domain.code_type) for size in domain.sizes]
    return np.stack(columns, axis=1)


def count_text(count: int) -> str:
    """A count of any size in a few characters."""
    return str(count) if count < 10**9 else f"about 2^{count.bit_length() - 1}"
