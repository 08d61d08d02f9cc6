"""The command that finishes an interrupted release: it reruns that command, with recorded numbers in place of noise."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bounds.enclosure import decimal_text
from bounds.errors import DataError, UsageError
from synthbounds.api.recovering import recover
from synthbounds.cli.engine_table import take_table
from synthbounds.cli.outcome import Outcome, inputs_of, json_body, rendered
from synthbounds.cli.page_file import require_page
from synthbounds.cli.places import RELEASING, public_files, require_places

if TYPE_CHECKING:
    from bounds.parameter import Parameter
    from release.files.outputs import Outputs
    from release.recovery_file import Recovery
    from synthbounds.render.document import Document

_ELSEWHERE = ("output", "synthetic", "release", "log", "report")
"""Files that may go elsewhere than where the interrupted command would have written them."""


def run(options: argparse.Namespace) -> Outcome:
    from release.memory import prepare_release
    from release.replay import Replay
    from release.spending import replaying
    from synthbounds.cli.run import warn
    from synthbounds.render.recovered import recovered_block, recovered_payload

    recovery = recover(options.file, table=options.table)
    asked, goes_on = _asked(recovery, options), options.table is not None
    if not goes_on and recovery.can_go_on and recovery.share_left:
        warn(_forgone(recovery))
    require_places(asked)
    take_table(asked)
    options.report, options.account = getattr(asked, "report", None), asked.account
    require_page(options)
    if goes_on:
        prepare_release()
    with replaying(Replay(recovery, goes_on=goes_on)):
        found: Outcome = import_module(f"synthbounds.cli.{asked.command}_command").run(asked)

    def stage(outputs: Outputs) -> None:
        if found.stage is not None:
            found.stage(outputs)
        if asked.output is not None and not found.stages_output:
            text = rendered(found, asked.command, asked.format, to_file=True)
            outputs.add(asked.output, text.encode(), name="output")

    def document() -> Document:
        return (*found.document(), recovered_block(recovery, asked.command, goes_on=goes_on))

    def payload() -> dict[str, Any]:
        return recovered_payload(recovery, asked.command, goes_on=goes_on) | {"answer": json_body(found, asked.command)}

    return replace(
        found,
        document=document,
        payload=payload,
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
        spent=True,
    )


def _forgone(recovery: Recovery) -> str:
    """What is lost without the table; said before the release is finished without it."""
    share, unit = decimal_text(100 * recovery.share_left, 3, up=False), recovery.ledger.currency.text
    return (
        f"without --table, {share} % of the budget (of {unit}) is forgone: it is spent, but what it was for was not "
        "drawn; the run could go on with the table"
    )


def _asked(recovery: Recovery, options: argparse.Namespace) -> argparse.Namespace:
    """The options of the interrupted command, with its files as found from here and those that now go elsewhere."""
    from synthbounds.cli.run import all_options

    where = f"recovery file {recovery.path.name}"
    if recovery.asked.arguments[0] not in RELEASING:
        raise DataError(f"{where}: arguments: must be those of one of {', '.join(RELEASING)}")
    asked = all_options(list(recovery.asked.arguments))
    read = public_files(asked)
    for name, parameter in asked.declared.parameters.items():
        setattr(asked, name, _from_here(getattr(asked, name), parameter, recovery.asked.folder))
    _require_unchanged(recovery, read, where)
    if options.table is not None:
        setattr(asked, "given" if asked.command == "regress" else "table", options.table)
    for name in _ELSEWHERE:
        said = getattr(options, name)
        if said is None:
            continue
        parameter = asked.declared.parameters.get(name)
        if parameter is None or parameter.role != "written":
            raise UsageError(f"{name} = {said[:60]}: the interrupted `synthbounds {asked.command}` writes no such file")
        setattr(asked, name, said)
    asked.force = options.force  # never from a file
    return asked


def _from_here(said: Any, parameter: Parameter, folder: str) -> Any:
    """A file that was named where the command ran; other values as they are."""
    if parameter.role is None or not said or os.path.realpath(folder) == os.path.realpath(os.curdir):
        return said
    if isinstance(said, list):
        return [_from_here(one, parameter, folder) for one in said]
    joined = os.path.join(folder, said)
    return joined if parameter.kind in ("file", "list") or os.path.isfile(joined) else said


def _require_unchanged(recovery: Recovery, read: list[str], where: str) -> None:
    """Public files must be unchanged: another schema would name other values."""
    from release.files.digest import digest_of_file

    for name in read:
        known = recovery.asked.files.get(name)
        found = os.path.join(recovery.asked.folder, name)
        if known is not None and digest_of_file(found, "file") != known:
            raise DataError(f"{where}: {os.path.basename(name)} has been changed since the release was interrupted")
