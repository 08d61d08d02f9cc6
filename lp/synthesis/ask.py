"""From raw values to a synthesis: parse and check what the user said, read the table, run the algorithm.

This is the one way in for the command line and for Python. Values are text, integers or fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import ParameterError, UsageError
from bounds.parameters import read_numbers
from bounds.privacy.adjacency import Adjacency, read_adjacency
from lp.measures.histogram import VARIANTS
from lp.programme.solve import METHODS
from lp.synthesis.parameters import SYNTH_PARAMETERS
from lp.synthesis.question import BERNSTEIN, MEASURES, ROUNDING, ROWS, UNIFORM, Question
from release.noise.kinds import LATTICE_KINDS, read_mode
from release.statistics.families import Family, build_family

if TYPE_CHECKING:
    from lp.synthesis.run import Progress, Synthesis
    from release.data.domain import Codes, Domain

_FOR_MEASURE = {
    "variant": ("histogram", "grid"),
    "cells_per_axis": ("grid",),
    "lipschitz": ("uniform", "grid"),
    "bernstein_degree": ("bernstein",),
    "bernstein_order": ("bernstein",),
    "bandwidth": ("bernstein",),
}


def _said(given: Mapping[str, object], name: str, otherwise: object) -> object:
    """What was given; empty text, as from an unset variable of a shell, is something given, and wrong."""
    value = given.get(name)
    return otherwise if value is None else value


def adjacency_of(given: Mapping[str, object]) -> Adjacency:
    return read_adjacency(_said(given, "adjacency", "replace-one"))


def read_synthesis_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, checked against what they may be anywhere."""
    return read_numbers(SYNTH_PARAMETERS, given, of="a synthesis")


def check_choices(given: Mapping[str, object]) -> None:
    """Refuse before the table is read what could not be run whatever it holds."""
    if given.get("mode") is None:
        raise UsageError("mode is missing: give --mode release, or --mode simulate for study only")
    mode = read_mode(given["mode"])
    if "epsilon" not in given:
        raise UsageError("epsilon is missing: give the privacy to be spent in total (--epsilon)")
    if mode == "release":
        if given.get("seed") is not None:
            raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
        if given.get("adjacency") is None:
            raise UsageError("adjacency is missing: a release must say replace-one or add-remove (--adjacency)")
    adjacency = adjacency_of(given)
    if (adjacency is Adjacency.ADD_REMOVE) != (given.get("least_size") is not None):
        raise UsageError(
            "least-size is for --adjacency add-remove, and needed there: a public number of records that the table "
            "has at least"
        )
    measure = _said(given, "measure", UNIFORM)
    if measure not in MEASURES:
        raise ParameterError("measure", measure, "one of " + ", ".join(MEASURES))
    if _said(given, "rows", ROUNDING) not in ROWS:
        raise ParameterError("rows", given["rows"], "one of " + ", ".join(ROWS))
    if _said(given, "solver", METHODS[0]) not in METHODS:
        raise ParameterError("solver", given["solver"], "one of " + ", ".join(METHODS))
    for name, measures in _FOR_MEASURE.items():
        if given.get(name) is not None and measure not in measures:
            raise UsageError(f"{name.replace('_', '-')} is for --measure {' or '.join(measures)}")
    if given.get("mechanism") is not None and given["mechanism"] not in LATTICE_KINDS:
        raise ParameterError("mechanism", given["mechanism"], "one of " + ", ".join(LATTICE_KINDS))
    if given.get("variant") is not None and given["variant"] not in VARIANTS:
        raise ParameterError("variant", given["variant"], "one of " + ", ".join(VARIANTS))
    if measure == BERNSTEIN and (given.get("bernstein_degree") is None or given.get("bandwidth") is None):
        raise UsageError("the Bernstein measure needs --bernstein-degree and --bandwidth")
    read_synthesis_numbers({name: value for name, value in given.items() if value is not None})


def family_for(given: Mapping[str, object], domain: Domain) -> tuple[Family, int]:
    """The queries, and their degree."""
    degree = int(read_synthesis_numbers({"degree": _said(given, "degree", 2)})["degree"])
    default = "monomials" if domain.is_boolean else "cells"
    chosen = _said(given, "family", default)
    if "degree" not in given:
        degree = min(degree, domain.p)
    return build_family(str(chosen), domain, degree), degree


def question_for(given: Mapping[str, object], family: Family, degree: int | None, *, n: int) -> Question:
    """The validated question for a table of n records."""
    numbers = read_synthesis_numbers(given)
    adjacency = adjacency_of(given)

    def whole(name: str) -> int | None:
        return int(numbers[name]) if name in numbers else None

    return Question(
        family=family,
        degree=degree,
        measure=str(_said(given, "measure", UNIFORM)),
        mode=read_mode(given["mode"]),
        adjacency=adjacency,
        size=n if adjacency is Adjacency.REPLACE_ONE else int(numbers["least_size"]),
        epsilon=numbers["epsilon"],
        failure=numbers.get("failure", Fraction(1, 20)),
        dp_delta=numbers.get("dp_delta"),
        accuracy=numbers.get("accuracy"),
        mechanism=None if given.get("mechanism") is None else str(given["mechanism"]),
        m=whole("m"),
        k=whole("k"),
        rows=str(_said(given, "rows", ROUNDING)),
        lipschitz=numbers.get("lipschitz"),
        variant=None if given.get("variant") is None else str(given["variant"]),
        cells_per_axis=whole("cells_per_axis"),
    )


def synthesize(
    records: Codes | Iterable[Codes],
    domain: Domain,
    *,
    family: Family | str | None = None,
    anyway: bool = False,
    exact: bool = False,
    progress: Progress | None = None,
    **parameters: object,
) -> Synthesis:
    """A synthetic table for records given as codes of the domain; parameters as for `synthbounds synth`.

    `family` is the name of a family or a family of your own. In release mode the result may be published, once; each
    further call spends epsilon again.
    """
    from lp.synthesis.answers import count_records
    from lp.synthesis.points import MeasureSettings
    from lp.synthesis.run import synthesize as run

    given = {name: value for name, value in parameters.items() if value is not None}
    check_choices(given)
    queries: Family
    degree: int | None = None
    if isinstance(family, Family):
        if family.domain != domain or "degree" in given:
            raise UsageError("family: a family of your own has its domain and needs no degree; give the same domain")
        queries = family
    else:
        queries, degree = family_for({**given, "family": family}, domain)
    numbers = read_synthesis_numbers(given)
    table = count_records(queries, records, keep=_said(given, "measure", UNIFORM) != UNIFORM)
    question = question_for(given, queries, degree, n=table.n)
    settings = MeasureSettings(
        degree=int(numbers["bernstein_degree"]) if "bernstein_degree" in numbers else None,
        bandwidth=numbers.get("bandwidth"),
        order=int(numbers.get("bernstein_order", 1)),
    )
    seed = None if question.mode == "release" else int(numbers.get("seed", 0))
    return run(
        table,
        question,
        seed=seed,
        anyway=anyway,
        exact=exact,
        method=str(_said(given, "solver", METHODS[0])),
        progress=progress,
        settings=settings,
    )
