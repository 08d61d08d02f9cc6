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
_FOLDER = Parameter(
    "folder",
    "",
    "where releases made on the page go, with the accounts; made when the first one is",
    "text",
    metavar="DIR",
    default="synthbounds-releases",
    filled=True,
)
_MOST_UPLOAD = Parameter(
    "most_upload",
    "",
    "bytes of the largest table that may be handed in",
    "integer",
    Range(least=1, most=10**12, reason="it must fit on the disk"),
    metavar="BYTES",
    default=10**9,
    filled=True,
)
_DEMO = Parameter("demo", "", "offer made-up tables to try the guided way with", "flag")
_NO_BROWSER = Parameter("no_browser", "", "print the address and open no browser", "flag")
SERVE = command(
    "serve",
    "the calculator page on this machine, for whoever holds the address that is printed first",
    "--port 0 --no-browser",
    "",
    (_PORT, _NO_BROWSER, _FOLDER, _DEMO, _MOST_UPLOAD),
    shown={},
    selects=(_PORT.name, _NO_BROWSER.name, _FOLDER.name, _DEMO.name, _MOST_UPLOAD.name),
)
