"""The one way to spread independent items: who makes them, and their answers in order."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bounds.errors import SynthboundsError, UsageError
from bounds.exact import Exact
from verify.spread.job import make
from verify.spread.parameters import SPREAD, WORKERS


@dataclass(frozen=True)
class Workers:
    """This process, or several on this machine, or those of a scheduler."""

    processes: int = 1
    scheduler: str | None = None
    certificates: str | Path | None = None

    @classmethod
    def asked(
        cls, workers: Exact | None, scheduler: str | None, certificates: str | Path | None = None, *, usual: int = 1
    ) -> Workers:
        """The workers from a user's options; whatever can be refused at once is refused."""
        if scheduler is None:
            if certificates is not None:
                raise UsageError("certificates is for --scheduler: nothing travels without one")
            return cls(usual if workers is None else int(WORKERS.number(workers)))
        if workers is not None:
            raise UsageError("workers is for this machine and a scheduler has its own: give only one of the two")
        from verify.spread.cluster import require_cluster

        require_cluster(scheduler, certificates)
        return cls(1, scheduler, certificates)

    @property
    def is_here(self) -> bool:
        """Whether no other process is needed."""
        return self.processes == 1 and self.scheduler is None

    def require_secrecy(self, what: str) -> None:
        """Refuse to send confidential answers where they can be read on the way."""
        if self.scheduler is None:
            return
        from verify.spread.cluster import is_secret

        if not is_secret(self.scheduler):
            raise UsageError(f"scheduler = {self.scheduler}: {what} needs tls://, or a scheduler on this machine")

    def chunks(self, function: str, items: Sequence[Any], *, size: int = 1) -> Iterator[list[Any]]:
        """Answers to this many items at a time, in order, each as soon as those before it are available."""
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        if not parts:
            return iter(())
        if self.scheduler is not None:
            from verify.spread.cluster import by_cluster

            return by_cluster(function, parts, self.scheduler, self.certificates)
        if self.processes > 1:
            from verify.spread.processes import by_processes

            return by_processes(function, parts, self.processes)
        return map(partial(make, function), parts)

    def answers(self, function: str, items: Sequence[Any]) -> Iterator[Any]:
        """Item by item."""
        return (answer for (answer,) in self.chunks(function, items))


HERE = Workers()


def add_options(parser: ArgumentParser) -> None:
    """The same choice for a study that is a module to run."""
    for parameter in SPREAD:
        parser.add_argument(parameter.option, metavar=parameter.metavar, help=parameter.help)


def said(options: Namespace) -> Workers:
    """What was chosen with these options."""
    return Workers.asked(options.workers, options.scheduler, options.certificates)


@contextmanager
def told(parser: ArgumentParser) -> Iterator[None]:
    """Errors that are explained to the user end a study with one line and their exit code."""
    try:
        yield
    except SynthboundsError as error:
        parser.exit(error.exit_code, f"{parser.prog}: error: {error}\n")
