"""How every question of `infer` is asked and planned: from options to a function, from answers to blocks and JSON."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from bounds.errors import NotApplicable, UsageError
from synthbounds.api import inferring, moment_inferences, planned_inferences
from synthbounds.cli.outcome import call
from synthbounds.render.inferred import Said

if TYPE_CHECKING:
    from release.private_release import Release
    from synthbounds.api.tables import Say

Ask: TypeAlias = "Callable[[argparse.Namespace, Release, Say | None], tuple[Any, Said]]"
"""What was found, and how it is said."""
Plan: TypeAlias = "Callable[[argparse.Namespace], Said]"


def _proportion(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_shares import shares_blocks, shares_details

    found = call(inferring.infer_proportion, options, release=release)
    return found, _said("proportion", found, shares_blocks(found), shares_details(found))


def _independence(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    """The test, and what is known about the same test on the real table."""
    from synthbounds.render.inferred_tests import chi_square_blocks, chi_square_details

    found = call(inferring.infer_independence, options, release=release)
    try:
        real = call(inferring.would_real_table_reject, options, release=release)
    except NotApplicable:  # by its noise; the test itself has been answered
        real = None
    said = _said("chi2", found, chi_square_blocks(found, real), chi_square_details(found, real))
    return found, said if real is None else replace(said, conclusions=(*found.conclusions, *real.conclusions))


def _fit(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_tests import chi_square_blocks, chi_square_details

    found = call(inferring.infer_fit, options, release=release)
    return found, _said("fit", found, chi_square_blocks(found), chi_square_details(found))


def _components(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_spectrum import spectrum_blocks, spectrum_details

    found = call(moment_inferences.infer_components, options, release=release)
    return found, _said("pca", found, spectrum_blocks(found), spectrum_details(found))


def _coefficients(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_lasso import lasso_blocks, lasso_details
    from synthbounds.render.inferred_regression import regression_blocks, regression_details

    if options.lasso is not None:
        if options.ridge is not None:
            raise UsageError("lasso and ridge are two penalties: give one")
        shrunk = call(moment_inferences.infer_lasso, options, release=release)
        return shrunk, _said("ols", shrunk, lasso_blocks(shrunk), lasso_details(shrunk))
    found = call(moment_inferences.infer_coefficients, options, release=release)
    return found, _said("ols", found, regression_blocks(found), regression_details(found))


def _edges(options: argparse.Namespace, release: Release, _: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_edges import edges_blocks, edges_details

    found = call(moment_inferences.infer_edges, options, release=release)
    return found, _said("edges", found, edges_blocks(found), edges_details(found))


def _signs(options: argparse.Namespace, release: Release, say: Say | None) -> tuple[Any, Said]:
    from synthbounds.render.inferred_signs import signs_blocks, signs_details

    proved = options.certificate is not None
    found = call(moment_inferences.infer_signs, options, release=release, with_certificate=proved, progress=say)
    return found, _said("signs", found, signs_blocks(found), signs_details(found))


def _said(question: str, found: Any, blocks: Any, details: dict[str, Any]) -> Said:
    return Said(question=question, blocks=blocks, details=details, conclusions=found.conclusions)


ASKS: dict[str, Ask] = {
    "proportion": _proportion,
    "chi2": _independence,
    "fit": _fit,
    "pca": _components,
    "ols": _coefficients,
    "edges": _edges,
    "signs": _signs,
}


def _plan_proportion(options: argparse.Namespace) -> Said:
    from synthbounds.render.inferred_shares import shares_plan_blocks, shares_plan_details

    found = call(planned_inferences.plan_proportion, options)
    return Said(question="proportion", blocks=shares_plan_blocks(found), details=shares_plan_details(found))


def _plan_independence(options: argparse.Namespace) -> Said:
    from synthbounds.render.inferred_tests_plan import chi_square_plan_blocks, chi_square_plan_details

    found = call(planned_inferences.plan_independence, options)
    return Said(question="chi2", blocks=chi_square_plan_blocks(found), details=chi_square_plan_details(found))


def _plan_components(options: argparse.Namespace) -> Said:
    from synthbounds.render.inferred_spectrum import spectrum_plan_blocks, spectrum_plan_details

    found = call(planned_inferences.plan_components, options)
    return Said(question="pca", blocks=spectrum_plan_blocks(found), details=spectrum_plan_details(found))


def _plan_coefficients(options: argparse.Namespace) -> Said:
    from synthbounds.render.inferred_regression_plan import regression_plan_blocks, regression_plan_details

    found = call(planned_inferences.plan_coefficients, options)
    return Said(question="ols", blocks=regression_plan_blocks(found), details=regression_plan_details(found))


PLANS: dict[str, Plan] = {
    "proportion": _plan_proportion,
    "chi2": _plan_independence,
    "pca": _plan_components,
    "ols": _plan_coefficients,
}
