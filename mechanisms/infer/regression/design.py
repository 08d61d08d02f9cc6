"""What a formula means on the features of a release: the place of the response and those of the regressors.

A column stands for all of its features. With an intercept and no ridge, one indicator of each complete one-hot column
is left out, since all of them add up to the intercept: the others are compared with it. Only public knowledge decides
that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bounds.errors import UsageError
from mechanisms.infer.noisy_matrix import NoisyMatrix
from mechanisms.infer.regression.formula import DOT, Formula, parse_formula
from mechanisms.infer.regression.units import Unit, unit_of
from release.statistics.blocks import ONE_HOT
from release.statistics.features import INTERCEPT, FeatureMap


@dataclass(frozen=True, kw_only=True)
class Design:
    """A response and regressors, by name and by place in the matrix of moments."""

    formula: str
    response: str
    response_place: int
    response_is_sign: bool
    """Whether the response is -1 or 1 in every record, like a label of two values."""
    regressors: tuple[str, ...]
    places: tuple[int, ...]
    units: tuple[Unit | None, ...]
    references: tuple[str, ...]
    """Indicators that are left out, with which the others of their columns are compared."""
    notes: tuple[str, ...] = ()

    @property
    def has_intercept(self) -> bool:
        return INTERCEPT in self.regressors

    def without(self, name: str) -> Design:
        """The same without one of the regressors."""
        kept = [j for j, other in enumerate(self.regressors) if other != name]
        return replace(
            self,
            regressors=tuple(self.regressors[j] for j in kept),
            places=tuple(self.places[j] for j in kept),
            units=tuple(self.units[j] for j in kept),
        )


def design_of(text: str, features: FeatureMap, matrix: NoisyMatrix, *, keeps_all: bool = False) -> Design:
    """The design of a formula; with `keeps_all` a one-hot column keeps all of its indicators, as with a ridge."""
    groups = _groups(features)
    known = {*groups, *(name for members in groups.values() for name in members)}
    formula = parse_formula(text, known)
    response = _response(formula, groups)
    at = matrix.place(response)
    notes: list[str] = []
    left_out = _not_explaining(matrix, features, response)
    terms = _terms(formula, groups, response, left_out)
    if left_out and (1, DOT) in formula.terms:
        notes.append(f"the dot leaves {features.label} out: the release does not have the sum of its squares")
    regressors, references = _regressors(terms, features, groups, reduce=not keeps_all, intercept=formula.intercept)
    if not regressors:
        raise UsageError("formula: no explaining column is left; name at least one, as in 'y ~ a'")
    names = (*regressors, *((INTERCEPT,) if formula.intercept else ()))
    return Design(
        formula=text.strip(),
        response=response,
        response_place=at,
        response_is_sign=response == features.label and not features.label_is_number,
        regressors=names,
        places=tuple(matrix.place(name) for name in names),
        units=tuple(unit_of(features, response, name) for name in names),
        references=references,
        notes=tuple(notes),
    )


def _groups(features: FeatureMap) -> dict[str, tuple[str, ...]]:
    """Columns with the names of their features, the label among them, in the order of the schema."""
    found: dict[str, tuple[str, ...]] = {}
    start = 0
    of_column = iter(features.blocks)
    for column in features.schema.columns:
        if column.name == features.label:
            found[column.name] = (features.label,)
            continue
        width = len(next(of_column)[0])
        found[column.name] = features.names[start : start + width]
        start += width
    return found


def _response(formula: Formula, groups: dict[str, tuple[str, ...]]) -> str:
    members = groups.get(formula.response, (formula.response,))
    if len(members) != 1:
        if not members:
            raise UsageError(f"formula: {formula.response} has no feature in the release: it cannot be explained")
        raise UsageError(
            f'formula: {formula.response} has {len(members)} features: explain one of them, such as "{members[0]}"'
        )
    return members[0]


def _not_explaining(matrix: NoisyMatrix, features: FeatureMap, response: str) -> frozenset[str]:
    """What a dot leaves out: a label whose square the release does not have."""
    unknown = matrix.rows[matrix.label][matrix.label] is None
    return frozenset({features.label} if unknown and response != features.label else ())


def _terms(
    formula: Formula, groups: dict[str, tuple[str, ...]], response: str, left_out: frozenset[str]
) -> list[tuple[str, tuple[str, ...]]]:
    """The terms that remain, each with its features, in the order in which they were first named."""
    own = next(column for column, members in groups.items() if response in members)
    found: dict[str, tuple[str, ...]] = {}
    for sign, name in formula.terms:
        if name == DOT:
            found |= {c: m for c, m in groups.items() if c != own and c not in left_out and c not in found}
        elif sign > 0:
            members = groups.get(name, (name,))
            if response in members:
                raise UsageError(f"formula: {name} is on both sides: it cannot explain itself")
            if not members:
                raise UsageError(f"formula: {name} has no feature in the release: it cannot explain anything")
            found[name] = members
        else:
            _take_away(found, name, groups)
    return list(found.items())


def _take_away(found: dict[str, tuple[str, ...]], name: str, groups: dict[str, tuple[str, ...]]) -> None:
    gone = set(groups.get(name, (name,)))
    if not any(gone & set(members) for members in found.values()):
        raise UsageError(f"formula: - {name}: it is not among the terms before it")
    for term, members in list(found.items()):
        kept = tuple(member for member in members if member not in gone)
        if kept:
            found[term] = kept
        else:
            del found[term]


def _regressors(
    terms: Sequence[tuple[str, tuple[str, ...]]],
    features: FeatureMap,
    groups: dict[str, tuple[str, ...]],
    *,
    reduce: bool,
    intercept: bool,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All features in order, each once, and those left out as references: one of each one-hot column all of whose
    indicators were named, together or one by one, if other regressors already span the intercept."""
    column_of = {
        member: column
        for column, encoding in zip(features.columns, features.encodings, strict=True)
        if encoding == ONE_HOT
        for member in groups[column]
    }
    names = tuple(dict.fromkeys(member for _, members in terms for member in members))
    alone = {members[0] for term, members in terms if members == (term,)}
    references: list[str] = []
    spans_intercept = intercept
    for column in dict.fromkeys(column_of[name] for name in names if name in column_of):
        whole = groups[column]
        if not set(whole) <= set(names):
            continue
        if reduce and spans_intercept:  # one that was not named individually, if there is one
            references.append(next((member for member in whole if member not in alone), whole[0]))
        spans_intercept = True
    return tuple(name for name in names if name not in references), tuple(references)
