"""Principal components and edges from private moments: coverage and content of certified statements, and naive routes.

Second moments and covariance of real tables, epsilon 1, dp_delta 1e-6, replace-one, weight 1/2, integer codes, the last
column the label; simulated noise, new in every run. The certified code itself is run on every release. A statement is
about the table, so its truth is known; all are at level 0.95. The naive route treats rows drawn from the noisy moments
as data: the usual intervals of eigenvalues (Anderson's, for n normal records), or a bootstrap for angles. Edges: pairs
of columns whose partial correlation has a certain sign, compared with those that are significant without privacy
(Fisher's z, divided over the pairs). Their simultaneous sets are simulated in floats, checked against the certified
code on the first releases.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.certain_edges import LEVEL, SURE, Table, edges, has
from benchmarks.measure import main
from bounds.clopper_pearson import interval
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.spectrum import spectrum_of, try_eigenvector
from mechanisms.infer.spectrum_answer import Spectrum, SpectrumOf
from verify import real_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RANK = 2
COVERED = ("adult", "compas", "dutch", "law")
DRAWN_EDGES = ("dutch", "adult", "law", "churn", "compas")
_OF: tuple[SpectrumOf, ...] = ("moments", "covariance")
_Z = 1.959964


def run(*, quick: bool) -> dict[str, Any]:
    if not all(map(real_tables.is_here, DRAWN_EDGES)):
        return {"all": f"not run: {real_tables.MISSING}"}
    runs = 40 if quick else 2000
    found: dict[str, Any] = {"runs": runs, "level": float(LEVEL), "rank": RANK}
    for name in COVERED:
        for of in _OF:
            found[f"{of} of {name}"] = spectrum(Table(name), of, runs)
    for name in DRAWN_EDGES:
        found[f"edges of {name}"] = edges(Table(name), drawn=2 if quick else 10, simulated=runs)
    return found


def spectrum(table: Table, of: SpectrumOf, runs: int) -> dict[str, Any]:
    """How often every statement is true, and its median content."""
    real = table.matrix(of)
    values, vectors = np.linalg.eigh(real)
    truth = _Truth(real, values[::-1], vectors[:, ::-1])
    vector = _leading_vector(table, of)
    n, covered, said, naive = table.sums.n, {}, {}, {}
    generator, seconds = np.random.default_rng(5), []
    for number in range(runs):
        matrix = noisy_matrix(table.release(number))
        start = time.process_time()
        found = spectrum_of(matrix, rank=RANK, level=LEVEL, of=of)
        seconds.append(time.process_time() - start)
        for key, is_true in truth.checks(found).items():
            covered.setdefault(key, []).append(is_true)
        covered.setdefault("eigenvector set", []).append(try_eigenvector(matrix, vector, of=of, level=LEVEL).is_inside)
        for key, number_said in truth.figures(found).items():
            said.setdefault(key, []).append(number_said)
        for key, is_true in truth.naive(_noisy(matrix, of), n, generator, with_rows=number < 100).items():
            naive.setdefault(key, []).append(is_true)
    counts = {key: sum(known) for key, known in covered.items()}
    return {
        "coverage": {key: round(count / runs, 4) for key, count in counts.items()},
        "told": {key: round(sum(x is not None for x in known) / runs, 3) for key, known in said.items()},
        "median": {key: _median(known) for key, known in said.items()},
        "compatible_with_level": all(interval(count, runs, SURE)[1] >= float(LEVEL) for count in counts.values()),
        "eigenvector_set_is_exact": _holds(counts["eigenvector set"], runs),
        "naive_coverage": {key: round(sum(known) / len(known), 3) for key, known in naive.items()},
        "cpu_ms": round(1000 * statistics.median(seconds), 1),
    }


@dataclass(frozen=True)
class _Truth:
    real: Floats
    values: Floats
    vectors: Floats

    def checks(self, found: Spectrum) -> dict[str, bool]:
        """For every interval of an answer, whether it contains the true value."""
        noisy = np.array([one.weights for one in found.components]).T
        along = float(np.trace(noisy.T @ self.real @ noisy))
        head, trace = float(self.values[:RANK].sum()), float(self.values.sum())
        cosines = np.linalg.svd(self.vectors[:, :RANK].T @ noisy, compute_uv=False)
        span = float(np.sqrt(np.maximum(1 - cosines**2, 0).sum()))
        checked = {
            "share along the noisy components": has(found.share_explained, along / trace),
            "variance lost": has(found.loss, max(head - along, 0.0)),
            "sine between the spans": has(found.span_sine, span),
            "share of the largest": has(found.share, head / trace),
            "sum of the largest": has(found.total, head),
            "variance along the noisy components": has(found.explained, along),
            "largest eigenvalue": has(found.largest, float(self.values[0])),
            "all eigenvalues": all(map(has, found.eigenvalues, self.values.tolist())),
        }
        for place, one in enumerate(found.components):
            sine = float(np.sqrt(max(1 - float(self.vectors[:, place] @ noisy[:, place]) ** 2, 0.0)))
            checked[f"sine of component {place + 1}"] = has(one.sine, sine)
            checked[f"eigenvalue {place + 1} by itself"] = has(one.eigenvalue, float(self.values[place]))
        return checked

    def figures(self, found: Spectrum) -> dict[str, float | None]:
        noisy = np.array([one.weights for one in found.components]).T
        cosine = float(self.vectors[:, 0] @ noisy[:, 0])
        lost = float(self.values[:RANK].sum() - np.trace(noisy.T @ self.real @ noisy))
        return {
            "sine of component 1": _end(found.components[0].sine.hi),
            "the same by Davis and Kahan": _end(found.classical.sine),
            "actual sine": float(np.sqrt(max(1 - cosine**2, 0.0))),
            "sine between the spans": _end(found.span_sine.hi),
            "variance lost": _end(found.loss.hi),
            "the same by the norm": _end(found.classical.loss),
            "actual loss": max(lost, 0.0),
            "largest eigenvalue above": _end(found.largest.hi) - (found.largest.estimate or 0.0),
            "radius of all": _end(found.classical.radius),
            "width of the share": found.share_explained.width,
        }

    def naive(self, noisy: Floats, n: int, generator: np.random.Generator, *, with_rows: bool) -> dict[str, bool]:
        """Whether intervals that ignore the noise contain the truth: n normal records with the noisy moments."""
        values, vectors = np.linalg.eigh(noisy)
        values = np.maximum(values[::-1], 0)
        inside = np.abs(values - self.values) <= _Z * values * np.sqrt(2 / n)
        found = {"largest": bool(inside[0]), "second": bool(inside[1]), "smallest": bool(inside[-1])}
        if with_rows:
            root = vectors[:, ::-1] * np.sqrt(values)
            angles = []
            for _ in range(100):  # the covariance of n normal records, whitened, is the identity and this
                half = np.triu(generator.standard_normal(noisy.shape)) * np.sqrt(1 / n)
                drawn = root @ (np.eye(len(values)) + half + half.T) @ root.T
                angles.append(_sine(np.linalg.eigh(drawn)[1][:, -1], vectors[:, -1]))
            most = float(np.quantile(angles, float(LEVEL)))
            found["sine of component 1 by bootstrap"] = _sine(self.vectors[:, 0], vectors[:, -1]) <= most
        return found


def _leading_vector(table: Table, of: SpectrumOf) -> list[Fraction]:
    """An eigenvector of the real matrix; for the covariance, with minus its mean score."""
    vector = np.linalg.eigh(table.matrix(of))[1][:, -1]
    if of == "covariance":
        vector = np.append(vector, -float(table.whole[:-2, -2] @ vector))
    return [Fraction(x) for x in vector.tolist()]


def _noisy(matrix: NoisyMatrix, of: SpectrumOf) -> Floats:
    p = matrix.label
    moments = np.array([[float(matrix.entry(i, j).value) for j in range(p)] for i in range(p)]) / matrix.squared_norm
    if of == "moments":
        return moments
    found: Floats = moments[:-1, :-1] - np.outer(moments[:-1, -1], moments[:-1, -1]) / moments[-1, -1]
    return found


def _sine(first: Floats, second: Floats) -> float:
    return float(np.sqrt(max(1 - float(first @ second) ** 2, 0.0)))


def _holds(count: int, runs: int) -> bool:
    lo, hi = interval(count, runs, SURE)
    return lo <= float(LEVEL) <= hi


def _end(end: Fraction | None) -> Any:
    return None if end is None else float(end)


def _median(known: list[float | None]) -> float | None:
    """A statement that says nothing counts as the worst."""
    ranked = sorted(float("inf") if x is None else x for x in known)
    middle = ranked[len(ranked) // 2]
    return None if middle == float("inf") else float(f"{middle:.4g}")


if __name__ == "__main__":
    sys.exit(main("spectrum", __doc__ or "", run))
