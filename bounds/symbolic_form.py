"""The symbolic form of a term: the same formula that is computed, run on sympy symbols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bounds.model import Route, Term
from bounds.quantities import SYMBOLS, Choices, Quantities

if TYPE_CHECKING:
    import sympy


def symbols_for(route: Route, *, derived_as_symbols: bool) -> tuple[Quantities, dict[str, sympy.Symbol]]:
    """Quantities whose values are sympy symbols; derived ones stay symbols for display, expand otherwise."""
    import sympy

    from bounds.arithmetic.symbolic import SYMBOLIC

    names = set(SYMBOLS)
    derived = route.derived
    if derived_as_symbols:
        names |= {d.name for d in derived}
        derived = ()
    else:
        names -= {d.name for d in derived}
    table = {name: sympy.Symbol(name, positive=True) for name in sorted(names)}
    choices = Choices(mechanisms=route.mechanisms, rows=route.rows)
    return Quantities(SYMBOLIC, table, derived, choices), table


def symbolic_term(term: Term, route: Route, *, derived_as_symbols: bool = True) -> Any:
    """The sympy expression of a term; for a condition, of the margin that must be non-negative."""
    from bounds.arithmetic.symbolic import SYMBOLIC

    q, _ = symbols_for(route, derived_as_symbols=derived_as_symbols)
    return term.formula(q, SYMBOLIC)


def symbolic_derived(name: str, route: Route) -> Any:
    """The sympy expression of a derived quantity in terms of the others."""
    from bounds.arithmetic.symbolic import SYMBOLIC

    q, _ = symbols_for(route, derived_as_symbols=True)
    formula = next(d.formula for d in route.derived if d.name == name)
    return formula(q, SYMBOLIC)


def plain_text(expression: Any) -> str:
    import sympy

    return str(sympy.sstr(expression)).replace("**", "^")


def latex_text(expression: Any, extra: Mapping[str, str] | None = None) -> str:
    import sympy

    names = {sympy.Symbol(name, positive=True): symbol.latex for name, symbol in SYMBOLS.items()}
    for name, latex in (extra or {}).items():
        names[sympy.Symbol(name, positive=True)] = latex
    for symbol in expression.free_symbols:
        if symbol not in names:
            names[symbol] = _latex_name(symbol.name)
    return str(sympy.latex(expression, symbol_names=names))


def _latex_name(name: str) -> str:
    head, _, tail = name.partition("_")
    if not tail:
        return head if len(head) == 1 else rf"\mathrm{{{head}}}"
    first = head if len(head) == 1 else rf"\mathrm{{{head}}}"
    return rf"{first}_{{\mathrm{{{tail.replace('_', ' ')}}}}}"
