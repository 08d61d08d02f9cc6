"""The privacy calculus, certified: noise, sensitivities, conversions and composition, each with its adjacency.

>>> import synthbounds.privacy as sp
>>> noise = sp.analytic_gaussian(epsilon=1, dp_delta="1e-5", adjacency="replace-one")
>>> noise.ratio.decimal(9)
('3.73063163', '3.73063164')
>>> sp.classical_valid_up_to("1e-6", adjacency="replace-one").decimal(7)[0]
'8.782091'
>>> tables = sp.MarginalWorkload(attributes=11, order=2, exactly=True)
>>> tables.l2(adjacency=sp.Adjacency.REPLACE_ONE).squared
Fraction(110, 1)
"""

from bounds.aim_confidence import AimRound, Measured, aim_confidence
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Currency, Entry
from bounds.privacy.composition import (
    compose_advanced,
    compose_basic,
    compose_gaussian,
    compose_repeated,
    compose_zcdp,
)
from bounds.privacy.concentrated import (
    exponential_zcdp,
    gaussian_zcdp,
    largest_rho,
    pure_zcdp,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_epsilon_simple,
)
from bounds.privacy.gaussian import (
    analytic_gaussian,
    classical_gaussian,
    classical_valid_up_to,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_noise,
    gaussian_noise_of_ratio,
)
from bounds.privacy.laplace import LaplaceProduct, laplace_delta, laplace_epsilon, laplace_scale
from bounds.privacy.ledger import Ledger
from bounds.privacy.marginals import MarginalWorkload
from bounds.privacy.meaning import Meaning, meaning
from bounds.privacy.sensitivity import Sensitivity, l1_sensitivity, l2_sensitivity
from bounds.privacy.statements import DP, ZCDP, GaussianDP

__all__ = [
    "DP",
    "ZCDP",
    "Adjacency",
    "AimRound",
    "Currency",
    "Entry",
    "GaussianDP",
    "LaplaceProduct",
    "Ledger",
    "MarginalWorkload",
    "Meaning",
    "Measured",
    "Sensitivity",
    "aim_confidence",
    "analytic_gaussian",
    "classical_gaussian",
    "classical_valid_up_to",
    "compose_advanced",
    "compose_basic",
    "compose_gaussian",
    "compose_repeated",
    "compose_zcdp",
    "exponential_zcdp",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_noise",
    "gaussian_noise_of_ratio",
    "gaussian_zcdp",
    "l1_sensitivity",
    "l2_sensitivity",
    "laplace_delta",
    "laplace_epsilon",
    "laplace_scale",
    "largest_rho",
    "meaning",
    "pure_zcdp",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_epsilon_simple",
]
