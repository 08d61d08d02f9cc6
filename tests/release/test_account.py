"""An account: total costs, that it is never overspent, reserves for later, its file and its lock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, LaplaceDpEvent
from dp_accounting.pld import PLDAccountant
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import BudgetError, DataError, NotCertified, OutputError, ParameterError, UsageError
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from release.account.book import book, require_bookable, write_account
from release.account.file import Account, Charge, open_account, parse_account, read_account
from release.files.digest import digest_of
from release.marginals.make import CellsOfTables
from release.noise.choice import choose_noise
from release.noise.exact import opendp, with_exact_noise
from release.noise.kinds import gaussian_rho
from tests.paths import ROOT
from tests.speeds import examples, in_both, some

ADJACENCIES = ("replace-one", "add-remove")
PURE: dict[str, Any] = {"name": "people", "adjacency": "replace-one", "epsilon": 1}
RHO: dict[str, Any] = {"name": "people", "adjacency": "replace-one", "rho": "1/2", "dp_delta": "1e-6"}


def pure(epsilon: object, adjacency: str = "replace-one") -> DP:
    return DP(epsilon=epsilon, delta=0, adjacency=adjacency)  # type: ignore[arg-type]


def zcdp(rho: object, adjacency: str = "replace-one") -> ZCDP:
    return ZCDP(rho=rho, adjacency=adjacency)  # type: ignore[arg-type]


def gaussian(mu_squared: object, adjacency: str = "replace-one") -> GaussianDP:
    return GaussianDP(mu_squared=mu_squared, adjacency=adjacency)  # type: ignore[arg-type]


def charge(cost: Statement, what: str = "table", **more: Any) -> Charge:
    return Charge(what=what, cost=cost, **more)


# what it is


def test_an_account_says_how_it_counts() -> None:
    assert open_account(**PURE).unit == "epsilon"
    said, computed = open_account(**RHO), open_account(**{**RHO, "rho": None, "epsilon": 1})
    assert (said.unit, said.ledger.total, said.ledger.target) == ("rho", Fraction(1, 2), None)
    assert computed.ledger.total < Fraction("0.0243560")
    assert computed.as_epsilon(computed.ledger.total) == 1
    assert 0.999999 < computed.as_epsilon(computed.ledger.total * (1 - Fraction(1, 10**9))) < 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"epsilon": None}, "give epsilon"),
        ({"rho": 1}, "give epsilon"),
        ({"epsilon": None, "rho": 1}, "at which delta"),
        ({"epsilon": 0}, "greater than 0"),
        ({"epsilon": -1}, "epsilon = -1"),
        ({"dp_delta": 1}, "dp_delta = 1"),
        ({"dp_delta": 0}, "dp_delta = 0"),
        ({"adjacency": "neighbours"}, "replace-one or add-remove"),
        ({"name": ""}, "printable"),
        ({"name": "a\nb"}, "printable"),
        ({"name": "x" * 201}, "printable"),
    ],
)
def test_what_is_no_account_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        open_account(**{**PURE, **changes})


# what a cost amounts to

AMOUNTS = [
    (PURE, pure("0.3"), "0.3"),
    (PURE, pure("0.3", "add-remove"), "0.6"),
    (RHO, pure("0.3"), "0.045"),
    (RHO, pure("0.3", "add-remove"), "0.18"),
    (RHO, zcdp("0.1"), "0.1"),
    (RHO, zcdp("0.1", "add-remove"), "0.4"),
    (RHO, gaussian("0.1"), "0.05"),
    (RHO, gaussian("0.1", "add-remove"), "0.2"),
    ({**RHO, "adjacency": "add-remove"}, gaussian("0.1", "add-remove"), "0.05"),
]
REFUSED = [
    (PURE, zcdp("0.1"), "not pure privacy"),
    (PURE, gaussian("0.1"), "not pure privacy"),
    (PURE, DP(epsilon="0.1", delta="1e-9", adjacency="replace-one"), "not pure privacy"),  # type: ignore[arg-type]
    (RHO, DP(epsilon="0.1", delta="1e-9", adjacency="replace-one"), "has no rho"),  # type: ignore[arg-type]
    ({**RHO, "adjacency": "add-remove"}, zcdp("0.1"), "protects the number of records"),
    ({**PURE, "adjacency": "add-remove"}, pure("0.1"), "protects the number of records"),
]


@pytest.mark.parametrize(("opened", "cost", "amount"), AMOUNTS)
def test_costs_are_counted_in_one_unit(opened: dict[str, Any], cost: Statement, amount: str) -> None:
    account = open_account(**opened)
    assert account.amount_of(cost) == Fraction(amount)
    assert account.charged([charge(cost)]).ledger.spent == Fraction(amount)


@pytest.mark.parametrize(("opened", "cost", "reason"), REFUSED)
def test_what_has_no_amount_is_refused_with_the_reason(opened: dict[str, Any], cost: Statement, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        open_account(**opened).charged([charge(cost)])
    assert str(refused.value).startswith('account "people": ')
    assert "\n" not in str(refused.value)


NUMBERS = st.fractions(Fraction(1, 1000), 1, max_denominator=1000)
COSTS = st.builds(
    lambda kind, number, adjacency: kind(number, adjacency),
    st.sampled_from([pure, zcdp, gaussian]),
    NUMBERS,
    st.sampled_from(ADJACENCIES),
)


@examples(200)
@given(st.sampled_from([PURE, RHO]), st.sampled_from(ADJACENCIES), st.lists(COSTS, max_size=12))
def test_no_sequence_of_costs_overspends(opened: dict[str, Any], adjacency: str, costs: list[Statement]) -> None:
    """What is booked is at least the exact cost, all of it at most the total; what is refused leaves it as it was."""
    account, exact = open_account(**{**opened, "adjacency": adjacency}), Fraction(0)
    for cost in costs:
        try:
            after = account.charged([charge(cost)])
        except BudgetError:
            assert account.ledger.spent + account.amount_of(cost) > account.ledger.total
            continue
        except UsageError:
            continue
        exact += account.amount_of(cost)
        assert exact <= after.ledger.spent <= after.ledger.total
        assert after.ledger.spent <= exact * (1 + Fraction(1, 10**13))
        (new,) = after.new_since(account)
        assert new.amount == after.ledger.spent - account.ledger.spent
        account = after
    assert parse_account(account.to_text()) == account


def test_very_many_costs_stay_short() -> None:
    """Exact sums would have thousands of digits."""
    account = open_account(**{**RHO, "rho": 100})
    for k in range(1, 400):
        account = account.charged([charge(gaussian(Fraction(1, 10**40 + 2 * k + 1) * 10**38))])
    assert account.ledger.spent.denominator < 10**40
    assert parse_account(account.to_text()) == account


def test_the_whole_of_a_total_can_be_spent() -> None:
    account = open_account(**{**PURE, "epsilon": "1/3"})
    assert account.charged([charge(pure("1/3"))]).ledger.left == 0
    account = open_account(name="people", adjacency="replace-one", epsilon=1, dp_delta="1e-6")
    assert account.charged([charge(zcdp(account.ledger.total))]).ledger.left == 0


def test_all_charges_of_a_release_or_none() -> None:
    account = open_account(**PURE)
    with pytest.raises(BudgetError, match=r"epsilon = 1\.1: only 1 of 1 is left"):
        account.charged([charge(pure("0.6")), charge(pure("0.5"))])
    assert account.charged([charge(pure("0.6")), charge(pure("0.4"))]).ledger.left == 0


@examples(10)
@given(st.lists(st.tuples(st.booleans(), st.integers(2, 40)), min_size=1, max_size=3), st.sampled_from(ADJACENCIES))
def test_a_rho_is_never_less_private_than_dp_accounting_finds(parts: list[tuple[bool, int]], stated: str) -> None:
    """Their privacy-loss distributions are tight: a conversion that undercharged would fall below them."""
    account = open_account(**{**RHO, "rho": 10**4})
    accountant, factor = PLDAccountant(value_discretization_interval=1e-3), 1 if stated == "replace-one" else 2
    for is_gaussian, tenths in parts:
        scale = Fraction(tenths, 10)
        cost = gaussian(1 / scale**2, stated) if is_gaussian else pure(1 / scale, stated)
        account = account.charged([charge(cost)])
        event = GaussianDpEvent if is_gaussian else LaplaceDpEvent
        accountant.compose(event(float(scale) / factor))  # replacing a record moves a sum twice as far
    assert accountant.get_epsilon(1e-6) <= float(account.as_epsilon(account.ledger.spent)) * (1 + 1e-3)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("cells", [1, 7])
def test_discrete_gaussian_noise_pays_the_rho_that_its_sampler_states(adjacency: str, cells: int) -> None:
    facts = CellsOfTables(varying=cells, l1_sensitivity=2, l2_sensitivity_squared=2)
    asked: dict[str, Any] = {"epsilon": "0.7", "dp_delta": "1e-6", "n": 1000, "beta": "0.05"}
    plan = choose_noise(facts, 1, adjacency=adjacency, mode="release", mechanism="gaussian", **asked)
    cost = plan.noise.additive_cost
    assert isinstance(cost, ZCDP)
    assert zcdp_epsilon(cost, dp_delta="1e-6") == plan.noise.cost
    assert zcdp_epsilon(cost, dp_delta="1e-6").epsilon.hi <= Fraction("0.7")
    dp = opendp()
    measurement = dp.m.make_gaussian(
        dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float), float(plan.scale)
    )
    stated = measurement.map(float(plan.sensitivity.value.hi))
    assert abs(stated / float(cost.rho.hi) - 1) < 1e-12


@pytest.mark.parametrize(("sd", "moved"), [(0.6, 1), (2.0, 1), (2.0, 3)])
def test_discrete_gaussian_noise_has_that_rho(sd: float, moved: int) -> None:
    """Rényi divergences of its exact law, for an integer shift."""
    points = np.arange(-200, 201)
    log_law = -(points**2) / (2 * sd**2)
    log_law -= np.logaddexp.reduce(log_law)
    shifted = -((points - moved) ** 2) / (2 * sd**2)
    shifted -= np.logaddexp.reduce(shifted)
    sensitivity = l2_sensitivity(squared=moved**2, adjacency="replace-one", n_is_public=True)
    rho = float(gaussian_rho(sensitivity, Fraction(sd)).rho.hi)
    for order in (1.001, 1.5, 2.0, 5.0, 20.0):
        divergence = np.logaddexp.reduce(order * log_law + (1 - order) * shifted) / (order - 1)
        assert divergence <= order * rho * (1 + 1e-9)
        if order == 2:  # at a whole shift of order times sigma it is attained
            assert divergence == pytest.approx(order * rho, rel=1e-9)


def test_noise_that_states_more_than_is_booked_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = CellsOfTables(varying=3, l1_sensitivity=2, l2_sensitivity_squared=2)
    asked: dict[str, Any] = {"epsilon": "0.7", "dp_delta": "1e-6", "n": 1000, "beta": "0.05"}
    noise = choose_noise(facts, 1, adjacency="replace-one", mode="release", mechanism="gaussian", **asked).noise
    monkeypatch.setattr("release.noise.kinds.gaussian_rho", lambda *_: zcdp("1e-9"))
    with pytest.raises(NotCertified, match="states rho"):
        with_exact_noise(noise, [0, 0, 0])


# what is kept for later


def kept(spent: str, reserved: str) -> Charge:
    return charge(gaussian(spent), "moments", kept=gaussian(reserved), reservation="planned")


def asked(cost: object) -> Charge:
    return charge(gaussian(cost), "gradient", reservation="planned")


def test_a_reservation_is_counted_once() -> None:
    account = open_account(**RHO).charged([kept("0.3", "0.1")])
    assert (account.ledger.spent, account.ledger.reserved) == (Fraction("0.15"), Fraction("0.05"))
    left = account.ledger.left
    account = account.charged([asked("0.07")]).charged([asked("0.03")])
    assert (account.ledger.spent, account.ledger.reserved) == (Fraction("0.2"), 0)
    assert account.ledger.left == left


def test_what_the_reservation_does_not_have_is_new() -> None:
    """A copy of a release in which the reservation is still open does not make a second query free."""
    account = open_account(**RHO).charged([kept("0.3", "0.1"), asked("0.1")])
    again = account.charged([asked("0.1")])
    assert again.ledger.left == account.ledger.left - Fraction("0.05")
    elsewhere = open_account(**RHO).charged([asked("0.1")])
    assert elsewhere.ledger.spent == Fraction("0.05")


def test_equal_releases_have_a_reservation_each() -> None:
    account = open_account(**RHO).charged([kept("0.3", "0.1"), kept("0.3", "0.1")])
    assert account.ledger.reserved == Fraction("0.1")
    left = account.ledger.left
    account = account.charged([asked("0.06"), asked("0.1"), asked("0.04")])
    assert (account.ledger.reserved, account.ledger.left) == (0, left)


@examples(100)
@given(NUMBERS, NUMBERS, st.lists(NUMBERS, min_size=1, max_size=4))
def test_rounds_of_queries_never_cost_more_than_was_kept(spent: Fraction, reserve: Fraction, parts: list[Any]) -> None:
    account = open_account(**{**RHO, "rho": 10}).charged([kept(str(spent), str(reserve))])
    left, rest = account.ledger.left, reserve
    for part in parts:
        account, rest = account.charged([asked(rest * part)]), rest * (1 - part)
        if not rest:
            break
    assert account.ledger.left == left
    assert account.ledger.reserved == rest / 2


# the file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "people.account.json"
    write_account(target, open_account(**RHO).charged([kept("0.3", "0.1")]))
    return target


def test_a_truncated_file_is_refused(path: Path) -> None:
    text = path.read_text()
    for length in range(0, len(text.rstrip()), 7):
        with pytest.raises(DataError):
            parse_account(text[:length])


def changed(path: Path, change: Any, *, sealed: bool) -> str:
    body = json.loads(path.read_text())
    change(body)
    return json.dumps({**body, "digest": digest_of(body)} if sealed else body)


FORGED = {
    "an entry less": lambda body: body["ledger"]["entries"].pop(),
    "a larger total": lambda body: body["ledger"].update(total={"rho": "7"}),
    "another name": lambda body: body.update(name="others"),
    "another delta": lambda body: body.update(dp_delta="1/2"),
}
BROKEN = {
    "more than the total": lambda body: body["ledger"].update(total={"rho": "1/100"}),
    "another unit": lambda body: body["ledger"].update(total={"epsilon": "1"}, entries=[]),
    "no delta": lambda body: body.update(dp_delta=None),
    "another target": lambda body: body["ledger"].update(target={"epsilon": "1", "dp_delta": "1/10"}),
    "an adjacency of its own": lambda body: body["ledger"].update(adjacency="other"),
    "a negative cost": lambda body: body["ledger"]["entries"][0].update(cost={"rho": "-1"}),
    "a number": lambda body: body["ledger"]["entries"][0].update(cost={"rho": 0.25}),
    "a field more": lambda body: body.update(note="x"),
    "a version": lambda body: body.update(synthbounds_account=2),
    "a name that is none": lambda body: body.update(name=7),
    "a name of two lines": lambda body: body.update(name="a\nb"),
    "no ledger": lambda body: body.update(ledger=[]),
}


@pytest.mark.parametrize("how", [*FORGED, *BROKEN])
def test_a_changed_file_is_refused(how: str, path: Path) -> None:
    with pytest.raises(DataError):
        parse_account(changed(path, (FORGED | BROKEN)[how], sealed=False))
    if how in BROKEN:
        with pytest.raises(DataError):
            parse_account(changed(path, BROKEN[how], sealed=True))


def test_the_digest_is_no_signature(path: Path) -> None:
    """Whoever may write the file can make it say anything; the page says so."""
    assert parse_account(changed(path, FORGED["a larger total"], sealed=True)).ledger.total == 7
    assert "no signature" in (ROOT / "docs" / "accounts.md").read_text(encoding="utf-8")


def test_an_account_is_never_replaced(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(OutputError, match="never replaced"):
        write_account(path, open_account(**PURE))
    assert path.read_bytes() == before


# booking


def test_booking_changes_the_file_or_nothing(path: Path) -> None:
    before = read_account(path)
    booked = book(path, [charge(zcdp("0.01"))])
    assert read_account(path) == booked.account
    assert booked.account.ledger.spent == before.ledger.spent + Fraction("0.01")
    assert [entry.what for entry in booked.entries] == ["table: 0.01-zCDP for replace-one"]
    text = path.read_bytes()
    with pytest.raises(BudgetError):
        book(path, [charge(zcdp("0.5"))])

    def fails() -> None:
        raise OutputError("the other file")

    with pytest.raises(OutputError, match="the other file"):
        book(path, [charge(zcdp("0.01"))], then=fails)
    assert path.read_bytes() == text
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_link_is_followed_and_keeps_its_permissions(path: Path) -> None:
    link = path.parent / "link.json"
    link.symlink_to(path)
    path.chmod(0o640)
    book(link, [charge(zcdp("0.01"))])
    assert link.is_symlink()
    assert read_account(path).ledger.spent == Fraction("0.16")
    assert path.stat().st_mode & 0o777 == 0o640


def test_without_locks_nothing_is_booked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def none(*_: object) -> None:
        raise OSError(37, "No locks available")

    before = path.read_bytes()
    monkeypatch.setattr(fcntl, "flock", none)
    for attempt in (lambda: book(path, [charge(zcdp("0.01"))]), lambda: require_bookable(path)):
        with pytest.raises(OutputError, match="cannot be locked here"):
            attempt()
    assert path.read_bytes() == before


def test_a_second_name_is_refused(path: Path) -> None:
    os.link(path, path.parent / "second.json")
    with pytest.raises(OutputError, match="second name"):
        book(path, [charge(zcdp("0.01"))])


@pytest.mark.skipif(os.geteuid() == 0, reason="the super-user may write to any file")
def test_a_closed_account_is_refused(path: Path) -> None:
    path.chmod(0o400)
    with pytest.raises(OutputError, match="cannot be written"):
        book(path, [charge(zcdp("0.01"))])


def test_no_account_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        require_bookable(tmp_path / "none.json")
    with pytest.raises(DataError, match="account open"):
        book(tmp_path / "none.json", [charge(zcdp("0.01"))])


RACE = """
import os, sys
from pathlib import Path
from fractions import Fraction
import numpy as np
import synthbounds as sb
from bounds.errors import BudgetError
from synthbounds.data import parse_schema
import opendp.measurements

schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
codes = np.array([[0, 0], [0, 1], [1, 1]] * 10)
asked = dict(mode="release", adjacency="replace-one", epsilon=1, mechanism="laplace")

def run(path, start):
    os.read(start, 1)
    try:
        sb.release_marginals(codes, schema, account=path, **asked)
    except BudgetError:
        return 2
    return 0

for number in range(int(sys.argv[2])):
    path = Path(sys.argv[1]) / f"{number}.json"
    sb.open_account(path, name="people", adjacency="replace-one", epsilon="1.5")
    start, go = os.pipe()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os.close(go)
            os._exit(run(path, start))
        children.append(child)
    os.close(go)  # both wake up
    codes_found = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    os.close(start)
    account = sb.show_account(path)
    assert codes_found == [0, 2], codes_found
    assert len(account.ledger.entries) == 1, account.ledger.text()
    assert account.ledger.spent <= 1
print("all races have one winner")
"""


@in_both
def test_two_processes_never_overspend_one_account(tmp_path: Path) -> None:
    """Each race is between two releases on an account that has room for one: one draws, the other is refused."""
    command = [sys.executable, "-c", RACE, str(tmp_path), str(some(40, of=8))]
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert told.stdout == "all races have one winner\n", told.stderr


def test_whoever_waited_for_a_lock_reads_what_the_other_wrote(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a file that was replaced meanwhile is not the lock of the account."""
    import fcntl

    real, waited = fcntl.flock, []

    def slow(handle: int, how: int) -> None:
        if not waited:  # another process books while we wait
            waited.append(handle)
            book(path, [charge(zcdp("0.2"))])
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    with pytest.raises(BudgetError, match=r"only 0\.1 of"):
        book(path, [charge(zcdp("0.2"))])
    assert read_account(path).ledger.spent == Fraction("0.35")


def test_amounts_are_numbers() -> None:
    with pytest.raises(ParameterError):
        open_account(**{**PURE, "epsilon": float("inf")})
    assert isinstance(open_account(**PURE), Account)
