"""What can be concluded from noisy moments, at no cost: components, coefficients, edges, and signs of the best model.

One function for each question. Every interval says what it is about, in which sense its level holds, and whether its
ends are certified. A release is an object or its file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact
from synthbounds.api.inferring import level_of, named, opened, require_kind
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from mechanisms.infer.regression.answer import RegressionAnswer
    from mechanisms.infer.regression.edges import EdgesAnswer
    from mechanisms.infer.regression.penalised import LassoAnswer
    from mechanisms.infer.signs import Claim, SignsAnswer
    from mechanisms.infer.spectrum_answer import Spectrum, SpectrumOf
    from mechanisms.models.model import Model
    from release.moments.file import MomentRelease

__all__ = [
    "coefficient_certificate",
    "infer_coefficients",
    "infer_components",
    "infer_edges",
    "infer_lasso",
    "infer_signs",
]

AnyMoments: TypeAlias = "str | Path | MomentRelease"


def infer_components(release: AnyMoments, pca: Exact, *, centred: bool = False, level: Exact | None = None) -> Spectrum:
    """Eigenvalues and the first principal components of the real table; no gap is assumed without a check.

    They are those of second moments with the intercept or, if `centred`, of the covariance matrix.
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.spectrum import spectrum_from_release

    rank = int(INFER_PARAMETERS["pca"].number(pca))
    of: SpectrumOf = "covariance" if centred else "moments"
    with named(pca="rank"):
        return spectrum_from_release(_moments(release), rank=rank, level=level_of(level), of=of)


def infer_coefficients(
    release: AnyMoments,
    ols: str,
    *,
    ridge: Exact | None = None,
    any_formula: bool = False,
    level: Exact | None = None,
) -> RegressionAnswer:
    """The coefficients of least squares on the real table, "y ~ a + b", one by one and all at once, and R squared.

    With `any_formula` the level covers all formulas and ridges, which may be chosen after seeing the release.

    >>> import numpy as np
    >>> import synthbounds as sb
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]] * 900)
    >>> made = sb.release_moments(codes, schema, label="ill", mode="simulate", epsilon=2, dp_delta="1e-6")
    >>> found = infer_coefficients(made, "ill ~ sex")
    >>> found.names, found.certain, bool(found.joint[0].lo < 1 / 2 < found.joint[0].hi)
    (('sex', 'intercept'), 2, True)
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.regression.ask import coefficients_from_release

    weight = None if ridge is None else INFER_PARAMETERS["ridge"].number(ridge)
    return coefficients_from_release(
        _moments(release), ols, ridge=weight, any_formula=any_formula, level=level_of(level)
    )


def infer_lasso(
    release: AnyMoments, ols: str, *, lasso: Exact, any_formula: bool = False, level: Exact | None = None
) -> LassoAnswer:
    """Intervals for all lasso coefficients of the real table, "y ~ a + b", at once, and which of them are surely 0.

    With `any_formula` the level covers all formulas and penalties, which may be chosen after seeing the release.
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.regression.penalised import lasso_from_release

    penalty = INFER_PARAMETERS["lasso"].number(lasso)
    return lasso_from_release(_moments(release), ols, penalty=penalty, any_formula=any_formula, level=level_of(level))


def infer_edges(
    release: AnyMoments,
    *,
    least: Exact | None = None,
    columns: Iterable[str] | None = None,
    level: Exact | None = None,
) -> EdgesAnswer:
    """Which pairs of columns are certainly correlated given all the others, and which by at most `least`.

    If `columns` are named, each pair is given only the rest of them; choose them before seeing the release.
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.regression.edges import edges_from_release

    return edges_from_release(
        _moments(release),
        least=INFER_PARAMETERS["least"].number(least),
        level=level_of(level),
        columns=None if columns is None else list(columns),
    )


def infer_signs(
    release: AnyMoments,
    signs: str | Path | Model,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    intervals: bool = False,
    coefficient: str | None = None,
    level: Exact | None = None,
    with_certificate: bool = False,
    progress: Say | None = None,
) -> SignsAnswer:
    """Signs of the coefficients of the best model of a class on the real table and, with `intervals`, where they lie.

    The class is that of the given model, from `train` or elsewhere; all answers hold simultaneously.
    `with_certificate` refuses, before the search, what `coefficient_certificate` could not write.
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.signs import infer_signs as answer
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.model import read_model

    given = {"tau": tau, "ridge": ridge}
    numbers = {name: INFER_PARAMETERS[name].number(value) for name, value in given.items() if value is not None}
    sure, found = level_of(level), _moments(release)
    names = found.feature_map.names
    if coefficient is not None and coefficient not in names:
        raise ParameterError("coefficient", coefficient[:60], f"one of {', '.join(names)}"[:400])
    model = read_model(signs, found.feature_map) if isinstance(signs, str | Path) else signs
    compared_with = class_for(model, tau=numbers.get("tau"), ridge=numbers.get("ridge"))
    if with_certificate:
        from synthbounds.certificates import require_checkable_loss

        if coefficient is None:
            raise UsageError("certificate: is about one coefficient; name it (--coefficient)")
        require_checkable_loss(compared_with.loss)
    return answer(
        found,
        model,
        compared_with,
        beta=1 - sure,
        features=None if coefficient is None else [coefficient],
        intervals=intervals,
        progress=progress,
    )


def coefficient_certificate(found: SignsAnswer, coefficient: str, claim: Claim = "sign") -> str:
    """The proof of a coefficient's sign, or of its lower or upper end, as JSON text, accepted by the checker."""
    from synthbounds.certificates import checked_coefficient

    return checked_coefficient(found, coefficient, claim)


def _moments(release: AnyMoments) -> MomentRelease:
    from release.moments.file import MomentRelease

    found = opened(release)
    require_kind(found, MomentRelease)
    assert isinstance(found, MomentRelease)
    return found
