"""Schemas of what was found: check, verify, audit, figures and doctor."""

from __future__ import annotations

from synthbounds.render.verification import NOT_RUN
from synthbounds.schemas.claims import COUNTS, DECLARED, VERDICTS
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    COUNT,
    EDITION,
    ENCLOSURE,
    ESTIMATE,
    EXACT,
    FRACTION,
    NULL,
    SCIENTIFIC,
    SHOWN,
    TEXT,
    TEXTS,
    THEOREM,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    either,
    has,
    many,
    maybe,
    obj,
    output,
    when,
    whole,
)
from synthbounds.schemas.score_certificates import CLAIMS
from verify.audit.exact import Verdict as AuditVerdict
from verify.audit.run import LAYERS
from verify.checkers import density, score_file

_ENDS = obj({"lo": SCIENTIFIC, "hi": SCIENTIFIC})
_CLAIMS = (
    obj(
        {
            "function": TEXT,
            "interval": many(SCIENTIFIC, 2, 2),
            "degree": COUNT,
            "method": TEXT,
            "error": _ENDS,
            "coefficient_sum": _ENDS,
        },
        {"minimax": _ENDS, "objective": _ENDS},
    ),
    obj({"family": choice(density.FAMILIES), "degree": COUNT, "lower": FRACTION, "upper": FRACTION}),
    obj(
        {
            "statement": TEXT,
            "bound": EXACT,
            "beta": EXACT,
            "tau": maybe(EXACT),
            "ridge": maybe(EXACT),
            "intercept": choice(("inside", "free")),
        }
    ),
    obj({"statement": TEXT, "beta": EXACT, "ask": choice(score_file.ASKS), "claims": CLAIMS}),
)
_CHECK: Fields = {
    "valid": BOOLEAN,
    "reason": (TEXT, "why it was rejected"),
    "given": (TEXTS, "what is taken as given"),
    "claims": (
        maybe(either(*_CLAIMS)),
        "what is proved, by the kind of certificate; null if rejected",
    ),
}
_RECOMPUTED: Fields = {"recomputed": (TEXTS, "what is that of release, query and model; older versions leave it out")}
_FOUND = choice((*VERDICTS, NOT_RUN))
_VERIFY: Fields = {
    "claims": many(
        obj(
            {
                **DECLARED,
                "version": (TEXT, "which text of the paper was read"),
                "verdict": _FOUND,
                "agrees": (maybe(BOOLEAN), "null if it was not run"),
                "evidence": TEXT,
                "again": (maybe(TEXT), "evidence of a second, independent route"),
                "seconds": {"type": "number", "minimum": 0},
            },
            rules=[when("verdict", NOT_RUN, has(agrees=NULL), has(agrees=BOOLEAN))],
        )
    ),
    "totals": (by_name(whole(1), _FOUND), "claims by verdict"),
    "counts": COUNTS,
    "certain": (COUNT, "claims decided by proof, exact computation or ball arithmetic"),
}
_GUARANTEES: Fields = {
    "guarantees": many(
        obj(
            {
                "id": TEXT,
                "theorem": THEOREM,
                "edition": EDITION,
                "sizes": TEXT,
                "runs": whole(1),
                "failures": COUNT,
                "probability_low_est": ESTIMATE,
                "probability_high_est": ESTIMATE,
                "confidence": ESTIMATE,
                "promised": ESTIMATE,
                "rejected": BOOLEAN,
            }
        )
    )
}
_SUBJECT: Fields = {"name": TEXT, "where": TEXT, "title": TEXT, "inputs_compared": TEXT, "epsilon": SHOWN}
_AUDITS: Fields = {"subjects": many(obj({**_SUBJECT, "known_violation": BOOLEAN}))}
_AUDIT: Fields = {
    **_SUBJECT,
    "audited": (TEXT, "which part of the mechanism"),
    "layer": choice(LAYERS),
    "verdict": choice(verdict.value for verdict in AuditVerdict),
    "known_violation": (maybe(BOOLEAN), "at its own epsilon; null at another"),
    "dp_delta": SHOWN,
    "adjacency": ADJACENCY,
    "exact": maybe(
        obj(
            {
                "epsilon": (either(ENCLOSURE, const("infinity")), "the least at dp_delta"),
                "delta": (maybe(ENCLOSURE), "at epsilon; null for a pure claim"),
                "pair": (maybe(TEXT), "the worst one"),
            }
        )
    ),
    "sampled": maybe(
        obj(
            {
                "epsilon_lower_est": ESTIMATE,
                "confidence": SHOWN,
                "event": TEXT,
                "probability_lower_est": ESTIMATE,
                "probability_upper_est": ESTIMATE,
                "samples": whole(1),
                "seed": COUNT,
            }
        )
    ),
}
_AUDITS_OF_ALL: Fields = {"audits": many(obj({**_AUDIT, "agrees": (BOOLEAN, "with what is known")}))}
_FIGURE: Fields = {"name": TEXT, "title": TEXT}
_FIGURES: Fields = {"figures": many(obj({**_FIGURE, "files": TEXTS, "not_run": (TEXT, "why it was not run")}))}
_FIGURES_LIST: Fields = {"figures": many(obj({**_FIGURE, "source": TEXT, "caption": TEXT}))}
_DOCTOR: Fields = {"checks": many(obj({"name": TEXT, "fine": BOOLEAN, "found": TEXT}), 1)}

FINDINGS: dict[str, tuple[str, str, Schema]] = {
    "output-check": (
        "check",
        "The verdict on a certificate.",
        output("check", _CHECK, _RECOMPUTED, rules=[when("valid", False, has(claims=NULL), {})]),
    ),
    "output-verify": ("verify", "Verdicts on claims of the papers.", output("verify", _VERIFY)),
    "output-verify-simulate": ("verify --simulate", "Guarantees against runs.", output("verify", _GUARANTEES)),
    "output-audit": ("audit NAME", "Whether a mechanism keeps its claim.", output("audit", _AUDIT)),
    "output-audit-all": ("audit --all", "Every subject audited.", output("audit", _AUDITS_OF_ALL)),
    "output-audit-list": ("audit", "Mechanisms to audit.", output("audit", _AUDITS)),
    "output-figures": ("figures", "Figures that were made.", output("figures", _FIGURES)),
    "output-figures-list": ("figures --list", "Figures of the papers.", output("figures", _FIGURES_LIST)),
    "output-doctor": ("doctor", "Whether everything that is needed is installed and works.", output("doctor", _DOCTOR)),
}
