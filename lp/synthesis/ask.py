"""From raw values to a synthesis: the user's values are read and checked once, then the algorithm runs on the records.

This is the single entry for the command line and for Python. Values are text, integers or fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.parameter import read_numbers
from bounds.privacy.adjacency import Adjacency
from lp.synthesis.parameters import SYNTH_PARAMETERS
from lp.synthesis.question import BERNSTEIN, FREE, UNIFORM, Question, usual_measure
from release.noise.kinds import Mode, read_mode
from release.parameters import read_privacy, require_given
from release.statistics.families import Family, build_family

if TYPE_CHECKING:
    from lp.synthesis.run import Approve, Progress, Synthesis
    from release.data.domain import Domain
    from release.data.source import Records

_FOR_MEASURE = {
    "variant": ("histogram", "grid"),
    "cells_per_axis": ("grid",),
    "lipschitz": ("uniform", "grid"),
    "bernstein_degree": ("bernstein",),
    "bernstein_order": ("bernstein",),
    "bandwidth": ("bernstein",),
}


@dataclass(frozen=True, kw_only=True)
class SynthesisRequest:
    """A synthesis that has been requested and checked, before any record is seen."""

    mode: Mode
    adjacency: Adjacency
    measure: str | None
    """None for the usual one for the domain and the queries."""
    rows: str
    solver: str
    mechanism: str | None
    variant: str | None
    family: str | None
    numbers: Mapping[str, Fraction]
    """Those that were given, by the names of their parameters."""

    def number(self, name: str) -> Fraction:
        """A given number, or its default."""
        return self.numbers[name] if name in self.numbers else SYNTH_PARAMETERS[name].number()

    def whole(self, name: str) -> int | None:
        return int(self.numbers[name]) if name in self.numbers else None

    def queries(self, domain: Domain) -> tuple[Family, int]:
        """The queries, and their degree."""
        degree = int(self.number("degree"))
        if "degree" not in self.numbers:
            degree = min(degree, domain.p)
        default = "monomials" if domain.is_boolean else "cells"
        return build_family(default if self.family is None else self.family, domain, degree), degree

    def measure_for(self, family: Family) -> str:
        """The measure that was asked for, or the usual one; a Lipschitz constant is for points drawn uniformly."""
        if self.measure is not None:
            return self.measure
        return UNIFORM if "lipschitz" in self.numbers else usual_measure(family, part="m" in self.numbers)

    def question(self, family: Family, degree: int | None, *, n: int) -> Question:
        """The validated question for a table of n records."""
        return Question(
            family=family,
            degree=degree,
            measure=self.measure_for(family),
            mode=self.mode,
            adjacency=self.adjacency,
            size=n if self.adjacency is Adjacency.REPLACE_ONE else int(self.numbers["least_size"]),
            epsilon=self.numbers["epsilon"],
            failure=self.number("failure"),
            dp_delta=self.numbers.get("dp_delta"),
            accuracy=self.numbers.get("accuracy"),
            mechanism=self.mechanism,
            m=self.whole("m"),
            k=self.whole("k"),
            rows=self.rows,
            solver=self.solver,
            lipschitz=self.numbers.get("lipschitz"),
            variant=self.variant,
            cells_per_axis=self.whole("cells_per_axis"),
        )

    def run(
        self,
        records: Records,
        domain: Domain,
        *,
        own_family: Family | None = None,
        anyway: bool = False,
        exact: bool = False,
        approve: Approve | None = None,
        progress: Progress | None = None,
    ) -> Synthesis:
        """The algorithm on records given as codes of the domain."""
        from lp.synthesis.answers import count_records
        from lp.synthesis.points import MeasureSettings
        from lp.synthesis.run import synthesize

        queries, degree = self.queries(domain) if own_family is None else (own_family, None)
        if own_family is not None and (own_family.domain != domain or "degree" in self.numbers):
            raise UsageError("family: a family of your own has its domain and needs no degree; give the same domain")
        table = count_records(queries, records, keep=self.measure not in (None, *FREE))
        return synthesize(
            table,
            self.question(queries, degree, n=table.n),
            seed=None if self.mode == "release" else int(self.number("seed")),
            anyway=anyway,
            exact=exact,
            approve=approve,
            progress=progress,
            settings=MeasureSettings(
                degree=self.whole("bernstein_degree"),
                bandwidth=self.numbers.get("bandwidth"),
                order=int(self.number("bernstein_order")),
            ),
        )


def read_request(
    parameters: Mapping[str, object], *, numbers: Mapping[str, Fraction] | None = None
) -> SynthesisRequest:
    """Before the table is read, refuse anything that could not run on any table; None means not given.

    `numbers` are those among the values, if they have been read already.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    known = SYNTH_PARAMETERS
    require_given(given, "mode")
    read_mode(given["mode"])
    require_given(given, "epsilon")
    mode, adjacency = read_privacy(
        given["mode"], given.get("adjacency"), seed=given.get("seed"), least_size=given.get("least_size")
    )
    rows, solver = (known[name].choice(given.get(name)) for name in ("rows", "solver"))
    measure, mechanism, variant = (
        known[name].choice(given[name]) if name in given else None for name in ("measure", "mechanism", "variant")
    )
    for name, measures in _FOR_MEASURE.items():
        if name in given and (measure or UNIFORM) not in measures:
            raise UsageError(f"{name.replace('_', '-')} is for --measure {' or '.join(measures)}")
    if measure == BERNSTEIN and not {"bernstein_degree", "bandwidth"} <= given.keys():
        raise UsageError("the Bernstein measure needs --bernstein-degree and --bandwidth")
    return SynthesisRequest(
        mode=mode,
        adjacency=adjacency,
        measure=measure,
        rows=rows,
        solver=solver,
        mechanism=mechanism,
        variant=variant,
        family=str(given["family"]) if "family" in given else None,
        numbers=read_numbers(known, given, of="a synthesis") if numbers is None else numbers,
    )


def synthesize(
    records: Records,
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
    own = family if isinstance(family, Family) else None
    asked = read_request({**parameters, "family": None if own is not None else family})
    return asked.run(records, domain, own_family=own, anyway=anyway, exact=exact, progress=progress)
