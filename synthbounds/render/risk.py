"""A bound on excess risk, and a comparison of such bounds, as documents."""

from __future__ import annotations

from bounds.enclosure import Enclosure, decimal_text
from bounds.exact import show_rational
from bounds.risk.answer import Noise, RiskAnswer
from bounds.risk.compare import RiskRow
from bounds.risk.polynomials import RiskPolynomial
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import enclosure_text, integer_text, nearest_text
from synthbounds.render.shared import budget_text, hypotheses, provenance, remarks, source

_DIGITS = 8
_PART_MEANINGS = {
    "approximation": "the polynomial differs from the loss",
    "marginals": "synthetic marginals differ from the real ones",
    "moments": "the moments carry noise",
    "optimisation": "the model is not optimal on the synthetic data, as given",
}


_ROUTE_MEANINGS = {
    "no data": {"approximation": "any two models differ by at most this much", "marginals": "not used"},
    "all attributes": {"approximation": "none is needed: the marginal contains all attributes"},
    "all features": {"approximation": "none is needed: the even part has its marginal, the rest has its pairs"},
    "the loss itself": {"approximation": "the loss is a polynomial"},
}


def risk_document(answer: RiskAnswer) -> Document:
    """Answer first, then where it comes from, what is assumed, and how far it can be from the truth."""
    blocks: list[Block] = [
        Title(f"{answer.title} - {answer.edition} edition", provenance(answer, ", with the constants of its proof")),
        _answer(answer),
    ]
    if answer.vacuous:
        blocks.append(Vacuous(answer.reason))
    blocks += [Facts(tuple(facts_of(answer))), _parts(answer)]
    if answer.required is not None:
        blocks.append(_proof_of_n(answer))
    if answer.polynomial is not None:
        blocks.append(_polynomial(answer.polynomial))
    if answer.others:
        blocks.append(_others(answer))
    blocks.append(hypotheses(answer.hypotheses))
    if answer.notes:
        blocks.append(remarks(answer))
    blocks.append(source(answer, "ball arithmetic and exact rationals; the bound is rounded up"))
    return tuple(blocks)


def _answer(answer: RiskAnswer) -> Answer:
    rows = []
    if answer.solved is not None:
        least = "smallest that reaches the target, to six digits"
        if answer.solved.neighbour is None:
            least = "reaches the target; nothing smaller is tried"
        rows.append(("epsilon", show_rational(answer.solved.value), least))
    if answer.required is not None:
        few = "the fewest that reach the target" if answer.required.proved_smallest else "enough to reach the target"
        rows.append(("n", integer_text(answer.required.certificate.value), f"records, {few}"))
    rows.append(("excess", _at_most(answer.bound), "risk above that of the best model of the class, at most"))
    floor = answer.floor
    if floor is not None:
        rows.append(("floor", _at_least(floor.value), _floor_meaning(answer)))
    return Answer(tuple(rows))


def _floor_meaning(answer: RiskAnswer) -> str:
    """Noise is only known to stay within nu, so what marginals that far apart allow need not occur."""
    if answer.noise is not None and answer.noise.nu is not None:
        return "some data with marginals as far apart as nu reach this"
    return "some distributions that meet the assumptions reach this"


def _at_most(enclosure: Enclosure) -> str:
    """Rounded up: the bound that is printed is one."""
    return enclosure.decimal(_DIGITS)[1]


def _at_least(enclosure: Enclosure) -> str:
    """Rounded down, for what some data have."""
    return enclosure.decimal(6)[0]


def facts_of(answer: RiskAnswer) -> list[tuple[str, str]]:
    question, loss = answer.question, answer.question.loss
    radius = nearest_text(loss.radius, 10) if loss.radius.denominator > 10**6 else show_rational(loss.radius)
    up = ", rounded up in the 38th digit" if question.radius_is_rounded else ""
    meaning = f" ({loss.question.function.meaning})" if loss.question.function.meaning else ""
    rows = [("Loss", f"{loss.question.function.name}{meaning}; models with {_model_class(answer, radius)}{up}")]
    if answer.noise is None or answer.noise.nu is not None:
        rows.append(("Data", _data(answer)))
    if answer.noise is not None:
        rows += _privacy(answer.noise)
    rows.append(("Route", _route(answer)))
    if answer.floor is not None:
        rows.append(("Truth", _truth(answer)))
    rows.append(("Trivial", f"{enclosure_text(answer.trivial, 8)} is the most by which any two models can differ"))
    rows += _proof_of_epsilon(answer)
    return rows


def _model_class(answer: RiskAnswer, radius: str) -> str:
    if answer.question.release == "moments":
        return f"|w|_2 <= tau = R/sqrt m, R = {radius}"
    intercept = " with the intercept" if answer.question.intercept else ""
    return f"|w|_1{intercept} <= R = {radius}"


def _proof_of_epsilon(answer: RiskAnswer) -> list[tuple[str, str]]:
    solved = answer.solved
    if solved is None:
        return []
    if solved.neighbour is None or solved.neighbour_bound is None:
        return [("Proof", "no smaller epsilon is tried: privacy costs nothing here")]
    target = answer.question.target
    proved = target is not None and solved.neighbour_bound.lo > target
    neighbour = f"epsilon = {show_rational(solved.neighbour)} gives {solved.neighbour_bound.decimal(10)[0]} or more"
    return [("Proof", neighbour if proved else f"{neighbour}, which is not proved to be too much")]


def _data(answer: RiskAnswer) -> str:
    s = answer.marginal_error
    assert s is not None
    share = enclosure_text(s, 8)
    order = answer.tables.text
    if answer.noise is None or answer.noise.nu is None:
        return f"{order} are within s = {share} in L1, as shares of the records"
    n = integer_text(answer.n)
    return f"{order} are within nu = {enclosure_text(answer.noise.nu, 8)} in L1, s = nu/n = {share} with n = {n}"


def _privacy(noise: Noise) -> list[tuple[str, str]]:
    privacy = noise.privacy
    sd = "; ".join(f"standard deviation {value.decimal(8)[1]} on {what}" for what, value in noise.sd)  # rounded up
    claim = "" if noise.is_private else "!! claimed, but not given by this noise: "
    return [
        ("Privacy", f"{claim}{budget_text(privacy)} in total; adjacency {privacy.adjacency.value}; n is public"),
        ("Noise", f"{privacy.mechanism}; {sd}; {privacy.sensitivity}"),
        ("Failure", f"the bound fails with probability at most {enclosure_text(Enclosure.of(noise.failure), 8)}"),
    ]


def _route(answer: RiskAnswer) -> str:
    polynomial = answer.polynomial
    if polynomial is None:
        return answer.route
    even, odd = polynomial.orders
    if answer.question.release == "moments":
        return f"{answer.route}, degree {polynomial.degree}: it uses only sums of x_i y and x_i x_j"
    needs = f"marginals of {even} features" if even else "no marginals of only features"
    label = f", and of up to {odd} attributes with the label" if odd else "; the label is not used"
    return f"{answer.route}, degree {polynomial.degree}; it uses {needs}{label}"


def _truth(answer: RiskAnswer) -> str:
    floor = answer.floor
    assert floor is not None
    known = []
    if floor.marginals is not None:
        known.append(f"{_at_least(floor.marginals)} by marginals as far off as these")
    if floor.bias is not None:
        known.append(f"{_at_least(floor.bias)} even with identical marginals")
    said = f"some data have an excess of {' and '.join(known)}"
    if answer.slack_ub is None:
        noise = "the noise need not be as large as its bound" if answer.question.release == "marginals" else ""
        return f"{said}; {noise or 'we know no lower bound for the noise'} (synthbounds.risk-floor)"
    times = decimal_text(answer.slack_ub, 4, up=True)
    return f"{said}: the bound is at most {times} times the largest true excess (synthbounds.risk-floor)"


def _parts(answer: RiskAnswer) -> Table:
    meanings = {**_PART_MEANINGS, **_ROUTE_MEANINGS.get(answer.route, {})}
    rows = tuple((p.name, enclosure_text(p.value, 12), meanings.get(p.name, "")) for p in answer.parts)
    largest = max(range(len(answer.parts)), key=lambda i: answer.parts[i].value.hi)
    return Table(
        "Terms", ("term", "value", "because"), rows, right=frozenset({1}), marked=frozenset({largest}), legend="largest"
    )


def _proof_of_n(answer: RiskAnswer) -> Table:
    required = answer.required
    assert required is not None
    certificate = required.certificate
    rows = [("n", integer_text(certificate.value), enclosure_text(certificate.margin_at_value, 6))]
    if certificate.margin_below is not None:
        rows.append(("n - 1", integer_text(certificate.value - 1), enclosure_text(certificate.margin_below, 6)))
    for tried in required.orders if len(required.orders) > 1 else ():
        pairs = ", labels in pairs" if tried.tables.paired else ""
        records = "none" if tried.n is None else integer_text(tried.n)
        rows.append((f"order {tried.tables.order}{pairs}", records, tried.route))
    title = f"Proof that n is the smallest: {required.scope}" if required.scope else "A sufficient number of records"
    return Table(title, ("", "records", "margin"), tuple(rows), right=frozenset({1}))


def _polynomial(polynomial: RiskPolynomial) -> Table:
    rows = tuple(
        (str(k), nearest_text(c, 12), nearest_text(polynomial.scaled(k), 8) if k else "")
        for k, c in enumerate(polynomial.coefficients)
        if c
    )
    return Table(
        f"Polynomial ({polynomial.method})", ("power", "coefficient", "|a_k| R^k"), rows, right=frozenset({0, 1, 2})
    )


def _others(answer: RiskAnswer) -> Table:
    rows = tuple((o.route, "" if o.value is None else _at_most(o.value), o.reason) for o in answer.others)
    return Table("Other bounds that apply", ("bound", "excess at most", ""), rows, right=frozenset({1}))


def _remark(answer: RiskAnswer) -> str:
    said = ["vacuous"] if answer.vacuous else []
    return ", ".join([*said, *(["! hypothesis violated"] if answer.violated else [])])


def risk_comparison_document(rows: tuple[RiskRow, ...]) -> Document:
    applied = [(row, row.answer) for row in rows if row.answer is not None]
    refused = [row for row in rows if row.answer is None]
    blocks: list[Block] = [Title("Every bound on excess risk that applies")]
    if applied:
        best = min(range(len(applied)), key=lambda i: (applied[i][1].n or 0, applied[i][1].bound.hi))
        table = tuple(
            (row.theorem, row.edition, integer_text(a.n), _at_most(a.bound), a.route, _remark(a)) for row, a in applied
        )
        columns = ("theorem", "edition", "n", "excess at most", "route", "")
        marked = frozenset({best})
        blocks.append(Table("", columns, table, right=frozenset({2, 3}), marked=marked, legend="least"))
    if refused:
        blocks.append(Bullets("Not applicable", tuple(f"{r.theorem} ({r.edition}): {r.reason}" for r in refused)))
    return tuple(blocks)
