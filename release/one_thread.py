"""Linear algebra on one thread: at the sizes used here threads wait for each other more than they help.

Finding the libraries takes longer than a small fit, so it is done once, and again when SciPy has brought its own. Each
then takes the memory that it keeps, while a lack of it can still be reported in one line.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from release.memory import touch_blas


def one_thread() -> AbstractContextManager[Any]:
    """Inside, matrix products use one thread."""
    found: AbstractContextManager[Any] = _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")
    return found


@cache
def _libraries(with_scipy: bool) -> Any:
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController()
    with found.limit(limits=1, user_api="blas"):
        touch_blas()
    return found
