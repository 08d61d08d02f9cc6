"""What can be concluded from noisy tables, at no cost: shares, and tests of independence and fit.

One function for each question. Every interval says what it is about, in which sense its level holds, and whether its
ends are certified. A release is an object or its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import Exact
from synthbounds.api.comparisons import open_synthetic
from synthbounds.api.releases import open_release

if TYPE_CHECKING:
    from fractions import Fraction

    from mechanisms.infer.chi_square.answers import ChiSquareTest, RealTableVerdict
    from mechanisms.infer.chi_square.share_file import Shares
    from mechanisms.infer.shares.ask import ProportionAnswer
    from release.data.source import Records
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals
    from release.private_release import Release

__all__ = [
    "infer_fit",
    "infer_independence",
    "infer_proportion",
    "would_real_table_reject",
]

AnyRelease: TypeAlias = "str | Path | Release"


def infer_proportion(
    release: AnyRelease,
    proportion: str,
    *,
    given: str | None = None,
    difference: str | None = None,
    odds_ratio: bool = False,
    synthetic: str | Path | Records | None = None,
    ignore_extra: bool = False,
    level: Exact | None = None,
) -> ProportionAnswer:
    """The share of records with a value, "COLUMN=VALUE" or "COLUMN=V1|V2", in the table and in the population.

    `given` restricts it to a group; `difference` compares two groups, `odds_ratio` also by their odds. With
    `synthetic`, the rows of a finished table, the release is one of its distance or its errors, and nothing else is
    used.

    >>> import numpy as np
    >>> import synthbounds as sb
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]] * 300)
    >>> made = sb.release_marginals(codes, schema, mode="simulate", epsilon=2, dp_delta="1e-6")
    >>> found = infer_proportion(made, "ill=yes").conclusions[0]
    >>> found.about, found.kind, bool(found.lo < 2 / 3 < found.hi)
    ('table', 'exact', True)
    """
    from mechanisms.infer.shares.ask import ask_proportion, ask_proportion_of_rows

    sure = level_of(level)
    if synthetic is None:
        if ignore_extra:
            raise UsageError("ignore-extra is for --synthetic: a release has no further columns")
        return ask_proportion(
            _tables(release),
            proportion=proportion,
            given=given,
            difference=difference,
            odds_ratio=odds_ratio,
            level=sure,
        )
    from release.accuracy.file import AccuracyRelease
    from release.comparison.make import read_synthetic_codes
    from release.distance.file import DistanceRelease
    from release.log.file import MarginalLog

    more = {"given": given, "difference": difference, "odds-ratio": odds_ratio or None}
    for name, value in more.items():
        if value is not None:
            raise UsageError(
                f"{name} is for noisy tables: from the rows of a finished table, only a share is certified"
            )
    found = opened(release)
    require_kind(found, AccuracyRelease, DistanceRelease, MarginalLog)
    assert isinstance(found, AccuracyRelease | DistanceRelease | MarginalLog)
    codes = read_synthetic_codes(open_synthetic(synthetic, found.schema, ignore_extra=ignore_extra), found.schema)
    return ask_proportion_of_rows(found, codes, proportion=proportion, level=sure)


def infer_independence(
    release: AnyRelease,
    chi2: str | tuple[str, str],
    *,
    simulate: Exact | None = None,
    seed: Exact | None = None,
    level: Exact | None = None,
) -> ChiSquareTest:
    """Are two columns, "A:B" or ("A", "B"), independent in the population? Chi-square with its own noise.

    The answer has p-values, effect and power. `simulate` is the number of tables drawn for the p-value to quote.

    >>> import numpy as np
    >>> import synthbounds as sb
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]] * 300)
    >>> made = sb.release_marginals(codes, schema, mode="simulate", epsilon=2, dp_delta="1e-6")
    >>> found = infer_independence(made, "sex:ill", simulate=99)
    >>> found.rejects, found.simulated.value
    (True, 0.01)
    """
    from mechanisms.infer.chi_square.independence import independence_test
    from mechanisms.infer.chi_square.showing import read_pair

    found = _tables(release)
    count, drawn = _drawn(simulate, seed)
    pair = read_pair(chi2, found.schema)
    return independence_test(found, pair, level=level_of(level), simulations=count, seed=drawn)


def would_real_table_reject(
    release: AnyRelease, chi2: str | tuple[str, str], *, level: Exact | None = None
) -> RealTableVerdict:
    """Would Pearson's test of two columns, "A:B", on the real table reject, whatever the noise within its ellipsoid?"""
    from mechanisms.infer.chi_square.real_table import would_real_table_reject as answer
    from mechanisms.infer.chi_square.showing import read_pair

    found = _tables(release)
    return answer(found, read_pair(chi2, found.schema), level=level_of(level))


def infer_fit(
    release: AnyRelease,
    fit: str | Path | Shares,
    *,
    simulate: Exact | None = None,
    seed: Exact | None = None,
    level: Exact | None = None,
) -> ChiSquareTest:
    """Does the population have these shares of a column, or of the cells of two? A CSV or JSON file has every value."""
    from mechanisms.infer.chi_square.fit import fit_test
    from mechanisms.infer.chi_square.share_file import read_shares

    found = _tables(release)
    count, drawn = _drawn(simulate, seed)
    shares = read_shares(fit, found.schema) if isinstance(fit, str | Path) else fit
    return fit_test(found, shares, level=level_of(level), simulations=count, seed=drawn)


@contextmanager
def named(**names: str) -> Iterator[None]:
    """Report an error about a parameter under the name that it has here, not under the one below."""
    try:
        yield
    except ParameterError as error:
        ours = next((ours for ours, below in names.items() if below == error.name), error.name)
        raise ParameterError(ours, error.value, error.allowed, error.reason) from None


def level_of(level: Exact | None) -> Fraction:
    from mechanisms.infer.parameters import LEVEL

    return LEVEL.number(level)


def _drawn(simulate: Exact | None, seed: Exact | None) -> tuple[int, int]:
    """How many tables, and the seed of their noise."""
    from mechanisms.infer.parameters import INFER_PARAMETERS

    return int(INFER_PARAMETERS["simulate"].number(simulate)), int(INFER_PARAMETERS["seed"].number(seed))


def opened(release: AnyRelease) -> Release:
    from mechanisms.infer.parameters import INFER_PARAMETERS

    INFER_PARAMETERS["release"].require(release)
    return open_release(release) if isinstance(release, str | Path) else release


def _tables(release: AnyRelease) -> Marginals | MarginalLog:
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals

    found = opened(release)
    require_kind(found, Marginals, MarginalLog)
    assert isinstance(found, Marginals | MarginalLog)
    return found


def require_kind(release: Release, *kinds: type[Release]) -> None:
    if not isinstance(release, kinds):
        known = " or ".join(f'"{kind.KIND}"' for kind in kinds)
        kind = getattr(release, "KIND", type(release).__name__)
        raise DataError(f'release: kind = "{kind}": must be {known} for this question')
