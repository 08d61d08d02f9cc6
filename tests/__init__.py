"""Tests, and their recorded outputs. Linear algebra runs on one thread, which is set here, before numpy is imported.

Workers of pytest fill the cores and the matrices are small: threads waiting for each other would waste far more time
than the sums take. It also makes sums independent of the number of cores.
"""

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
