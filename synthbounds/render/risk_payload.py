"""A bound on excess risk, and a comparison of such bounds, as JSON. The contract: docs/json.md."""

from __future__ import annotations

from typing import Any

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from bounds.risk.answer import Noise, RiskAnswer
from bounds.risk.compare import RiskRow
from bounds.risk.polynomials import RiskPolynomial
from synthbounds.render.numbers import json_enclosure, json_integer
from synthbounds.render.payload import certificate_payload, hypotheses_payload, source_payload


def risk_payload(answer: RiskAnswer) -> dict[str, Any]:
    polynomial, required, floor, loss = answer.polynomial, answer.required, answer.floor, answer.question.loss
    return {
        "theorem": answer.theorem,
        "edition": answer.edition,
        "route": answer.route,
        "loss": loss.question.function.name,
        "radius": json_enclosure(Enclosure.of(loss.radius)),
        "features": answer.question.features,
        "order": answer.order,
        "labels_in_pairs": answer.tables.paired,
        "n": json_integer(answer.n),
        "marginal_error": json_enclosure(answer.marginal_error),
        "bound": json_enclosure(answer.bound),
        "terms": [{"name": p.name, "enclosure": json_enclosure(p.value)} for p in answer.parts],
        "polynomial": None if polynomial is None else _polynomial_payload(polynomial),
        "tilt": json_enclosure(None if answer.tilt is None else Enclosure.of(answer.tilt)),
        "trivial_bound": json_enclosure(answer.trivial),
        "vacuous": answer.vacuous,
        "reason": answer.reason,
        "required_n": None if required is None else json_integer(required.certificate.value),
        "certificate": None if required is None else certificate_payload(required.certificate),
        "smallest_proved": None if required is None else required.proved_smallest,
        "scope": None if required is None else required.scope,
        "orders": []
        if required is None
        else [
            {
                "order": t.tables.order,
                "labels_in_pairs": t.tables.paired,
                "n": json_integer(t.n),
                "route": t.route,
            }
            for t in required.orders
        ],
        "solved": None
        if answer.solved is None
        else {
            "parameter": "epsilon",
            "value": show_rational(answer.solved.value),
            "neighbour": None if answer.solved.neighbour is None else show_rational(answer.solved.neighbour),
            "neighbour_bound": json_enclosure(answer.solved.neighbour_bound),
        },
        "lower_bound": None
        if floor is None
        else {
            "value": json_enclosure(floor.value),
            "marginals": json_enclosure(floor.marginals),
            "bias": json_enclosure(floor.bias),
            "theorem": "synthbounds.risk-floor",
            "ratio": None if answer.slack_ub is None else json_enclosure(Enclosure.of(answer.slack_ub)),
        },
        "release": None if answer.noise is None else _noise_payload(answer.noise),
        "alternatives": [
            {"route": o.route, "bound": json_enclosure(o.value), "reason": o.reason} for o in answer.others
        ],
        "hypotheses": hypotheses_payload(answer.hypotheses),
        **source_payload(answer),
    }


def _polynomial_payload(polynomial: RiskPolynomial) -> dict[str, Any]:
    features, with_label = polynomial.orders
    return {
        "method": polynomial.method,
        "degree": polynomial.degree,
        "error": json_enclosure(polynomial.error),
        "oscillation": json_enclosure(polynomial.oscillation),
        "slope_error": json_enclosure(None if polynomial.slope_error is None else Enclosure.of(polynomial.slope_error)),
        "coefficient_sum": json_enclosure(Enclosure.of(polynomial.coefficient_sum)),
        "coefficient_cost": json_enclosure(Enclosure.of(polynomial.cost)),
        "coefficients": [json_enclosure(Enclosure.of(c)) for c in polynomial.coefficients],
        "orders": {"features": features, "with_label": with_label},
    }


def _noise_payload(noise: Noise) -> dict[str, Any]:
    privacy = noise.privacy
    return {
        "epsilon": json_enclosure(privacy.epsilon),
        "dp_delta": json_enclosure(privacy.dp_delta),
        "adjacency": privacy.adjacency.value,
        "is_private": noise.is_private,
        "n_is_public": privacy.least_public_size is None,  # replace-one: the size of the data set is known
        "mechanism": privacy.mechanism,
        "sensitivity": privacy.sensitivity,
        "standard_deviations": [{"on": what, "value": json_enclosure(value)} for what, value in noise.sd],
        "nu": json_enclosure(noise.nu),
        "failure_probability": json_enclosure(Enclosure.of(noise.failure)),
    }


def risk_comparison_payload(rows: tuple[RiskRow, ...]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "theorem": row.theorem,
                "edition": row.edition,
                "applies": row.answer is not None,
                "reason": row.reason,
                **(
                    {}
                    if row.answer is None
                    else {
                        "route": row.answer.route,
                        "n": json_integer(row.answer.n),
                        "bound": json_enclosure(row.answer.bound),
                        "vacuous": row.answer.vacuous,
                        "violated": list(row.answer.violated),
                    }
                ),
            }
            for row in rows
        ]
    }
