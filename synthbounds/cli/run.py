"""Run a command and turn whatever happens into output, a one-line error, and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from bounds.errors import INTERRUPTED, OUR_BUG, BudgetError, OutOfMemory, OutputError, SynthboundsError, shorten
from release.signals import interrupt, interrupted
from synthbounds.cli import leave
from synthbounds.cli.outcome import abandon_output, rendered, require_format, write
from synthbounds.cli.page_file import booked_sheet, page_of, require_page, write_page_after_files
from synthbounds.cli.parser import build_parser, join_negative_values
from synthbounds.cli.places import RELEASING, asked_of, is_private, release_target, require_places

if TYPE_CHECKING:
    from synthbounds.cli.outcome import Outcome


def run(arguments: list[str]) -> int:
    """The command with these arguments; the exit code."""
    return guarded(lambda: _run(arguments))


def _hear() -> None:
    """From now on, when told to end, first remove unfinished files."""
    interrupted.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(ValueError):  # not in the main thread
            if signal.getsignal(number) in (leave, signal.SIG_DFL):
                signal.signal(number, interrupt)


def guarded(action: Callable[[], int]) -> int:
    """Run an action that writes to standard output; whatever goes wrong becomes one line and an exit code."""
    with contextlib.suppress(AttributeError, OSError):  # a terminal without UTF-8 shows escapes, not an error
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = action()
        if sys.stdout is not None:
            sys.stdout.flush()
    except SynthboundsError as error:
        _complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        abandon_output()
        return OutputError.exit_code
    except MemoryError:
        _complain("memory ran out")
        return OutOfMemory.exit_code
    except OSError as error:
        _complain(f"cannot read or write ({error.strerror})")
        abandon_output()
        return OutputError.exit_code
    except KeyboardInterrupt as stop:
        _complain(str(stop) or "interrupted")
        return INTERRUPTED
    except SystemExit as stop:  # argparse after --help and --version
        try:
            sys.stdout.flush()
        except (OSError, AttributeError):
            abandon_output()
            return OutputError.exit_code
        return int(stop.code or 0)
    except Exception as error:
        if os.environ.get("SYNTHBOUNDS_DEBUG"):
            raise
        _complain(f"a bug of ours: {type(error).__name__}: {str(error)[:200]} (set SYNTHBOUNDS_DEBUG=1 for details)")
        return OUR_BUG
    return code


def _run(arguments: list[str]) -> int:
    options = _options(arguments)
    require_format(options)
    require_places(options)
    require_page(options)
    if _ELSEWHERE in options.declared.parameters:
        import_module("synthbounds.cli.engine_table").take_table(options)
    told: set[str] = set()
    with _advised(options), _spending(options, arguments, told):
        if is_private(options):
            from release.memory import prepare_release

            prepare_release()
        command = import_module(f"synthbounds.cli.{options.command}_command")
        _hear()
        outcome: Outcome = command.run(options)
        if getattr(options, "account", None) is not None:
            outcome = _with_account(outcome)
        _show(outcome, options)
        said = _large_delta(options)
    for warning in (*outcome.warnings, *said):
        if warning not in told and not _is_seen(warning, outcome, options):
            warn(warning)
    return outcome.exit_code


def _is_seen(warning: str, outcome: Outcome, options: argparse.Namespace) -> bool:
    """Whether it is the stamp of an answer that was just shown on the terminal that would show it again.

    Wherever one of the two goes to a file or a pipe, both have it.
    """
    from release.noise.kinds import NOT_A_RELEASE

    if warning != NOT_A_RELEASE or outcome.text is not None:
        return False
    is_printed = options.output is None or outcome.stages_output
    return is_printed and all(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr))


def warn(warning: str) -> None:
    """One line on standard error, at once."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"synthbounds: warning: {_one_line(warning)}\n")
        sys.stderr.flush()


_LONGEST_MESSAGE = 4000
_ELSEWHERE = "address"
"""The option that names a table that is not a file."""
_ALONE = {"check": "proofs", "serve": "serving"}
"""Commands that need no other declaration, with the module that has theirs; they draw no noise."""


def _options(arguments: list[str]) -> argparse.Namespace:
    """The parsed options; `check` and `serve` load only their own declaration, nothing that could make a certificate.

    Without arguments, the help is shown.
    """
    if arguments and arguments[0] in _ALONE:
        declared = getattr(import_module(f"synthbounds.api.{_ALONE[arguments[0]]}"), arguments[0].upper())
        return build_parser([declared]).parse_args(arguments)
    return all_options(arguments or ["--help"])


def all_options(arguments: list[str]) -> argparse.Namespace:
    """The parsed options of any command."""
    from synthbounds.cli.engine_table import with_stand_in

    return _all_commands().parse_args(with_stand_in(join_negative_values(arguments)))


_all_commands = cache(build_parser)
"""Kept for sessions that run several commands: declaring every option takes longer than many answers."""


def _spending(
    options: argparse.Namespace, arguments: list[str], told: set[str]
) -> contextlib.AbstractContextManager[None]:
    """The context of a command that may draw noise; a check draws none and loads nothing that does.

    Warnings that still help are given before the noise, and put into `told`.
    """
    if options.command in _ALONE:
        return contextlib.nullcontext()
    from release.spending import spending

    def warn_in_time() -> None:
        for warning in _large_delta(options):
            told.add(warning)
            warn(warning)

    account: str | None = getattr(options, "account", None)
    return spending(
        beside=release_target(options),
        is_private=is_private(options),
        account=account,
        asked=asked_of(options, arguments),
        before_noise=warn_in_time,
    )


def _large_delta(options: argparse.Namespace) -> tuple[str, ...]:
    """A warning, if the delta of a releasing command is too large for the public number of records."""
    if options.command not in RELEASING or getattr(options, "dp_delta", None) is None:
        return ()
    from release.large_delta import large_delta
    from release.spending import public_records

    declared, least = options.declared.parameters, options.least_size
    size = public_records() if least is None else int(declared["least_size"].number(least))
    if size is None:
        return ()
    said = large_delta(declared["dp_delta"].number(options.dp_delta), size=size, is_least=least is not None)
    return () if said is None else (said,)


@contextlib.contextmanager
def _advised(options: argparse.Namespace) -> Iterator[None]:
    """A release for which its account has too little left is told which epsilon fits, if nothing was spent."""
    try:
        yield
    except BudgetError as error:
        from release.account.file import TooLittle
        from release.account.fitting import fitting_epsilon
        from release.memory import NOTHING_SPENT

        if not isinstance(error, TooLittle) or NOTHING_SPENT not in str(error) or not hasattr(options, "epsilon"):
            raise
        declared, delta = options.declared.parameters, options.dp_delta
        fits = fitting_epsilon(
            error.account,
            error.charges,
            epsilon=declared["epsilon"].number(options.epsilon),
            dp_delta=None if delta is None else declared["dp_delta"].number(delta),
            is_fixed=_is_fixed(options),
        )
        if fits is not None:
            error.args = (f"{error}; --epsilon {fits} fits",)
        raise


def _is_fixed(options: argparse.Namespace) -> bool:
    """Whether a smaller epsilon leaves the method, and so the way in which its noise is counted, as it is."""
    return options.command != "synth" or options.method not in (None, options.declared.parameters["method"].default)


def _with_account(outcome: Outcome) -> Outcome:
    """The answer with what was recorded, and what is left of the account."""
    from dataclasses import replace

    from release.spending import in_account
    from synthbounds.render.account import booked_block, booked_payload

    found = in_account()
    if found is None:
        return outcome
    return replace(
        outcome,
        document=lambda: (*outcome.document(), booked_block(found)),
        payload=lambda: {**outcome.payload(), "account": booked_payload(found)},
        report=None if outcome.report is None else lambda: booked_sheet(outcome, found),
    )


def _show(outcome: Outcome, options: argparse.Namespace) -> None:
    """The report and every file, together or not at all; if noise was drawn, the files come first."""
    to_file = options.output is not None and not outcome.stages_output
    text = rendered(outcome, options.command, options.format, to_file=to_file)
    page = None if outcome.spent else page_of(outcome, options)
    if outcome.stage is None and page is None and not to_file and not outcome.spent:
        write(text)
        return
    from release.files.outputs import Outputs
    from release.spending import release_is_placed

    with Outputs(force=options.force) as outputs:
        if outcome.stage is not None:
            outcome.stage(outputs)
        if to_file:
            outputs.add(options.output, text.encode(), name="output")
        if page is not None:
            outputs.add(options.report, page, name="report")
        if not to_file and not outcome.spent:
            write(text)  # before files appear: an answer that could not be printed leaves none behind
    release_is_placed()
    if not outcome.spent:
        return
    page_error: SynthboundsError | KeyboardInterrupt | None = None
    try:
        write_page_after_files(outcome, options)
    except (SynthboundsError, KeyboardInterrupt) as error:
        page_error = error
    if not to_file:
        _print_after_files(text, page_error)
    if page_error is not None:
        raise page_error


def _print_after_files(text: str, page_error: SynthboundsError | KeyboardInterrupt | None) -> None:
    """What was paid for is already in its files; a closed pipe must not lose it, nor hide what became of the page."""
    try:
        write(text)
    except (OSError, OutputError):
        abandon_output()
        unseen = "the answer cannot be printed"
        if page_error is None:
            raise OutputError(f"{unseen}; the files are complete") from None
        page_error.args = (f"{page_error}; {unseen}",)


def _complain(message: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"synthbounds: error: {_one_line(message)}\n")


def _one_line(message: str) -> str:
    """Whatever it quotes from a command line or a file, a terminal shows it and obeys nothing."""
    return shorten(" ".join(message.split()), _LONGEST_MESSAGE)
