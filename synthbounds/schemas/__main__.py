"""Regenerate the schemas: `python -m synthbounds.schemas`. A test fails if they are stale."""

from __future__ import annotations

import json

from synthbounds.schemas import FOLDER
from synthbounds.schemas.accounts import ACCOUNTS
from synthbounds.schemas.answers import ANSWERS
from synthbounds.schemas.certificates import CERTIFICATES
from synthbounds.schemas.claims import CLAIM_FILES
from synthbounds.schemas.comparisons import COMPARISONS
from synthbounds.schemas.confirmed import CONFIRMED
from synthbounds.schemas.cross_moments import CROSS_RELEASES
from synthbounds.schemas.door import DOOR
from synthbounds.schemas.evaluations import EVALUATIONS
from synthbounds.schemas.files import FILES
from synthbounds.schemas.findings import FINDINGS
from synthbounds.schemas.guided import GUIDED
from synthbounds.schemas.improvements import IMPROVEMENTS
from synthbounds.schemas.inferences import INFERENCES
from synthbounds.schemas.logs import LOGS
from synthbounds.schemas.parts import Schema, document
from synthbounds.schemas.plans import PLANS
from synthbounds.schemas.recovery import RECOVERIES
from synthbounds.schemas.regressions import REGRESSIONS
from synthbounds.schemas.reports import REPORTS
from synthbounds.schemas.score_certificates import SCORE_CERTIFICATES
from synthbounds.schemas.scores import SCORE_FILES
from synthbounds.schemas.statements import STATEMENTS
from synthbounds.schemas.tables import DRAFTS
from synthbounds.schemas.trained import MODELS


def made() -> dict[str, Schema]:
    """Every schema as declared, by name."""
    files = FILES | SCORE_FILES | CROSS_RELEASES | LOGS | CERTIFICATES | SCORE_CERTIFICATES | RECOVERIES | ACCOUNTS
    declared = files | PLANS | ANSWERS | STATEMENTS | DRAFTS | REPORTS | COMPARISONS | MODELS | CONFIRMED | FINDINGS
    declared |= CLAIM_FILES | EVALUATIONS | DOOR | GUIDED | REGRESSIONS | IMPROVEMENTS | INFERENCES
    return {name: document(name, *said) for name, said in declared.items()}


def texts() -> dict[str, str]:
    """The files, by their names."""
    return {f"{name}.json": json.dumps(body, indent=1, ensure_ascii=False) + "\n" for name, body in made().items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
