"""A polynomial near a function, and its certificate, which is returned only if the independent checker accepts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.exact import Exact

if TYPE_CHECKING:
    from bounds.approximation.result import Approximation

__all__ = ["approximate", "certificate", "require_certifiable"]


def approximate(
    function: str,
    *,
    interval: str | tuple[Exact, Exact],
    degree: Exact,
    method: str = "minimax",
    marginal_error: Exact | None = None,
) -> Approximation:
    """A polynomial near a function, with enclosures of its error, coefficients and coefficient sum.

    Methods: minimax, optimal (with marginal_error), chebyshev, interpolation, bernstein, iterated:H, iterated:inf,
    iterated:best. The function is a name such as logistic or huber:1/2, or an expression such as "log(1+exp(-x))".

    >>> answer = approximate("logistic", interval=(-5, 5), degree=4)
    >>> answer.error.decimal(12)
    ('0.0202313079384', '0.0202313079385')
    >>> approximate("logistic", interval=(-5, 5), degree=4, method="iterated:best").method
    'iterated:16'
    """
    from bounds.approximation.approximate import approximate as answer

    for name, value in (("function", function), ("interval", interval), ("degree", degree)):
        if value is None:
            raise UsageError(f"{name} is missing: give --{name}")
    return answer(function, interval=interval, degree=degree, method=method, marginal_error=marginal_error)


def require_certifiable(degree: Exact) -> None:
    """Refuse, before the search, a degree that the checker does not take."""
    from bounds.approximation.approximation_certificate import require_certifiable as check
    from bounds.exact import parse_integer

    check(parse_integer(degree, "degree"))


def certificate(answer: Approximation) -> str:
    """A certificate as JSON text, accepted by the independent checker before it is returned.

    >>> from synthbounds import check_certificate
    >>> check_certificate(certificate(approximate("hinge", interval="-2,2", degree=3)))
    True
    """
    from synthbounds.certificates import checked_certificate

    return checked_certificate(answer)
