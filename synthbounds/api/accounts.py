"""Accounts: everything spent on the people in a table, under the name that their steward gives them.

Releasing functions take the file of an account as `account` and record spending there; these create and read one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bounds.exact import Exact

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from release.account.file import Account

__all__ = ["open_account", "show_account"]


def open_account(
    file: str | Path,
    *,
    name: str,
    adjacency: Adjacency | str,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    rho: Exact | None = None,
) -> Account:
    """A new account in a file: of pure epsilon, or of rho, given or the largest for (epsilon, dp_delta).

    An existing file is never replaced.
    """
    from release.account.book import write_account
    from release.account.file import open_account as make
    from release.account_parameters import ACCOUNT_PARAMETERS, read_account_numbers

    for said, value in {"name": name, "adjacency": adjacency}.items():
        ACCOUNT_PARAMETERS[said].require(value)
    numbers = read_account_numbers({"epsilon": epsilon, "dp_delta": dp_delta, "rho": rho})
    found = make(name=name, adjacency=adjacency, **numbers)
    write_account(file, found)
    return found


def show_account(file: str | Path) -> Account:
    """The account in a file; its ledger has the total, the entries and what is left."""
    from release.account.file import read_account

    return read_account(file)
