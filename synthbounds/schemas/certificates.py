"""Schemas of certificates, with the limits and the forms of numbers that their independent checkers have."""

from __future__ import annotations

from synthbounds.schemas.parts import (
    ADJACENCY,
    COUNT,
    DIGEST,
    EXACT,
    FRACTION,
    SCIENTIFIC,
    Fields,
    Schema,
    choice,
    const,
    either,
    many,
    maybe,
    obj,
    part,
    text,
    whole,
)
from verify.checkers import approximation, density, domination, model_file

_SAID = text(most=1000)
_ENDS = part("ends", obj({"lo": SCIENTIFIC, "hi": SCIENTIFIC}), "Both ends of an interval, exact.")
_POINTS = many(SCIENTIFIC, most=approximation.MOST_POINTS)
_CLAIM: Fields = {"lo": SCIENTIFIC, "hi": SCIENTIFIC, "points": (_POINTS, "at which the function is evaluated")}
_CELL: Schema = {
    "type": "array",
    "prefixItems": [SCIENTIFIC, SCIENTIFIC, SCIENTIFIC, whole(2, approximation.MOST_ORDER)],
    "minItems": 4,
    "items": False,
}
_APPROXIMATION = obj(
    {
        "certificate": const(approximation.KIND),
        "version": const(approximation.VERSION),
        "function": (text(1, 100_000), "a formula in x"),
        "interval": many(SCIENTIFIC, 2, 2),
        "degree": whole(1, approximation.MOST_DEGREE),
        "method": _SAID,
        "polynomial": (many(SCIENTIFIC, 2, approximation.MOST_DEGREE + 1), "coefficients in powers of x, from power 0"),
        "error": (_ENDS, "the largest |f - P|"),
        "coefficient_sum": (_ENDS, "the sum of |a_k|"),
        "precision": (whole(1, approximation.MOST_PRECISION), "bits that the checker needs"),
        "attained": (SCIENTIFIC, "where the error is nearly attained"),
        "cells": (many(_CELL, 1, approximation.MOST_CELLS), "left end, right end, centre, order of the Taylor model"),
        "sha256": (DIGEST, "of everything else in the file"),
    },
    {
        "minimax": (obj(_CLAIM), "the least error of any polynomial of the degree"),
        "objective": (
            obj(
                {**_CLAIM, "marginal_error": SCIENTIFIC},
                {"weights": (_POINTS, "at the points; if left out, those of divided differences")},
            ),
            "the least value of the objective of the risk",
        ),
    },
)
_CODES = many(COUNT, 1, density.MOST_ATTRIBUTES)
_WEIGHTS = many({**FRACTION, "maxLength": density.MOST_DIGITS}, 1, density.MOST_LISTED)
_DENSITY = obj(
    {
        "certificate": const(density.KIND),
        "version": const(density.VERSION),
        "sizes": (many(whole(2, density.MOST_LEVELS), 1, density.MOST_ATTRIBUTES), "levels of every attribute"),
        "family": choice(density.FAMILIES),
        "degree": whole(1, density.MOST_DEGREE),
        "points": (either(const("full"), many(_CODES, 1, density.MOST_LISTED)), "reference points, as codes"),
        "queries": (
            many(many(many(COUNT, 2, 2), 1, density.MOST_ATTRIBUTES), 1, density.MOST_LISTED),
            "each a product of factors: an attribute, and a power or a level of it",
        ),
        "targets": (_WEIGHTS, "the noisy answers"),
        "support": (many(_CODES, 1, density.MOST_LISTED), "points where the density is not zero"),
        "weights": (_WEIGHTS, "of the density there, up to a factor"),
        "dual": (_WEIGHTS, "of the queries; they prove the lower bound"),
        "lower": (FRACTION, "the optimum is at least this"),
        "upper": (FRACTION, "and at most this"),
    },
    {"note": _SAID},
)
_NUMBER = {**EXACT, "maxLength": model_file.MOST_DIGITS}
_NUMBERS = many(_NUMBER, 1)
_SUMS = many({**FRACTION, "maxLength": model_file.MOST_DIGITS}, 1)
_MATRICES = many(many(many(_NUMBER, 3, 4), 3, 4), 1, 2)
_OPTIONAL = maybe(_NUMBER)
_MODEL = obj(
    {
        "certificate": const(model_file.KIND),
        "version": const(model_file.VERSION),
        "note": _SAID,
        "statement": (text(1), "what is certified, in one sentence"),
        "bound": _NUMBER,
        "beta": (_NUMBER, "the probability with which it may fail"),
        "loss": (choice(domination.LOSSES), "as a formula in x"),
        "tau": (_OPTIONAL, "the largest norm of the compared models"),
        "ridge": (_OPTIONAL, "ridge/2 times the squared norm is added to the mean loss"),
        "intercept": (choice(("inside", "free")), "whether it counts in norm and ridge"),
        "near": (_OPTIONAL, "the best model is proved to be this near; null if that is not used"),
        "reach": (_NUMBER, "no score of a compared model is larger"),
        "balls": (many(_NUMBER, 1, 2), "squared radii around the coefficients that are compared"),
        "model": (_SAID, "the digest of the model"),
        "coefficients": many(_NUMBER, 2, model_file.MOST_FEATURES),
        "feature_map": (_SAID, "its digest"),
        "squared_norm": (whole(2), "the largest of a record's features"),
        "bits": (whole(1, model_file.MOST_BITS), "features are whole numbers over 2^bits"),
        "blocks": (
            many(many(many(whole(), 1, model_file.MOST_FEATURES), 1, model_file.MOST_CODES), 1),
            "for each column and code the features",
        ),
        "release": (_SAID, "its digest"),
        "adjacency": ADJACENCY,
        "size": (whole(1), "what sums are divided by"),
        "first": (_SUMS, "noisy sums of label times feature"),
        "second": (many(_SUMS, 1), "noisy sums of products of two features: rows of the upper triangle"),
        "fourth": (maybe(_SUMS), "noisy sums of products of four; null if they are not used"),
        "noise": (many(_NUMBER, 3, 3 + len(model_file.MULTIPLICITIES)), "standard deviations of the sums"),
        "failures": (many(_NUMBER, 2, 3), "probabilities that a radius fails"),
        "radii": (many(_NUMBER, 2, 3), "of first, second and weighted moments"),
        "contraction": (maybe(many(_NUMBER, 3, 3)), "what proves the third radius"),
        "feature": (maybe(COUNT), "which feature distinguishes records"),
        "constant": (_NUMBER, "of the dominating polynomial"),
        "label": (many(_NUMBER, 3, 4), "its coefficients of the label"),
        "forms": (_MATRICES, "its quadratic forms"),
        "excess": (_NUMBER, "by how much it may fail to dominate"),
        "absolute": (_MATRICES, "forms above the forms and their negatives"),
        "label_scale": (_NUMBER, "multiplier of the first radius"),
        "ball_multipliers": many(_NUMBER, 1, 2),
    },
    {
        "label_bits": (whole(1, model_file.MOST_BITS), "labels are numbers from -1 to 1, over 2^label_bits"),
        "half": (
            obj(
                {
                    "coefficient": (whole(0, model_file.MOST_FEATURES - 1), "its place, the intercept last"),
                    "name": (_SAID, "of its feature"),
                    "sign": choice((-1, 1)),
                    "threshold": _NUMBER,
                    "multiplier": _NUMBER,
                }
            ),
            "only about the best models: their coefficient is beyond the threshold on the side of the sign",
        ),
    },
)
CERTIFICATES: dict[str, tuple[str, str, Schema]] = {
    "certificate-approximation": (
        "Certificate of an approximation",
        "Proves the error of a polynomial. See docs/certificates.md.",
        _APPROXIMATION,
    ),
    "certificate-density": (
        "Certificate of a density",
        "Bounds the optimum of a density programme from both sides. See docs/certificates.md.",
        _DENSITY,
    ),
    "certificate-model": (
        "Certificate of a model",
        "Bounds the excess risk of a linear model. See docs/certificates.md.",
        _MODEL,
    ),
}
