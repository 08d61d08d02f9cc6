"""Floating point that rounds alike on every x86 machine: kernels use only instructions that all have. Import it first.

Linear algebra and elementary functions choose their code by the processor, and differ in the last bits if one has wider
vectors. Rows drawn with such numbers, and estimates in recorded answers, would then differ, too.
"""

from __future__ import annotations

import os
import platform
import sys

if platform.machine().lower() in ("x86_64", "amd64") and "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
