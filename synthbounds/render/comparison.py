"""Reports on releases that compare a finished table with the real one, and on a certificate made from one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.statements import DP, GaussianDP
from mechanisms.models.certify.from_distance import DistanceCertificate
from release.accuracy.file import AccuracyRelease
from release.comparison.file import Comparison
from release.distance.file import MOST_FIRST, MOST_SECOND, DistanceRelease
from release.noise.kinds import NOT_A_RELEASE
from release.statistics.statistic import RECORD_STEPS
from synthbounds.render.certification import answer_blocks, answer_payload, class_text, parts, routes
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title, Vacuous
from synthbounds.render.numbers import json_integer, up


def bounded_by(found: DistanceRelease) -> tuple[str, str]:
    """What the two numbers bound: means, or, where n is private, real sums over the least size."""
    first = "largest distance of means of label times feature from the real ones (Euclidean norm)"
    second = "the same for means of products of two features (operator norm); features in the unit ball"
    if not found.size_is_exact:
        first = (
            f"largest distance of real sums of label times feature, over {found.stated_size:,}, from the synthetic "
            "means (Euclidean norm)"
        )
        second = "the same for products of two features (operator norm); features in the unit ball"
    return first, second


def distance_document(found: DistanceRelease, written_to: str, synthetic: str, beta: Fraction) -> Document:
    """Answer first, then what it rests on, then how to go on."""
    near, features = found.distance(beta), found.feature_map
    first, second = bounded_by(found)
    rows = (("first", up(near.first), first), ("second", up(near.second), second))
    facts = (
        ("Features", f"{features.size:,} with the intercept; squared norm at most {features.squared_norm}"),
        ("Label", features.label_text),
    )
    certify = Code((f"synthbounds certify {written_to} model.json",), "sh")
    proof = "docs/proofs/synthbounds.table-distance.md"
    title = Title("Distance of a synthetic table", both_hold(beta))
    vacuous = near.first >= MOST_FIRST or near.second >= MOST_SECOND
    answer = _answer(found, title, rows, vacuous=vacuous)
    return (*answer, Facts((*_facts(found, written_to, synthetic, proof), *facts)), certify)


def accuracy_document(found: AccuracyRelease, written_to: str, synthetic: str, beta: Fraction) -> Document:
    """Answer first, then what it rests on."""
    errors = found.errors(beta)
    rows = (
        ("largest", up(errors.largest), "no answer of the synthetic table is further than this from the real one"),
        ("mean", up(errors.mean), "on average over all queries"),
    )
    proof = "docs/proofs/synthbounds.table-accuracy.md"
    title = Title("Errors of a synthetic table", both_hold(beta))
    facts = _facts(found, written_to, synthetic, proof)
    answer = _answer(found, title, rows, vacuous=errors.largest >= 1)
    return (*answer, Facts((*facts, ("Workload", found.workload.text))))


def both_hold(beta: Fraction) -> str:
    return f"both at once, except with probability {show_rational(beta)}"


def _answer(found: Comparison, title: Title, rows: tuple[tuple[str, str, str], ...], *, vacuous: bool) -> list[Block]:
    blocks: list[Block] = [title, Answer(rows)]
    if found.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if vacuous:
        blocks.append(Vacuous("no two tables can be further apart: too few records, or too small an epsilon"))
    return blocks


def _facts(found: Comparison, written_to: str, synthetic: str, proof: str) -> tuple[tuple[str, str], ...]:
    rows = [
        ("Written", written_to),
        ("Synthetic", f"{synthetic}, {found.synthetic_size:,} rows; digest {found.synthetic_digest}"),
        ("Privacy", _privacy(found)),
        ("Sensitivity", _sensitivity(found)),
        ("Noise", _noise(found)),
        ("Digest", found.digest),
        ("Proof", proof),
    ]
    if found.seed is not None:
        rows.append(("Seed", str(found.seed)))
    return tuple(rows)


def _promise(found: Comparison) -> str:
    """What the two numbers cost: of their own budget, or of the one they are a part of."""
    target, price = found.ledger.target, found.price
    if isinstance(price, DP):
        return f"epsilon = {show_rational(price.epsilon.lo)}, pure"
    assert isinstance(price, GaussianDP)
    of = "" if target is None else f" of {up(found.ledger.total)}, which is"
    total = "" if target is None else f" {target.text()} in total"
    return f"mu^2 = {up(price.mu_squared)}{of}{total}"


def _privacy(found: Comparison) -> str:
    begins = f"none; a release would spend {_promise(found)}" if found.is_simulated else _promise(found)
    return f"{begins}; adjacency {found.adjacency.value}; {_size_text(found)}"


def _size_text(found: Comparison) -> str:
    if found.size_is_exact:
        return f"n = {found.stated_size:,} is public"
    return f"n is private; synthetic means are multiplied by {found.stated_size:,}"


def _sensitivity(found: Comparison) -> str:
    moved = found.noise.sensitivity
    steps = decimal_text(moved.value.hi, 6, up=True)
    return f"one record moves both numbers together by at most {steps} steps in {moved.norm}, rounding included"


def _noise(found: Comparison) -> str:
    noise = found.noise
    assert not isinstance(noise.scales, tuple)
    shape = "Laplace, scale" if noise.kind == "laplace" else "Gaussian, standard deviation"
    finer = f"; for the mean, {found.mean_moved} of one" if isinstance(found, AccuracyRelease) else ""
    return f"{shape} {up(noise.scales)} steps on each number; {RECORD_STEPS:,} steps are one record{finer}"


def distance_payload(found: DistanceRelease, written_to: str, synthetic: str, beta: Fraction) -> dict[str, Any]:
    near, features = found.distance(beta), found.feature_map
    return {
        **_payload(found, written_to, synthetic, beta),
        "distance": {"first": up(near.first, 25), "second": up(near.second, 25)},
        "features": list(features.names),
        "label": features.label,
        "positive": features.positive,
        "squared_norm": features.squared_norm,
        "feature_map_digest": features.digest,
    }


def accuracy_payload(found: AccuracyRelease, written_to: str, synthetic: str, beta: Fraction) -> dict[str, Any]:
    errors = found.errors(beta)
    return {
        **_payload(found, written_to, synthetic, beta),
        "errors": {"largest": up(errors.largest, 25), "mean": up(errors.mean, 25)},
        "workload": found.workload.text,
        "queries": found.workload.count,
    }


def _payload(found: Comparison, written_to: str, synthetic: str, beta: Fraction) -> dict[str, Any]:
    noise = found.noise
    assert not isinstance(noise.scales, tuple)
    return {
        "kind": found.KIND,
        "mode": found.mode,
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        "release": written_to,
        "digest": found.digest,
        **_size(found),
        "synthetic": {"file": synthetic, "rows": found.synthetic_size, "digest": found.synthetic_digest},
        **_cost(found),
        "sensitivity": {"norm": noise.sensitivity.norm, "amount": str(noise.sensitivity.amount)},
        "noise": {"kind": noise.kind, "scale": up(noise.scales, 25)},
        "steps": RECORD_STEPS,
        "beta": show_rational(beta),
        "seed": None if found.seed is None else json_integer(found.seed),
    }


def _cost(found: Comparison) -> dict[str, Any]:
    """epsilon and dp_delta of the whole budget; mu^2 of these two numbers."""
    target, price = found.ledger.target, found.price
    pure = isinstance(price, DP)
    whole = price.epsilon.lo if isinstance(price, DP) else None if target is None else target.epsilon.lo
    return {
        "epsilon": None if whole is None else show_rational(whole),
        "dp_delta": None if pure or target is None else show_rational(target.delta.lo),
        "mu_squared": up(price.mu_squared, 25) if isinstance(price, GaussianDP) else None,
    }


def _size(found: Comparison) -> dict[str, Any]:
    public = found.size_is_exact
    return {
        "n": json_integer(found.stated_size) if public else None,
        "least_size": None if public else json_integer(found.stated_size),
        "n_is_public": public,
        "adjacency": found.adjacency.value,
    }


def distance_certification_document(found: DistanceCertificate) -> Document:
    """The sentence first; then the numbers around it; then where it comes from."""
    release, model, known = found.release, found.model, found.problem.known
    features = release.feature_map
    radii = f"first moments within {up(known.first_radius)}, second within {up(known.second_radius)} (operator norm)"
    facts = (
        (
            "Compared with",
            f"every {class_text(found.compared_with).rstrip(',')}; scores up to {up(found.problem.compared.reach)}",
        ),
        (
            "Model",
            f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {model.made or 'made elsewhere'}",
        ),
        ("Label", features.label_text),
        ("Holds for", "any number of models, however they were made, on the synthetic table or elsewhere"),
        (
            "Event",
            f"{radii} of those of the synthetic table; fails with probability at most {show_rational(found.beta)}",
        ),
        ("Synthetic", f"{release.synthetic_size:,} rows; digest {release.synthetic_digest}"),
        ("Release", f"{_privacy(release)}; certifying spends nothing"),
        (
            "Proof",
            "docs/proofs/synthbounds.table-distance.md for the distance, "
            "docs/proofs/synthbounds.model-certificate.md for the bound; `check` does not accept it",
        ),
    )
    blocks = answer_blocks(found, simulated=release.is_simulated)
    return (*blocks, parts(found), routes(found), Facts(facts))


def distance_certification_payload(found: DistanceCertificate) -> dict[str, Any]:
    release, model = found.release, found.model
    return {
        **answer_payload(found),
        "release": {
            "kind": release.KIND,
            "digest": release.digest,
            "mode": release.mode,
            "stamp": NOT_A_RELEASE if release.is_simulated else None,
            **_cost(release),
            **_size(release),
            "feature_map_digest": release.feature_map.digest,
            "synthetic": {"rows": release.synthetic_size, "digest": release.synthetic_digest},
        },
        "model": {
            "features": list(release.feature_map.names),
            "norm": up(model.norm_hi, 25),
            "made": model.made,
            "release": model.release,
        },
        "improvements": None,
    }
