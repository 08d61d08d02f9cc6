"""The command that asks the holder of the data for one planned gradient: from options to files and a certificate."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

from bounds.errors import UsageError
from mechanisms.models.parameters import CONFIRM_PARAMETERS, read_confirm_numbers
from release.files.outputs import Outputs, require_place
from release.files.strict_json import MOST_FILE_BYTES
from synthbounds.cli.commands import Outcome, inputs_of

_FILES = ("table", "release", "model", "previous")


def confirm_command(options: argparse.Namespace) -> Outcome:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.confirm.ask import plan_confirmation
    from mechanisms.models.model import read_model
    from mechanisms.models.plan.worth import require_that_it_pays
    from release.data.tables import IGNORE, REFUSE, read_batches
    from release.gradient.make import Payer
    from release.gradient.read import read_query
    from release.moments.read import read_release
    from release.noise.kinds import NOT_A_RELEASE
    from release.parameters import DEFAULT_BETA
    from synthbounds.render.confirmation import ConfirmFiles, confirmation_document, confirmation_payload

    if options.output is None:
        raise UsageError("output is missing: say where the answer goes (--output query.json)")
    numbers = read_confirm_numbers({name: getattr(options, name) for name in CONFIRM_PARAMETERS})
    # What paid is marked as spent in the file that was read, unless another process has changed it meanwhile.
    marked = options.release if options.previous is None else options.previous
    as_read = _bytes_of(marked)
    release = read_release(options.release)
    previous = None if options.previous is None else read_query(options.previous, release)
    model = read_model(options.model, release.feature_map)
    plan = plan_confirmation(
        release,
        model,
        class_for(model, tau=numbers.get("tau"), ridge=numbers.get("ridge")),
        beta=numbers.get("beta", DEFAULT_BETA),
        part=numbers.get("part", Fraction(1)),
        previous=previous,
        seed=_seed(numbers, simulated=release.is_simulated),
    )
    if not options.anyway:
        require_that_it_pays(plan)
    require_place(marked, name="release" if previous is None else "previous", force=True)
    batches = read_batches(
        options.table,
        release.feature_map.schema,
        extra=IGNORE if options.ignore_extra else REFUSE,
        echo_values=release.is_simulated,
        allow_empty=release.adjacency is Adjacency.ADD_REMOVE,  # there the number of records is private
    )

    def book(payer: Payer) -> None:
        """Mark what pays as spent, in the file that was read: of two processes only one gets further than this."""
        with Outputs() as outputs:
            name = "release" if payer.previous is None else "previous"
            outputs.add(marked, payer.to_text().encode(), name=name, replaces=as_read)

    found = plan.ask(batches, book=None if release.is_simulated else book)

    def stage(outputs: Outputs) -> None:
        if release.is_simulated:  # nothing was spent: both files, or none
            payer = Payer(release=found.release, previous=found.booking.previous)
            name = "release" if payer.previous is None else "previous"
            outputs.add(marked, payer.to_text().encode(), name=name, replaces=as_read)
        outputs.add(options.output, found.query.to_text().encode(), name="output")

    files = ConfirmFiles(options.table, options.release, options.model, options.output, options.previous)
    return Outcome(
        lambda: confirmation_document(found, files),
        lambda: confirmation_payload(found, files),
        (NOT_A_RELEASE,) if release.is_simulated else (),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
        stages_output=True,
        spent=not release.is_simulated,
    )


def _seed(numbers: dict[str, Fraction], *, simulated: bool) -> int | None:
    if "seed" in numbers:
        return int(numbers["seed"])
    return 0 if simulated else None


def _bytes_of(path: str) -> bytes:
    """The file as it is; one that cannot be read is complained about where it is parsed."""
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > MOST_FILE_BYTES:
            return b""
        return Path(path).read_bytes()
    except (OSError, ValueError):
        return b""
