"""Schema of the certificate of scores, with the limits and the forms of numbers that its independent checker has."""

from __future__ import annotations

from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    EXACT,
    FRACTION,
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
from synthbounds.schemas.scores import ASKED_FIELDS
from verify.checkers import model_file, score_file, scores

_SAID = text(most=1000)
_NUMBER = {**EXACT, "maxLength": model_file.MOST_DIGITS}
_BETWEEN = part("between", obj({"lower": _NUMBER, "upper": _NUMBER}), "Both ends, rounded outward.")
_CONSTANT = (_NUMBER, "no constant loses less")
CLAIMS = part(
    "claims",
    either(
        obj(
            {
                "excess": (_NUMBER, "over the best of the class, at most"),
                "risk": (_NUMBER, "the mean loss of the model, at most"),
                "floor": (maybe(_NUMBER), "no model of the class has a smaller objective; null if none is known"),
                "constant": _CONSTANT,
                "informative": (BOOLEAN, "whether more than half of what the class gains over constants is shown"),
            }
        ),
        obj({"floors": (many(_BETWEEN, 1), "least mean losses of classes"), "constant": _CONSTANT}),
        obj(
            {
                "risk": (_BETWEEN, "the mean loss of predictions"),
                "constant": _CONSTANT,
                "better": (BOOLEAN, "whether the model is shown to be better than every constant"),
                "compared": (maybe(many(_BETWEEN, 1)), "less the least mean loss of classes of linear models"),
            }
        ),
        obj({"area": (_BETWEEN, "under the ROC curve")}),
        obj({"bins": (many(_BETWEEN, 1), "shares of the positive label")}),
    ),
    "What is proved, by what was asked.",
)
_FEATURES = obj(
    {
        "digest": (_SAID, "of the feature map"),
        "bits": (whole(1, model_file.MOST_BITS), "features are whole numbers over 2^bits"),
        "blocks": (
            many(many(many(whole(), 1, model_file.MOST_FEATURES), 1, model_file.MOST_CODES), 1),
            "for each column that has some and each of its codes the features",
        ),
    }
)
_ROWS = many(
    obj(
        {
            **ASKED_FIELDS,
            "error": (_NUMBER, "how far a record's rounded number may be from the true one"),
            "answer": (many({**FRACTION, "maxLength": score_file.MOST_DIGITS}, 1), "noisy integers"),
        }
    ),
    1,
    score_file.MOST_QUESTIONS,
)
_FILE: Fields = {
    "certificate": const(score_file.KIND),
    "version": const(score_file.VERSION),
    "note": _SAID,
    "statement": (text(1), "what is certified, in one sentence"),
    "ask": choice(score_file.ASKS),
    "beta": (_NUMBER, "its failure probability"),
    "failures": (obj({}, dict.fromkeys(scores.EVENTS, _NUMBER)), "the parts of beta that events have"),
    "claims": CLAIMS,
    "adjacency": ADJACENCY,
    "size": (whole(1), "the number of records; under add-remove, a lower bound"),
    "release": (_SAID, "what paid, or the digest of the floors"),
    "query": (maybe(_SAID), "its digest; null if there are only floors"),
    "model": (maybe(_SAID), "the digest of the model"),
    "model_from": maybe(choice(source for source in score_file.SOURCES if source is not None)),
    "features": (maybe(_FEATURES), "null if no question uses features"),
    "mu_squared": (_NUMBER, "what the whole costs"),
    "choice": (
        maybe(obj({"among": whole(2, scores.MOST_MODELS), "share": _NUMBER, "epsilon": _NUMBER})),
        "of one model among several, with its share of the cost",
    ),
    "questions": (_ROWS, "as in the file of the answer"),
    "floors": (
        maybe(
            obj({"release": _SAID, "mu_squared": _NUMBER, "features": maybe(_FEATURES), "questions": _ROWS}),
        ),
        "of the release that the model is compared with",
    ),
}
SCORE_CERTIFICATES: dict[str, tuple[str, str, Schema]] = {
    "certificate-scores": (
        "Certificate of scores",
        "Proves what noisy answers about models say. See docs/certificates.md.",
        obj(_FILE),
    ),
}
