"""The command that opens the local page, declared by itself: it starts without loading what the others need."""

from __future__ import annotations

from bounds.parameter import Parameter, Range
from synthbounds.api import command

_PORT = Parameter(
    "port",
    "",
    "port of the loopback interface, 0 for any that is free",
    "integer",
    Range(least=0, most=65_535, reason="ports of TCP"),
    metavar="N",
    default=0,
    filled=True,
)
_NO_BROWSER = Parameter("no_browser", "", "print the address and open no browser", "flag")
SERVE = command(
    "serve",
    "the calculator page on this machine, for whoever holds the address that is printed first",
    "--port 0 --no-browser",
    "",
    (_PORT, _NO_BROWSER),
    shown={},
    selects=(_PORT.name, _NO_BROWSER.name),
)
