"""The certificate after the fact: how accurate a synthetic table is, from the noisy answers alone.

Guarantee: with probability at least 1 - gamma every query of the table is off by at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.noise import MECHANISMS
from bounds.pieces.promises import EXACT_NOISE
from bounds.quantities import Quantities

_SENSITIVITY = {"gaussian": ("Delta_2_squared",), "contrast-linf": ("rank",)}


def _accuracy(name: str) -> Route:
    def formula(q: Quantities, A: Arithmetic) -> Number:
        return q.observed + MECHANISMS[name].quantile(q, A, q.gamma) / (q.n * q.epsilon)

    return Route(
        name,
        f"observed distance to the noisy answers plus the quantile of {MECHANISMS[name].label}",
        (Term("value", "accuracy of the synthetic table", formula),),
        hypotheses=(EXACT_NOISE,),
        inputs=(*MECHANISMS[name].inputs, *_SENSITIVITY.get(name, ())),
    )


THEOREM = Theorem(
    id="synthbounds.a-posteriori",
    title="Accuracy of a finished synthetic table",
    guarantee="With probability at least 1 - gamma, every query of any table computed from the noisy answers is "
    "off by at most the value, whatever the data, the reference measure, m and k were.",
    citation=Citation("synthbounds", "certificate after the fact"),
    inputs=("observed", "n", "epsilon", "gamma", "Delta_1", "F_varying", "R"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            tuple(_accuracy(name) for name in MECHANISMS),
            proof="synthbounds.a-posteriori",
        ),
    ),
)
