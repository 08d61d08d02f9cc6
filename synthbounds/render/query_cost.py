"""What any planned query asked and cost, what it left, what paid for it and where it is, in words and in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.gaussian import gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from release.query.file import Query
from release.reserving import ReservingRelease
from release.scores.best import choice_of
from release.scores.file import ScoreQuery
from synthbounds.render.document import Table
from synthbounds.render.numbers import down, json_integer, up

NOT_PRIVATE = (
    "the model was trained on these very records and is NOT private: publishing it, or its predictions, may reveal "
    "records; this query protects the records given the model"
)
ORIGIN = {
    "public": "made from public knowledge, as the holder of the data says",
    "release": "made from published numbers, as the holder of the data says",
    "table": NOT_PRIVATE,
}
"""By the stated origin of a model."""


@dataclass(frozen=True)
class ConfirmFiles:
    """Where everything is."""

    table: str
    release: str
    model: str | None
    """None if predictions come without the file of their model."""
    query: str | None
    """None if a simulation is only looked at."""
    previous: str | None
    certificate: str | None = None
    command: str = ""
    """What was typed, if it wrote no query: the same with --output writes it."""

    @property
    def marked(self) -> str:
        return self.release if self.previous is None else self.previous


def spent_text(release: ReservingRelease, query: Query) -> str:
    so_far = release.mu_squared - query.mu_squared_left
    spent = f"mu^2 = {up(query.mu_squared)} by this query, {up(so_far)} so far, of {up(release.mu_squared)}"
    if release.is_simulated:
        return f"nothing; a release would spend {spent}"
    return f"{spent}; so far this is epsilon = {_epsilon_so_far(release, query)} at the same dp-delta"


def left_text(query: Query, *, is_kept: bool = True) -> str:
    """What is left for a further query; a simulation that is only looked at is not recorded, and refuses none."""
    if query.left_state is None:
        if not is_kept:
            return "nothing; a release would refuse a further query, but this one was not recorded"
        return "nothing: a further query is refused"
    return f"mu^2 = {down(query.mu_squared_left)}, {query.left_state}, for one more query (--previous)"


def written_text(files: ConfirmFiles) -> str:
    if files.query is None:
        written = "nothing" if files.certificate is None else f"only {files.certificate}"
        return f"{written}: this was a simulation (--output FILE writes the query), and {files.marked} is unchanged"
    return f"{files.query}; {files.marked} now records that what was kept is spent: keep this file, not older copies"


def again_lines(files: ConfirmFiles, lines: tuple[str, ...]) -> tuple[str, ...]:
    """How to go on from a query, or first how to write it."""
    return lines if files.query is not None or not files.command else (f"{files.command} --output query.json", *lines)


def privacy_payload(release: ReservingRelease, query: Query) -> dict[str, Any]:
    simulated = release.is_simulated
    return {
        "epsilon": show_rational(release.epsilon),
        "dp_delta": show_rational(release.dp_delta),
        "adjacency": release.adjacency.value,
        "n": json_integer(release.stated_size) if release.size_is_exact else None,
        "least_size": None if release.size_is_exact else json_integer(release.stated_size),
        "n_is_public": release.size_is_exact,
        "mu_squared": up(release.mu_squared, 25),
        "mu_squared_spent": None if simulated else up(release.mu_squared - query.mu_squared_left, 25),
        "epsilon_spent": None if simulated else _epsilon_so_far(release, query, 25),
    }


def asked_table(query: ScoreQuery) -> Table:
    """What was asked, with what one record moves and the noise, as means of losses."""
    size, asked, choice = query.stated_size, query.questions, choice_of(query)
    chosen: tuple[tuple[str, str, str, str], ...] = ()
    if choice is not None:
        moved = up(choice.moved * asked.questions[0].unit)
        chosen = ((f"which of {choice.count:,} models is best", show_rational(query.choice_share), moved, ""),)
    left = 1 - query.choice_share
    rows = tuple(
        (question.text, show_rational(share * left), up(question.moved(query.adjacency) * question.unit), up(deviation))
        for question, share, deviation in zip(
            asked.questions, asked.shares, asked.mean_deviations(query.price, size), strict=True
        )
    )
    sums = all(question.IS_SUM for question in asked.questions)
    noise = f"noise over {size:,}" if sums else f"noise, of sums over {size:,}"
    columns = ("asked", "share of mu^2", "one record moves it by at most", noise)
    return Table("What was asked", columns, chosen + rows, right=frozenset({1, 2, 3}))


def score_query_payload(query: ScoreQuery) -> dict[str, Any]:
    return {
        "digest": query.digest,
        "model_digest": query.about["model"],
        "model_from": query.about["model_from"],
        "reservation": query.release_id,
        "round": query.round,
        "previous": query.previous,
        "mu_squared": up(query.mu_squared, 25),
        "mu_squared_left": down(query.mu_squared_left, 25),
        "left_state": query.left_state,
        "questions": [
            {
                "kind": question.KIND,
                "text": question.text,
                "share": show_rational(share),
                "moved": up(question.moved(query.adjacency) * question.unit, 25),
                "noise_deviation": up(deviation, 25),
            }
            for question, share, deviation in zip(
                query.questions.questions,
                query.questions.shares,
                query.questions.mean_deviations(query.price, query.stated_size),
                strict=True,
            )
        ],
    }


def _epsilon_so_far(release: ReservingRelease, query: Query, digits: int = 6) -> str:
    noise = GaussianDP(mu_squared=release.mu_squared - query.mu_squared_left, adjacency=release.adjacency)
    reached = gaussian_epsilon(noise, dp_delta=release.dp_delta).epsilon.hi
    return decimal_text(min(reached, release.epsilon), digits, up=True)
