"""The command that opens the local page, declared apart: it starts without loading what the others need."""

from __future__ import annotations

from bounds.parameter import Parameter, Range
from synthbounds.api import command

_PORT = Parameter(
    "port",
    "",
    "port of the loopback interface, or 0 for any that is free",
    "integer",
    Range(least=0, most=65_535, reason="ports of TCP"),
    metavar="N",
    default=0,
    filled=True,
)
_FOLDER = Parameter(
    "folder",
    "",
    "folder for the releases made on the page and their accounts; created with the first one",
    "text",
    metavar="DIR",
    default="synthbounds-releases",
    filled=True,
)
_MOST_UPLOAD = Parameter(
    "most_upload",
    "",
    "largest size of an uploaded table, in bytes",
    "integer",
    Range(least=1, most=10**12, reason="it must fit on the disk"),
    metavar="BYTES",
    default=10**9,
    filled=True,
)
_DEMO = Parameter("demo", "", "offer made-up tables on which to try the guided way", "flag")
_NO_BROWSER = Parameter("no_browser", "", "print the address without opening a browser", "flag")
SERVE = command(
    "serve",
    "serve the calculator page on this machine to whoever has the address that is printed first",
    "--port 0 --no-browser",
    "",
    (_PORT, _NO_BROWSER, _FOLDER, _DEMO, _MOST_UPLOAD),
    shown={},
    selects=(_PORT.name, _NO_BROWSER.name, _FOLDER.name, _DEMO.name, _MOST_UPLOAD.name),
)
