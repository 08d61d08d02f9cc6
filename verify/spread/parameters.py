"""The options for spreading work: declared once, for every command and study that spreads its work."""

from __future__ import annotations

from bounds.parameter import Parameter, Range

GROUP = "workers"
WORKERS = Parameter(
    "workers",
    GROUP,
    "number of processes on this machine",
    "integer",
    Range(least=1, most=256, reason="processes"),
    metavar="W",
    default=1,
)
SCHEDULER = Parameter(
    "scheduler",
    GROUP,
    "use a Dask scheduler instead, tcp://HOST:PORT or tls://HOST:PORT; its workers must have this version",
    metavar="ADDRESS",
)
CERTIFICATES = Parameter(
    "certificates",
    GROUP,
    "for tls://: folder with ca.pem, cert.pem and key.pem",
    metavar="DIR",
    otherwise="those of Dask's own configuration",
)
SPREAD = (WORKERS, SCHEDULER, CERTIFICATES)
