"""Whether there is enough memory for what follows, checked before anything is spent.

If memory is limited, libraries fail in their own ways: OpenBLAS retries forever, or ends the process, when it cannot
map its buffer; other libraries cannot be loaded. So memory is tried by mapping it and giving it back, and BLAS is made
to take its buffer, which it keeps, while there is room. Memory that was tried is not reserved: another process may take
it, and then the failure says what is spent.
"""

from __future__ import annotations

import mmap
import os
import sys

from bounds.errors import OutOfMemory

MB = 10**6
START = 800 * MB
"""Of address space, for the interpreter's libraries and a small table: with less, a release would stop halfway."""
AFTERWARDS = 256 * MB
"""For what follows the noise, including the solvers loaded then: half as much again as was measured on small tables."""
_CELL = 16
"""Bytes of a cell of rows that are made and written, with all that is computed on the way."""
_BUFFER = 160 * MB
"""More than any build of OpenBLAS maps for one thread."""
_SIDE = 200
"""Of a matrix large enough for BLAS to want its buffer."""
NOTHING_SPENT = "nothing was spent"


def require_memory(size: int, what: str) -> None:
    """Refuse if this many bytes are not available at once."""
    try:
        mmap.mmap(-1, size).close()
    except (OSError, MemoryError, ValueError, OverflowError):
        raise OutOfMemory(
            f"memory ran out: {what} needs about {size / MB:,.0f} MB of address space, which are not available (a "
            "limit, such as that of ulimit -v)"
        ) from None


def prepare_release() -> None:
    """Before anything is read: room for the libraries, and the buffer of NumPy's BLAS, for one thread."""
    if "numpy" not in sys.modules:  # threads would cost a buffer each, and at these sizes wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    require_memory(START, "a release")
    touch_blas()


def require_memory_for_rows(rows: int, columns: int, *, more: int = 0) -> None:
    """Before the noise of a table that will have this many rows."""
    require_memory(AFTERWARDS + more + _CELL * rows * columns, "what follows the noise")


def touch_blas() -> None:
    """Let every BLAS that is loaded take the buffer that it keeps."""
    require_memory(_BUFFER, "linear algebra")
    import numpy as np

    square = np.eye(_SIDE)
    np.linalg.cholesky(square @ square)
    np.linalg.eigvalsh(square)
    if "scipy.linalg" in sys.modules:  # which brings a BLAS of its own
        linalg = sys.modules["scipy.linalg"]
        linalg.cho_solve(linalg.cho_factor(linalg.blas.dsyrk(1.0, square)), square)
