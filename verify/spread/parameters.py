"""The options for spreading work: declared once, for every command and study that spreads its work."""

from __future__ import annotations

from bounds.parameter import Parameter, Range

GROUP = "who computes"
WORKERS = Parameter(
    "workers",
    GROUP,
    "processes on this machine",
    "integer",
    Range(least=1, most=256, reason="processes"),
    metavar="W",
    default=1,
)
SCHEDULER = Parameter(
    "scheduler",
    GROUP,
    "instead: a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, whose workers have this version",
    metavar="ADDRESS",
)
CERTIFICATES = Parameter(
    "certificates",
    GROUP,
    "for tls://: a folder with ca.pem, cert.pem and key.pem",
    metavar="DIR",
    otherwise="those of Dask's own configuration",
)
SPREAD = (WORKERS, SCHEDULER, CERTIFICATES)
