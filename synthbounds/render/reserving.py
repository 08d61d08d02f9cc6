"""What every release that can keep budget for a query says about its privacy and about what it keeps."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from release.reserving import ReservingRelease
from synthbounds.render.numbers import down

IN_TOTAL, WITH_QUERIES = "in total", "for the release and all its queries"


def privacy_text(release: ReservingRelease, scope: str) -> str:
    """Whom the release protects and how well; `scope` says what the budget covers."""
    public = f"n = {release.stated_size:,} is public"
    if not release.size_is_exact:
        public = f"n is private, at least {release.stated_size:,}"
    promise = f"epsilon = {show_rational(release.epsilon)}, dp-delta = {show_rational(release.dp_delta)}"
    begins = f"none; a release would have {promise}" if release.is_simulated else promise
    return f"{begins} {scope}; adjacency {release.adjacency.value}; {public}"


def reserved_text(release: ReservingRelease) -> str:
    if release.reservation_state is None:
        return "nothing; --reserve keeps a share of the budget for one later query"
    kept = f"mu^2 = {down(release.mu_squared_reserved, 6)}, a share of {show_rational(release.reserve)}"
    return f"{kept}, for one later query: {release.reservation_state} ({release.reservation_id})"


def reservation_payload(release: ReservingRelease) -> dict[str, Any] | None:
    """What is kept for a query."""
    if release.reservation_state is None:
        return None
    return {
        "mu_squared": down(release.mu_squared_reserved, 25),
        "state": release.reservation_state,
        "id": release.reservation_id,
    }
