"""Certificates as files: written only after the independent checker has accepted them, and read to be re-proved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.approximation.approximation_certificate import certificate
from bounds.approximation.cells import LEAST_MARGIN
from bounds.approximation.result import Approximation
from bounds.certify.model_certificate import MODEL
from bounds.enclosure import Undecided
from bounds.errors import DataError, NotCertified, ParameterError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lp.synthesis.run import Synthesis
    from mechanisms.models.certify.from_moments import ModelCertificate
    from release.data.domain import Domain

LARGEST_FILE = 50_000_000
DENSITY = "density"
MOST_CHECKED_AT_ONCE = 10**7
"""Values of queries at points that the checker evaluates in some seconds."""
MARGINS = (LEAST_MARGIN, Fraction(4), Fraction(64), Fraction(1024))
"""Cells get smaller with every try, until the checker's intervals are narrow enough on them."""


@dataclass(frozen=True)
class CheckResult:
    """What the checker said, and the claims it was about."""

    name: str
    valid: bool
    reason: str
    claims: dict[str, Any]
    given: tuple[str, ...] = ()
    """What the file says and the checker takes as given."""


def checked_certificate(found: Approximation) -> str:
    """The certificate as JSON text; never one that the checker rejects."""
    from verify.check_approximation import Rejected, check

    reason = ""
    for margin in MARGINS:
        try:
            text = json.dumps(certificate(found, margin), indent=1) + "\n"
            check(text)
        except (Rejected, Undecided) as error:
            reason = str(error) or "smaller cells could not be closed"
        else:
            return text
    name = found.question.function.name[:60]
    raise NotCertified(f"certificate: for function = {name} the independent checker accepts none ({reason})")


def require_checkable(domain: Domain, given: Mapping[str, object]) -> None:
    """Refuse, before noise is drawn, to write a proof that the checker would not take on."""
    from verify.check_density import MOST_POINTS

    whole = given.get("measure") in (None, "uniform") and given.get("m") is None
    if whole and domain.size > MOST_POINTS:
        raise UsageError(f"certificate: the checker takes domains of up to {MOST_POINTS} points, this one has more")


def checked_density(found: Synthesis) -> str:
    """The proof of a programme's optimum as JSON text; where the checker is quick, never one that it rejects."""
    from verify.check_density import Rejected, check

    note = "" if found.seed is None else "NOT A RELEASE: the targets have noise of a simulation"
    text = found.proof(note) + "\n"
    if found.columns * found.plan.question.family.count <= MOST_CHECKED_AT_ONCE:
        try:
            check(text)
        except Rejected as error:
            raise NotCertified(f"certificate: the independent checker rejects it ({error})") from None
    return text


def checked_model(found: ModelCertificate) -> str:
    """The certificate of a model as JSON text; never one that the checker rejects."""
    from mechanisms.models.certify.evidence import certificate_json
    from verify.check_model import Rejected, check

    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in certificate_json(found).items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    try:
        check(text)
    except Rejected as error:
        raise NotCertified(f"certificate: the independent checker rejects it ({error})") from None
    return text


def require_checkable_loss(loss: str) -> None:
    """Refuse, before the search, a file for a loss that the checker of models does not know."""
    from bounds.certify.loss_balls import margin_function
    from verify.check_model import LOSSES

    if margin_function(loss).text not in LOSSES:
        known = ", ".join(name for name, *_ in LOSSES.values())
        raise ParameterError("loss", loss, known, "the losses that the checker of a --certificate knows")


def check_text(text: str, name: str = "") -> CheckResult:
    """The verdict of the independent checker on a certificate; anything that is not one is rejected."""
    from verify import check_approximation, check_density, check_model

    try:
        claims = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"certificate {name[:80]}: is not JSON") from None
    if not isinstance(claims, dict):
        raise DataError(f"certificate {name[:80]}: is not a JSON object")
    kind, given = claims.get("certificate"), []
    try:
        if kind == MODEL:
            given = check_model.check(text)
        elif kind == DENSITY:
            check_density.check(text)
        else:
            check_approximation.check(text)
    except (check_approximation.Rejected, check_density.Rejected, check_model.Rejected) as error:
        return CheckResult(name, False, str(error), claims)
    except Exception as error:  # whatever a hostile file does to the checker, it has not been proved
        return CheckResult(name, False, f"malformed ({type(error).__name__})", claims)
    return CheckResult(name, True, "", claims, tuple(given))


def check_file(name: str) -> CheckResult:
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"certificate {name[:80]}: is not a regular file")
        if path.is_file() and path.stat().st_size > LARGEST_FILE:
            raise DataError(f"certificate {name[:80]}: is larger than {LARGEST_FILE} bytes")
        return check_text(path.read_text(encoding="utf-8"), name)
    except UnicodeDecodeError:
        raise DataError(f"certificate {name[:80]}: is not text") from None
    except (OSError, ValueError) as error:
        raise DataError(f"certificate {name[:80]}: cannot be read ({error})") from None
