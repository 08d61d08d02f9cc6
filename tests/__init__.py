"""Tests, and what records them. Linear algebra runs on one thread, which is set here, before numpy is imported.

Workers of pytest fill the cores and the matrices are small: threads that wait for each other burn far more time than
the sums take. And sums do not depend on the number of cores.
"""

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
