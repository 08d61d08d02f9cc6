"""Items made by the workers of a Dask scheduler, which repeats what a killed worker had not finished.

A scheduler and its workers run whatever they are sent, and this process unpickles what they send: each trusts the other
completely. What travels is names, items and answers.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import ParameterError, SynthboundsError, UsageError, WorkersLost, how_to_install
from verify.spread.job import make, version

if TYPE_CHECKING:
    from distributed import Client, Future

WAIT_S = 30
"""The time a scheduler may take to answer, and to have a worker."""
FILES = {"tls_ca_file": "ca.pem", "tls_client_cert": "cert.pem", "tls_client_key": "key.pem"}
_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[\w.-]+):(\d{1,5})")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_LOGS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")


def require_cluster(scheduler: str, certificates: str | Path | None) -> None:
    """Refuse an impossible address or folder before anything else is done."""
    if _ADDRESS.fullmatch(scheduler) is None:
        raise ParameterError("scheduler", scheduler, "tcp://HOST:PORT or tls://HOST:PORT")
    if certificates is not None:
        if not scheduler.startswith("tls:"):
            raise UsageError("certificates is for a scheduler at tls://HOST:PORT")
        for name in FILES.values():
            if not (Path(certificates) / name).is_file():
                raise UsageError(f"certificates = {str(certificates)[:60]}: there is no {name}")
    if find_spec("distributed") is None:
        raise UsageError(f"scheduler: needs dask.distributed, which is not installed: {how_to_install('cluster')}")


def is_secret(scheduler: str) -> bool:
    """Whether what travels cannot be read on the way."""
    return scheduler.startswith("tls:") or scheduler.removeprefix("tcp://").rpartition(":")[0] in _LOOPBACK


def by_cluster(
    function: str, chunks: Sequence[Sequence[Any]], scheduler: str, certificates: str | Path | None
) -> Iterator[list[Any]]:
    """The answers of each chunk, in order."""
    with _connected(scheduler, certificates) as client:
        many = len(chunks)
        waiting = deque(client.map(_made, [function] * many, chunks, [version()] * many, pure=False, batch_size=100))
        while waiting:
            found = _answer(client, waiting.popleft(), scheduler)
            if isinstance(found, SynthboundsError):
                raise found
            yield found


def _made(function: str, items: Sequence[Any], wanted: dict[str, str]) -> list[Any] | SynthboundsError:
    """On a worker: the answers, provided they are those that the asking process would have found.

    A refusal is returned as an answer, because Dask would write a raised one into the worker's log.
    """
    from distributed import get_worker

    worker, ours = get_worker(), version()
    for name, value in wanted.items():
        if ours.get(name) != value:
            return WorkersLost(f"worker {worker.address} is refused: {name} is {ours.get(name)} there, {value} here")
    if worker.state.nthreads != 1:  # precision and threads of linear algebra are settings of a whole process
        return WorkersLost(f"worker {worker.address} is refused: it has {worker.state.nthreads} threads, not one")
    try:
        return make(function, items)
    except SynthboundsError as error:
        return error


def _answer(client: Client, future: Future, scheduler: str) -> Any:
    from distributed.scheduler import KilledWorker

    while True:
        try:
            return future.result(timeout=WAIT_S)
        except TimeoutError:  # an item takes long, or no worker has it any more
            try:
                client.wait_for_workers(1, timeout=WAIT_S)
            except (TimeoutError, OSError, ValueError):
                raise WorkersLost(f"scheduler = {scheduler}: has no workers left") from None
        except CancelledError:
            raise WorkersLost(f"scheduler = {scheduler}: no longer answers") from None
        except KilledWorker:
            raise WorkersLost(f"scheduler = {scheduler}: the same items ended several workers (memory?)") from None
        except ModuleNotFoundError as error:
            raise WorkersLost(f"scheduler = {scheduler}: a worker is refused: it has no {error.name}") from None


def _connected(scheduler: str, certificates: str | Path | None) -> Client:
    """A client of a scheduler that has workers; Dask's log messages are replaced by one line or dropped."""
    from dask import config
    from distributed import Client
    from distributed.security import Security

    for name in _LOGS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    client = None
    try:
        security = None  # that of Dask's own configuration
        if certificates is not None:
            paths = {key: str(Path(certificates) / name) for key, name in FILES.items()}
            security = Security(require_encryption=True, **paths)
        with warnings.catch_warnings(), config.set({"distributed.comm.timeouts.connect": f"{WAIT_S}s"}):
            warnings.simplefilter("ignore")  # versions that differ are refused
            client = Client(scheduler, timeout=WAIT_S, security=security, set_as_default=False)
            client.wait_for_workers(1, timeout=WAIT_S)
    except (OSError, TypeError, ValueError, RuntimeError) as error:  # a TimeoutError is an OSError
        if client is not None:
            client.close()
            raise WorkersLost(f"scheduler = {scheduler}: has no workers") from None
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise WorkersLost(f"scheduler = {scheduler}: cannot be reached ({reason})") from None
    return client
