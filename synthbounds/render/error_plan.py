"""The plan of a release as a document: what to expect first, then every method over epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from mechanisms.planning.error_plan import ErrorPlan
from mechanisms.planning.forecast import Forecast
from mechanisms.planning.parameters import (
    CROSS_MOMENTS,
    INDEPENDENT,
    KINDS,
    LOGGED,
    LP,
    MARGINALS,
    METHODS,
    MOMENTS,
    ONE_WAY,
    TWO_WAY,
)
from mechanisms.select.settings import AIM, GEN, MST, TREE
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import integer_text, up

NUMBERS = {ONE_WAY: "every one-way share", TWO_WAY: "every two-way cell", MOMENTS: "every cross moment"}
TITLES = {ONE_WAY: "One-way shares", TWO_WAY: "Two-way cells", MOMENTS: "Cross moments, features within [-1, 1]"}
WAYS = {
    INDEPENDENT: "one-way tables: `release marginals` with --one-way and no pairs, `synth --method independent`",
    CROSS_MOMENTS: "one-way tables and cross moments: `synth --method moments`",
    MARGINALS: "tables of all pairs: `release marginals`; one-way shares are summed from them",
    LP: "the synthetic table itself: `synth --method lp --family cells --degree 2`",
    AIM: "one-way tables, and tables chosen round by round: `synth --method aim`, with a delta",
    MST: "one-way tables, and pairs of a spanning tree: `synth --method mst`, with a delta",
    TREE: "one-way tables, pairs with the label and of a tree: `synth --method tree`, with a delta",
    GEN: "tables of all pairs and columns: `synth --method gen`, with a delta",
}


def error_plan_document(plan: ErrorPlan) -> Document:
    """Answer first, then a table for every kind of error, then what is not promised and what it all rests on."""
    blocks: list[Block] = [
        Title("Plan of a release", "From public facts only: nothing is spent. Errors are certified, rounded up."),
        _answer(plan),
    ]
    if plan.solutions:
        blocks.append(_solutions(plan))
    for kind in KINDS:
        for methods in (tuple(method for method in METHODS if method not in LOGGED), LOGGED):
            table = _errors(plan, kind, methods)
            blocks += [] if table is None else [table]
    if plan.certificates:
        blocks.append(_certificates(plan))
    missing = tuple(_not_promised(plan))
    if missing:
        blocks.append(Bullets("Not promised", missing))
    ways = Facts(tuple((method, WAYS[method]) for method in METHODS), "Methods")
    return (*blocks, ways, Facts(_facts(plan)))


def _answer(plan: ErrorPlan) -> Block:
    rows = tuple(_solved(plan) if plan.solutions else _expected(plan))
    nothing = f"with epsilon {show_rational(plan.epsilon)} no method promises more than what holds without any data"
    return Answer(rows) if rows else Vacuous(nothing)


def _expected(plan: ErrorPlan) -> Iterator[tuple[str, str, str]]:
    """The smallest error of each kind, with delta and without."""
    for kind in KINDS:
        for pure in (False, True):
            best = plan.best(kind, pure=pure)
            error = None if best is None else best.error(kind)
            if best is not None and error is not None:
                privacy = _budget(plan.epsilon, best.budget.dp_delta)
                said = f"{NUMBERS[kind]} is within this error by {best.method}, {privacy}"
                yield kind, up(error, 3), said


def _budget(epsilon: Fraction, delta: Fraction | None) -> str:
    return f"with epsilon {show_rational(epsilon)}" + (" alone" if delta is None else f" and delta {_short(delta)}")


def _solved(plan: ErrorPlan) -> Iterator[tuple[str, str, str]]:
    """The least epsilon, or the fewest records, with delta and without."""
    wanted = plan.question.wanted
    assert wanted is not None
    for pure in (False, True):
        least = plan.least(pure=pure)
        if least is not None and least.value is not None:
            privacy = "without delta" if pure else f"with delta {_short(least.dp_delta)}"
            if least.parameter == "n":
                privacy = _budget(plan.epsilon, least.dp_delta)
            said = f"{NUMBERS[wanted.kind]} is within {show_rational(wanted.error)} by {least.method}, {privacy}"
            yield least.parameter, _value(least.value, least.parameter), said


def _value(value: Fraction | None, parameter: str) -> str:
    if value is None:
        return "-"
    return integer_text(int(value)) if parameter == "n" else show_rational(value)


def _solutions(plan: ErrorPlan) -> Table:
    """What every method needs, and the step below, which is not enough."""
    rows: list[tuple[str, ...]] = []
    marked, name = [], plan.solutions[0].parameter
    least = [plan.least(pure=pure) for pure in (False, True)]
    for found in plan.solutions:
        if found.value is None:
            continue
        if found in least:
            marked.append(len(rows))
        error = "-" if found.error is None else decimal_text(found.error, 4, up=True)
        delta = "-" if found.dp_delta is None else _short(found.dp_delta)
        value, below = (_value(number, name) for number in (found.value, found.neighbour))
        rows.append((found.method, delta, value, error, below))
    return Table(
        f"What an error of {show_rational(_wanted(plan))} needs",
        ("method", "delta", name, "error", "one step below, not enough"),
        tuple(rows),
        right=frozenset({1, 2, 3, 4}),
        marked=frozenset(marked),
        legend="needs the least",
    )


def _wanted(plan: ErrorPlan) -> Fraction:
    assert plan.question.wanted is not None
    return plan.question.wanted.error


def _errors(plan: ErrorPlan, kind: str, methods: tuple[str, ...]) -> Table | None:
    """One kind of error: epsilons in rows; methods, without and with delta, in columns."""
    shown = [
        (method, pure)
        for method in methods
        for pure in (True, False)
        if any(
            kind in found.errors
            for found in plan.forecasts
            if found.method == method and (found.budget.dp_delta is None) == pure
        )
    ]
    if not shown:
        return None
    rows = tuple(
        (show_rational(epsilon), *(_error(plan.at(method, epsilon, pure=pure), kind) for method, pure in shown))
        for epsilon in plan.epsilons
    )
    names = tuple(method if pure else f"{method}, delta" for method, pure in shown)
    return Table(
        f"{TITLES[kind]}: largest error over epsilon" + (", methods with a log" if methods == LOGGED else ""),
        ("epsilon", *names),
        rows,
        right=frozenset(range(len(names) + 1)),
        marked=frozenset(
            place for place, epsilon in enumerate(plan.epsilons) if epsilon == plan.epsilon and not plan.solutions
        ),
        legend="" if plan.solutions else "shown above",
    )


def _error(found: Forecast, kind: str) -> str:
    bound = found.errors.get(kind)
    if bound is None:
        return "-"
    return "vacuous" if bound.vacuous else up(bound.value, 3)


def _certificates(plan: ErrorPlan) -> Table:
    norms = tuple(dict.fromkeys(found.norm for found in plan.certificates))
    excess = {(found.epsilon, found.norm): found.excess_est for found in plan.certificates}
    rows = tuple(
        (
            show_rational(epsilon),
            *("-" if (value := excess[epsilon, norm]) is None else f"{value:.3g}" for norm in norms),
        )
        for epsilon in plan.epsilons
    )
    return Table(
        f"Certified excess risk of a model of {plan.question.label}, with delta (estimates; log 2 = 0.693 is vacuous)",
        ("epsilon", *(f"norm {norm}" for norm in norms)),
        rows,
        right=frozenset(range(len(norms) + 1)),
    )


def _not_promised(plan: ErrorPlan) -> Iterator[str]:
    """Why numbers are missing, each reason once."""
    for method in METHODS:
        for pure in (False, True):
            found = [f for f in plan.forecasts if f.method == method and (f.budget.dp_delta is None) == pure]
            other = [f.reason for f in plan.forecasts if f.method == method and (f.budget.dp_delta is None) != pure]
            for reason in dict.fromkeys(f.reason for f in found if f.reason):
                if reason not in other:
                    yield f"{method}, {'without' if pure else 'with'} delta: {reason}"
                elif not pure:
                    yield f"{method}: {reason}"
    known = {found.reason for found in plan.forecasts}
    yield from dict.fromkeys(f"{s.method}: {s.reason}" for s in plan.solutions if s.reason and s.reason not in known)
    if plan.without_certificates:
        yield f"certificates: {plan.without_certificates}"


def _facts(plan: ErrorPlan) -> tuple[tuple[str, str], ...]:
    question = plan.question
    hidden = question.adjacency is Adjacency.ADD_REMOVE
    moved = "one cell of every table" if hidden else "at most two cells of every table by one, and n is unchanged"
    if question.size is None:
        size = "n is solved for, " + ("a public least size" if hidden else "and public")
    elif hidden:
        size = f"n is private, at least {integer_text(question.size)}, which is public"
    else:
        size = f"n = {integer_text(question.size)} is public"
    delta = "1/n^2" if question.dp_delta is None else show_rational(question.dp_delta)
    if question.dp_delta is None and plan.dp_delta is not None:
        delta += f" = {_short(plan.dp_delta)}"
    levels = question.schema.domain.sizes
    worth = tuple(_worth_of_delta(plan)) if plan.forecasts else ()
    return (
        ("Schema", f"{len(levels)} columns of {min(levels)} to {max(levels)} values"),
        ("Privacy", f"adjacency {question.adjacency.value}: one record changes {moved}; {size}; delta is {delta}"),
        (
            "Event",
            f"each kind of error holds for all its numbers at once, for every table{' of at least n' if hidden else ''}"
            f", except with probability {show_rational(question.beta)}",
        ),
        ("Errors", "of the released numbers; with lp, of the synthetic table"),
        *_aim(plan),
        *((("Delta", "; ".join(worth)),) if worth else ()),
    )


def _aim(plan: ErrorPlan) -> Iterator[tuple[str, str]]:
    """What AIM would do, if it can be used."""
    work = plan.at(AIM, plan.epsilon, pure=False).work if plan.forecasts else None
    if work is not None:
        yield (
            "AIM",
            f"keeps {work.tables:,} tables chosen from {work.candidates:,} sets of columns with at most "
            f"{work.largest_cells:,} cells, in at most {work.most_rounds:,} rounds, usually far fewer; noise of "
            f"{work.noise_est:.3g} records per cell at first; a model of at most {work.model_mb:,} MB; about "
            f"{work.cpu_seconds_est:.1g} CPU seconds (estimates)",
        )


def _worth_of_delta(plan: ErrorPlan) -> Iterator[str]:
    """What a delta buys at the epsilon in question, if there is a choice."""
    for kind in (ONE_WAY, TWO_WAY):
        bests = [plan.best(kind, pure=pure) for pure in (False, True)]
        with_delta, alone = (None if best is None else best.error(kind) for best in bests)
        if with_delta is not None and alone is not None:
            pays = "does not pay off: leave it out"
            if with_delta < alone:
                smaller = with_delta and f"{decimal_text(alone / with_delta, 2, up=False)} times smaller"
                pays = f"makes errors {smaller or 'vanish'}"
            yield f"for {TITLES[kind].lower()} it {pays}"


def _short(value: Fraction | None) -> str:
    return "-" if value is None else decimal_text(value, 3, up=True)
