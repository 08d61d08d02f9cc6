"""The certificate file of the answer to a query, in addition to the answer, which is kept even if it fails."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bounds.errors import NotCertified
from release.files.outputs import Outputs
from synthbounds.api.confirming import answer_certificate

if TYPE_CHECKING:
    from release.scores.file import ScoreQuery
    from synthbounds.api.confirming import PayingRelease

VACUOUS_WARNING = "vacuous certificate: the bound says no more than what holds without any data"


class AnswerProof:
    """The proof that `--certificate` asks for; if the independent checker accepts none, a warning says so."""

    def __init__(self, options: argparse.Namespace, release: PayingRelease, query: ScoreQuery) -> None:
        self._path: str | None = options.certificate
        self._text = ""
        self.warnings: tuple[str, ...] = ()
        if self._path is not None:
            try:
                self._text = answer_certificate(release, query)
            except NotCertified as error:
                self.warnings = (str(error),)

    def stage(self, outputs: Outputs) -> None:
        if self._path is not None and self._text:
            outputs.add(self._path, self._text.encode(), name="certificate")
