"""What every kind of `confirm` shares: what pays, how the query is asked, and the files of its answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from release.spending import current_replay
from synthbounds.api.confirming import paying_release, query_for
from synthbounds.cli.answer_proof import AnswerProof
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options, typed_again
from synthbounds.cli.paying import PayingFile

if TYPE_CHECKING:
    from release.files.outputs import Outputs
    from release.query.file import Query
    from release.query.make import Payer
    from synthbounds.render.document import Document
    from synthbounds.render.query_cost import ConfirmFiles
    from synthbounds.report.sheet import Sheet

Found = TypeVar("Found")


class Asking:
    """One query on the command line; the file that pays is read first, and marked only if unchanged since."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._paying = PayingFile(options)
        self.release = paying_release(options.release)
        if not self.release.is_simulated:
            require_options(options, "output")
        self._previous = None if options.previous is None else query_for(options.previous, self.release)
        if current_replay() is not None:  # the interrupted run already marked what pays
            if self._previous is None:
                self.release = self.release.before_its_query()
            else:
                self._previous = self._previous.before_the_next()

    @property
    def files(self) -> ConfirmFiles:
        from synthbounds.render.query_cost import ConfirmFiles

        said = self._options
        typed = typed_again(said) if said.output is None else ""
        return ConfirmFiles(said.table, said.release, said.model, said.output, said.previous, said.certificate, typed)

    def ask(self, function: Callable[..., Found], **more: Any) -> Found:
        """The function of the API with what the options say; a real query is recorded in the file that pays."""
        if self._options.output is not None:
            self._paying.require_place()
        book = None if self.release.is_simulated else self._paying.book
        return call(function, self._options, release=self.release, previous=self._previous, book=book, **more)

    def staged(
        self,
        document: Callable[[], Document],
        payload: Callable[[], dict[str, Any]],
        *,
        query: Query,
        payer: Payer,
        warnings: tuple[str, ...] = (),
    ) -> Outcome:
        """The report, with the answer, its proof and, for a simulation, what pays as files."""
        from release.noise.kinds import NOT_A_RELEASE
        from release.scores.file import ScoreQuery

        output, simulated = self._options.output, self.release.is_simulated
        proof = AnswerProof(self._options, self.release, query) if isinstance(query, ScoreQuery) else None

        def stage(outputs: Outputs) -> None:
            if proof is not None:
                proof.stage(outputs)
            if output is None:  # a simulation that is only looked at
                return
            if simulated:  # nothing was spent: both files, or none
                self._paying.mark(outputs, payer)
            outputs.add(output, query.to_text().encode(), name="output")

        return Outcome(
            document,
            payload,
            (*((NOT_A_RELEASE,) if simulated else ()), *warnings, *(() if proof is None else proof.warnings)),
            inputs=inputs_of(self._options),
            stage=stage,
            stages_output=True,
            spent=not simulated,
            report=lambda: self._sheet(document(), query, payer),
        )

    def _sheet(self, document: Document, query: Query, payer: Payer) -> Sheet:
        from synthbounds.render.query_cost import left_text
        from synthbounds.report.certificate_sheet import certificate_sheet

        return certificate_sheet(
            document,
            cost=payer.release.cost,
            is_simulated=payer.release.is_simulated,
            note="The query is paid from what the release reserved for it: the budget above covers both.",
            left=left_text(query, is_kept=self._options.output is not None),
        )
