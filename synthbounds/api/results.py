"""Types of answers, for annotations and tests; importing them imports the mathematics behind them."""

from bounds.approximation.result import Approximation
from bounds.errors import SynthboundsError
from bounds.model import Theorem
from bounds.parameter import Parameter
from bounds.renyi import RenyiReport
from bounds.risk.answer import RiskAnswer
from bounds.risk.compare import RiskRow
from bounds.risk.query_lower_bound import QueryLowerBound
from bounds.sizes.require import ComparisonRow
from bounds.sizes.requirement import Requirement
from bounds.sizes.solve_for import Inversion
from bounds.sizes.sweep import SweepResult
from bounds.values import ValueResult

__all__ = [
    "Approximation",
    "ComparisonRow",
    "Inversion",
    "Parameter",
    "QueryLowerBound",
    "RenyiReport",
    "Requirement",
    "RiskAnswer",
    "RiskRow",
    "SweepResult",
    "SynthboundsError",
    "Theorem",
    "ValueResult",
]
