"""The named quantities that formulas read, in whichever arithmetic is in use.

Base quantities are given; derived ones are computed on first use and remembered. The table of symbols is the
one place that says what a name means, which numbers it may be and how it is typeset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Formula


class Kind(Enum):
    """The numbers a quantity may be; all are at most 1e100 in absolute value."""

    SIZE = "at least 0"
    SIGNED = "any"
    PROBABILITY = "strictly between 0 and 1"
    COUNT = "whole, from 1"
    DEGREE = "whole, from 1; formulas need its factorial"


@dataclass(frozen=True)
class Symbol:
    latex: str
    meaning: str
    kind: Kind = Kind.SIZE


SYMBOLS: dict[str, Symbol] = {
    "epsilon": Symbol(r"\varepsilon", "privacy parameter"),
    "dp_delta": Symbol(r"\delta_{\mathrm{DP}}", "privacy parameter of (epsilon, delta)-privacy", Kind.PROBABILITY),
    "delta": Symbol(r"\delta", "accuracy parameter; the promise is 8 delta"),
    "gamma": Symbol(r"\gamma", "failure parameter", Kind.PROBABILITY),
    "p": Symbol("p", "number of attributes"),
    "t": Symbol("t", "number of levels of each attribute"),
    "degree": Symbol("d", "largest number of attributes in one query"),
    "N": Symbol(r"|\Omega|", "number of points of the domain, t^p", Kind.COUNT),
    "F": Symbol(r"|\mathcal{F}|", "number of queries", Kind.COUNT),
    "F_varying": Symbol("F'", "number of queries that are not constant", Kind.COUNT),
    "R": Symbol("R", "width of the range of every query"),
    "Delta_1": Symbol(r"\Delta_1", "L1 sensitivity of the sums of all queries", Kind.COUNT),
    "Delta_2_squared": Symbol(r"\Delta_2^2", "squared L2 sensitivity of the sums of all queries", Kind.COUNT),
    "contrast_gain": Symbol(r"G_{\mathrm{c}}", "largest change of an answer by noise on sign contrasts, over its size"),
    "contrast_scatter": Symbol(
        r"\Sigma_{\mathrm{c}}",
        "largest variance of an answer times squared sensitivity, Gaussian noise on contrasts",
    ),
    "stretch": Symbol("c", "factor by which the largest noise grows when answers are made consistent"),
    "one_F_varying": Symbol("F'_1", "number of one-way queries", Kind.COUNT),
    "one_R": Symbol("R_1", "width of the range of every one-way query"),
    "one_Delta_1": Symbol(r"\Delta_{1,1}", "L1 sensitivity of the sums of the one-way queries", Kind.COUNT),
    "one_Delta_2_squared": Symbol(
        r"\Delta_{2,1}^2", "squared L2 sensitivity of the sums of the one-way queries", Kind.COUNT
    ),
    "one_rank": Symbol("r_1", "affine dimension of the vectors of one-way answers", Kind.COUNT),
    "one_contrast_gain": Symbol(
        r"G_{\mathrm{c},1}", "largest change of a one-way answer by noise on sign contrasts, over its size"
    ),
    "one_contrast_scatter": Symbol(
        r"\Sigma_{\mathrm{c},1}",
        "largest variance of a one-way answer times squared sensitivity, Gaussian noise on contrasts",
    ),
    "one_stretch": Symbol("c_1", "factor by which the largest noise grows when one-way tables are made consistent"),
    "plain": Symbol(r"\kappa_d", "largest distance of the product of exact one-way tables from the truth"),
    "centred": Symbol("c_d", "largest distance of that product for columns moved to the middle of the possible values"),
    "rank": Symbol("r", "affine dimension of the vectors of answers", Kind.COUNT),
    "packing": Symbol("M_0", "number of points that the one-way queries tell apart, less one"),
    "tables": Symbol("T", "number of small tables that the queries tell apart, less one", Kind.COUNT),
    "table_rows": Symbol("r", "number of records of a small table", Kind.COUNT),
    "table_gap": Symbol(r"\theta", "least difference of two small tables over the range of a query"),
    "unbiased_factor": Symbol(r"\nu", "least noise of unbiased answers: the nuclear norm of the family"),
    "steps": Symbol("w", "number of equal steps in the range of a one-way query"),
    "s": Symbol("s", "change of all counts together by one record: 2 replace-one, 1 add/remove"),
    "tau1": Symbol(r"\tau_1", "least probability of a domain point"),
    "tau2": Symbol(r"\tau_2", "largest probability of a domain point"),
    "tau": Symbol(r"\tau", "infimum of the density"),
    "L": Symbol("L", "Lipschitz constant of the density"),
    "nu_max": Symbol(r"\|\nu\|_\infty", "supremum of the density"),
    "K": Symbol("K", "bound on the Rényi condition number"),
    "rho": Symbol(r"\rho", "bound on the density ratio of target and reference measure"),
    "n": Symbol("n", "number of records", Kind.COUNT),
    "m": Symbol("m", "number of reference points", Kind.COUNT),
    "k": Symbol("k", "number of synthetic rows", Kind.COUNT),
    "observed": Symbol("v_Y", "observed distance to the noisy answers"),
    "sigma": Symbol(r"\sigma", "scale of Laplace noise"),
    "count": Symbol(r"\ell", "number of independent variables", Kind.COUNT),
    "tv": Symbol(r"\mathrm{TV}", "total variation distance"),
    "p_min": Symbol(r"p_{\min}", "least probability of the first distribution"),
    "q_min": Symbol(r"q_{\min}", "least probability of the second distribution"),
    "gap": Symbol(r"(q-p)_{\max}", "largest excess of the second probability over the first"),
    "alpha": Symbol(r"\alpha", "order of a Rényi divergence", Kind.SIGNED),
    "beta": Symbol(r"\beta", "least ratio of the second to the first distribution"),
    "tv2": Symbol(r"\mathrm{TV}_2", "second total variation distance"),
    "beta2": Symbol(r"\beta_2", "second least ratio"),
    "D_first": Symbol(r"D_{2\alpha}", "Rényi divergence of order 2 alpha", Kind.SIGNED),
    "D_second": Symbol(r"D_{2\alpha-1}", "Rényi divergence of order 2 alpha - 1", Kind.SIGNED),
    "deviation": Symbol("a", "deviation in L1"),
    "D": Symbol("D", "degree of a polynomial", Kind.DEGREE),
    "half_degree": Symbol(r"\ell", "half the degree of an even polynomial", Kind.DEGREE),
    "omega": Symbol(r"\omega", "modulus of continuity of f at (b - a)/sqrt(D)"),
    "slope": Symbol(r"\mathrm{Lip}(f)", "Lipschitz constant of a function f"),
    "curvature": Symbol(r"\mathrm{Lip}(f')", "Lipschitz constant of the derivative of f"),
    "norm": Symbol(r"\|f\|", "largest absolute value of f on the interval"),
    "width": Symbol("(b-a)", "length of the interval [a, b]"),
    "left": Symbol("|a|", "distance of the left end a <= 0 from 0"),
    "right": Symbol("b", "right end of the interval, b >= 0"),
    "radius": Symbol("R", "right end of the interval [-R, R]; for models, the largest |w|_1"),
    "features": Symbol("m", "number of features of a record, without the label", Kind.COUNT),
    "levels": Symbol("l", "largest number of levels of an attribute", Kind.COUNT),
    "order": Symbol("d", "order of the marginals: attributes in one of them, including the label", Kind.DEGREE),
    "marginal_error": Symbol("s", "largest L1 distance of a marginal of real and synthetic data, as shares of records"),
    "failure": Symbol(r"\beta", "failure probability", Kind.PROBABILITY),
    "at_zero": Symbol(r"|\varphi(0)|", "absolute value of the loss at 0"),
    "oscillation": Symbol(r"\mathrm{osc}(P-\varphi)", "largest less least value of P - phi"),
    "coefficient_cost": Symbol("S", "sum of |a_k| R^k over k >= 1"),
    "derivative_error": Symbol("e", "largest |phi' - Q'|"),
    "convexity": Symbol(r"\mu", "least second derivative of the loss"),
    "tilt": Symbol(r"\rho", "weight of the quadratic (a - b)^2"),
    "linear_cost": Symbol("b_1", "|a_1| R, from the linear coefficient"),
    "quadratic_cost": Symbol("b_2", "|a_2| R^2, from the quadratic coefficient"),
    "bias_error": Symbol("e_D", "least error of a polynomial of degree D for z tanh(T z/2) on [-1, 1], T = min(R, 2)"),
    "second_moment": Symbol(r"\mathrm{E} z^2", "mean of z^2 where the errors of the best polynomial have one sign"),
    "optimisation_gap": Symbol(r"\eta", "how far the synthetic risk of the model may be above the least"),
    "split": Symbol("r", "how the noise is shared between first and second moments, from 0 to 1"),
    "log_n": Symbol(r"\ln n", "natural logarithm of the number of records"),
    "query_constant": Symbol("c", "unknown constant of the lower bound for statistical queries"),
    "margin": Symbol(r"\gamma", "margin of the separators, the gamma of phi_gamma"),
    "error_rate": Symbol(r"\mathrm{err}", "expected share of records that the model classifies wrongly"),
    "noise_sd": Symbol(r"\sigma", "standard deviation of Gaussian noise"),
    "noise_ratio": Symbol(r"\sigma/\Delta_2", "standard deviation of Gaussian noise over the L2 sensitivity"),
    "zcdp": Symbol(r"\rho", "parameter of zero-concentrated differential privacy"),
    "weight": Symbol("w_q", "weight of a marginal in the choice of AIM"),
    "cells": Symbol("n_q", "number of cells of that marginal", Kind.COUNT),
    "selected_weight": Symbol("w_{q_i}", "weight of the marginal that was chosen and measured"),
    "selected_cells": Symbol("n_{q_i}", "number of cells of the marginal that was chosen and measured", Kind.COUNT),
    "largest_weight": Symbol(r"\Delta_i", "largest weight of a candidate, by which the choice divides its scores"),
    "candidates": Symbol("|Q_i|", "number of marginals to choose from", Kind.COUNT),
    "residual": Symbol(r"\|y_i-M_{q_i}\|_1", "L1 distance of the noisy measured marginal and the model's before it"),
    "noise_deviations": Symbol(r"\lambda_1", "deviations allowed for noise: fails with probability e^(-lambda1^2/2)"),
    "choice_exponent": Symbol(r"\lambda_2", "exponent allowed for the choice: fails with probability e^(-lambda2)"),
    "class_norm": Symbol(r"\tau", "largest norm of a compared model, features in the unit ball"),
    "model_norm": Symbol("|w|", "norm of the model, features in the unit ball"),
    "model_score": Symbol("R_w", "largest absolute score of the model over the whole domain"),
    "noisy_excess": Symbol(r"\hat e", "answer: the model's mean loss less the least of the class", Kind.SIGNED),
    "ridge": Symbol(r"\lambda", "penalty: (lambda/2) norm^2 is added to the mean loss"),
    "multiplier": Symbol(r"\mu", "Lagrange multiplier of the norm"),
    "fenchel_gap": Symbol(r"\mathrm{E}\,\mathrm{FY}_R", "mean Fenchel-Young loss, or a bound on it"),
    "gradient_residual": Symbol(r"|G+(\lambda+\mu)w|", "norm of the gradient with penalty and multiplier"),
    "gradient_along": Symbol("a", "component of minus the gradient along the model", Kind.SIGNED),
    "gradient_across": Symbol("b", "norm of the gradient's part orthogonal to the model"),
    "polynomial_mean": Symbol(
        "c_0", "mean of the dominating polynomial without the compared model, and its excess", Kind.SIGNED
    ),
    "first_radius": Symbol("k_1", "radius of the first moments"),
    "second_radius": Symbol("k_2", "radius of the second moments, in operator norm"),
    "label_norm": Symbol("|a|", "norm of the fixed vector that the first moments are multiplied with"),
    "label_scale": Symbol("s", "free number in |a| <= (|a|^2/s + s)/2"),
    "absolute_form": Symbol(r"\langle H\rangle", "value of the dominating form H at the fixed vectors"),
    "linear_norm": Symbol("h", "norm of the vector that the compared model is multiplied with, noise included"),
    "least_curvature": Symbol(
        r"\kappa", "least eigenvalue of the curvature in the compared model, noise included", Kind.SIGNED
    ),
    "first_weight": Symbol("a^2", "squared weight of the first moments in the release; second moments have 1"),
    "share": Symbol("q", "share of all releases of a table", Kind.PROBABILITY),
    "proportion": Symbol("p^*", "proportion: probability that a record has the property", Kind.PROBABILITY),
    "categories": Symbol("K", "number of categories", Kind.COUNT),
    "inverse_shares": Symbol(r"\sum_\ell 1/q_\ell", "sum over the categories of 1 over the expected share"),
    "grid_error": Symbol(r"\eta", "part of the error for all parameters that comes from those without a query"),
    "true_gap": Symbol("g", "largest less second eigenvalue of the real matrix"),
    "noisy_gap": Symbol(r"\hat g", "largest less second eigenvalue of the noisy matrix"),
    "true_least": Symbol(r"\lambda", "least eigenvalue of the real matrix"),
    "noisy_least": Symbol(r"\hat\lambda", "least eigenvalue of the noisy matrix"),
    "true_norm": Symbol("|b|", "norm of the coefficients from the real sums"),
    "noisy_norm": Symbol(r"|\hat b|", "norm of the coefficients from the noisy sums"),
    "column_norm": Symbol(r"|\hat\theta|", "norm of a column of the inverse of the noisy matrix"),
    "first_sd": Symbol(r"\sigma_1", "standard deviation of Gaussian noise on first moments"),
    "fourth_weight": Symbol("c^2", "squared weight of the fourth moments in the release"),
}


@dataclass(frozen=True)
class Choices:
    """What is chosen rather than computed: noise mechanisms, row constructions, a fixed k."""

    mechanisms: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    k_given: bool = False
    density_released: bool = False
    exchanges_records: bool = True
    """Replace-one adjacency; False for add/remove."""


class Quantities:
    """Attribute access to numbers: base values, then derived formulas, computed once."""

    def __init__(
        self,
        arithmetic: Arithmetic,
        values: Mapping[str, Number],
        derived: Iterable[Derived] = (),
        choices: Choices | None = None,
    ) -> None:
        self._arithmetic = arithmetic
        self._formulas: dict[str, Formula] = {}
        self._values = dict(values)
        for item in derived:
            if item.name in self._values and item.may_be_given:
                continue
            self._formulas[item.name] = item.formula
            self._values.pop(item.name, None)
        self.choices = choices or Choices()

    def __getattr__(self, name: str) -> Number:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            if name not in self._formulas:
                raise AttributeError(f"the quantity {name!r} is neither given nor derived here")
            value = self._formulas[name](self, self._arithmetic)
            self._values[name] = self._arithmetic.settled(value)
        return self._values[name]

    def has(self, name: str) -> bool:
        """Is the quantity given or derivable?"""
        return name in self._values or name in self._formulas
