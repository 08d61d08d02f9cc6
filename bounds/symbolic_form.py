"""The symbolic form of a term: the formula that is computed, run on sympy symbols."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from bounds.latex_names import latex_name
from bounds.model import Formula, Route, Term
from bounds.quantities import SYMBOLS, Choices, Kind, Quantities

_WHOLE = {name for name, symbol in SYMBOLS.items() if symbol.kind in (Kind.COUNT, Kind.DEGREE)}


@cache
def _expression(formula: Formula, choices: Choices, derived: tuple[str, ...]) -> Any:
    """A formula on sympy symbols; routes share most of theirs, and sympy is slow."""
    import sympy

    from bounds.arithmetic.symbolic import SYMBOLIC

    table = {name: sympy.Symbol(name, positive=True) for name in sorted({*SYMBOLS, *derived})}
    return formula(Quantities(SYMBOLIC, table, (), choices), SYMBOLIC)


def _on_symbols(formula: Formula, route: Route) -> Any:
    """With derived quantities as symbols, too."""
    choices = Choices(mechanisms=route.mechanisms, rows=route.rows)
    return _expression(formula, choices, tuple(d.name for d in route.derived))


def symbolic_term(term: Term, route: Route) -> Any:
    """The sympy expression of a term; for a condition, of the margin that must be non-negative."""
    return _on_symbols(term.formula, route)


def symbolic_derived(name: str, route: Route) -> Any:
    """The sympy expression of a derived quantity in terms of the others."""
    return _on_symbols(next(d.formula for d in route.derived if d.name == name), route)


def names_in_use(routes: Iterable[Route]) -> tuple[set[str], set[str]]:
    """Symbols and named functions in any formula of these routes."""
    import sympy

    names: set[str] = set()
    functions: set[str] = set()
    for route in routes:
        expressions = [symbolic_term(t, route) for t in route.terms]
        expressions += [symbolic_derived(d.name, route) for d in route.derived]
        for expression in map(sympy.sympify, expressions):
            names |= {s.name for s in expression.free_symbols}
            functions |= {type(f).__name__ for f in expression.atoms(sympy.Function)}
    return names, functions


def _with_floors(expression: Any) -> Any:
    """Formulas know no floor: half a whole number rounded down is written ceil((d - 1)/2), and shown as floor(d/2)."""
    import sympy

    half = sympy.Rational(1, 2)

    def is_half_less_half(e: Any) -> bool:
        twice = 2 * e.args[0] + 1 if isinstance(e, sympy.ceiling) else None
        return isinstance(twice, sympy.Symbol) and twice.name in _WHOLE

    return sympy.sympify(expression).replace(is_half_less_half, lambda e: sympy.floor(e.args[0] + half))


@cache
def plain_text(expression: Any) -> str:
    import sympy

    return str(sympy.sstr(_with_floors(expression))).replace("**", "^")


@cache
def latex_text(expression: Any) -> str:
    import sympy

    shown = _with_floors(expression)
    return str(sympy.latex(shown, symbol_names={s: latex_name(s.name) for s in shown.free_symbols}))
