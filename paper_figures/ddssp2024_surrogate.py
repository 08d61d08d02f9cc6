"""The quadratic surrogate of ddssp2024 is least squares: its maximum is a multiple of that solution for every range.

The table is made up: six features and labels from a logistic model, drawn with a fixed seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import synthbounds as sb
from paper_figures import style
from paper_figures.ddssp2024_figure2 import phi, quadratic
from paper_figures.figure import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RANGES = (3, 6, 12)
DEGREES = (2, 4, 6)
RECORDS, SEED = 4000, 12
MODEL = (2.6, -1.7, 1.1, 0.9, -0.5, 0.15)


def made_up(records: int = RECORDS) -> tuple[Floats, Floats]:
    """Features in [-1, 1], of which the first is rare and skewed, and labels -1 and 1."""
    draws = np.random.Generator(np.random.Philox(SEED))
    x = draws.uniform(-1, 1, (records, len(MODEL)))
    x[:, 0] = np.where(draws.random(records) < 0.08, 1.0, -0.1)
    x[:, 1] = x[:, 1] ** 3
    chance = 1 / (1 + np.exp(-3 * x @ np.array(MODEL)))
    return x, np.where(draws.random(records) < chance, 1.0, -1.0)


def auc(scores: Floats, labels: Floats) -> float:
    """Share of pairs of a positive and a negative record that the scores order correctly; equal ones count half."""
    from scipy.stats import rankdata

    positive = labels > 0
    count = int(positive.sum())
    above = rankdata(scores)[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (labels.size - count)))


def most_likely(x: Floats, y: Floats) -> Floats:
    """Newton's method on the log-likelihood, which is concave."""
    theta = np.zeros(x.shape[1])
    for _ in range(50):
        s = y * (x @ theta)
        share = 1 / (1 + np.exp(s))
        step = np.linalg.solve((x * (share * (1 - share))[:, None]).T @ x, x.T @ (y * share))
        theta = theta + step
        if np.abs(step).max() < 1e-12:
            break
    return theta


def compute(records: int = RECORDS) -> dict[str, Any]:
    x, y = made_up(records)
    least_squares = np.linalg.lstsq(x, y, rcond=None)[0]
    likely = most_likely(x, y)
    surrogate = {}
    for reach in RANGES:
        b1, b2 = quadratic("minimax", reach)["b"][1:]
        # the gradient b1 X'y + 2 b2 X'X theta vanishes
        theta = np.linalg.solve(-2 * b2 * x.T @ x, b1 * x.T @ y)
        surrogate[str(reach)] = {
            "theta": theta.tolist(), "factor": float(1 / (4 * abs(b2))), "auc": auc(x @ theta, y)
        }  # fmt: skip
    places = np.linspace(-12, 12, 193)
    scales = np.linspace(0, 3, 61)
    margins = y * (x @ likely)
    curves, means = {}, {}
    for degree in DEGREES:
        found = sb.approximate("logistic", interval=(-6, 6), degree=degree)
        b = [-float((c.lo + c.hi) / 2) for c in found.coefficients]
        curves[str(degree)] = np.polynomial.polynomial.polyval(places, b).tolist()
        means[str(degree)] = [float(np.polynomial.polynomial.polyval(c * margins, b).mean()) for c in scales]
    return {
        "records": records,
        "least_squares": least_squares.tolist(),
        "likely": likely.tolist(),
        "auc": {"least_squares": auc(x @ least_squares, y), "likely": auc(x @ likely, y)},
        "surrogate": surrogate,
        "outside": float(np.mean(np.abs(margins) > 6)),
        "curves": {"s": places.tolist(), "phi": [phi(s) for s in places.tolist()], **curves},
        "means": {
            "scale": scales.tolist(),
            "true": [float(-np.logaddexp(0, -c * margins).mean()) for c in scales],
            **means,
        },
    }


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    left, middle, right = figure.subplots(1, 3)
    plain = np.array(data["least_squares"])
    for place, (reach, found) in enumerate(data["surrogate"].items()):
        look = style.series(place) | {"linestyle": "none"}
        left.plot(plain, found["theta"], **look, label=f"[-{reach}, {reach}]: AUC {found['auc']:.6f}")
        ends = np.array([plain.min(), plain.max()]) * 1.08
        left.plot(ends, ends * found["factor"], **style.series(place, marker=False) | {"linewidth": 1.0})
    left.plot(plain, data["likely"], **style.series(3) | {"linestyle": "none", "markerfacecolor": "white"},
              label=f"maximum likelihood: AUC {data['auc']['likely']:.6f}")  # fmt: skip
    left.set_xlabel("coefficient of least squares")
    left.set_ylabel("coefficient of the estimate")
    left.set_title(f"a multiple of least squares (AUC {data['auc']['least_squares']:.6f})", loc="left")
    drawn = data["likely"] + [value for found in data["surrogate"].values() for value in found["theta"]]
    left.set_ylim(min(drawn) - 0.8, max(drawn) + 0.7 * (max(drawn) - min(drawn)))
    left.legend(loc="upper left", fontsize=7.5)

    for axes, kept, true, xs in (
        (middle, data["curves"], "phi", "s"),
        (right, data["means"], "true", "scale"),
    ):
        axes.plot(kept[xs], kept[true], color=style.BLACK, linewidth=2.2, label="logistic")
        for place, degree in enumerate(DEGREES):
            axes.plot(kept[xs], kept[str(degree)], **style.series(place, marker=False), label=f"degree {degree}")
    middle.axvspan(-6, 6, color="#eeeeee", zorder=0)
    middle.set_ylim(-14, 8)
    middle.set_xlabel("s = y (x . theta)")
    middle.set_ylabel("log-likelihood of one record")
    middle.set_title("outside the range", loc="left")
    middle.legend(loc="upper left")
    right.set_ylim(-2.5, 2.5)
    right.set_xlabel("c, for theta = c times maximum likelihood")
    right.set_ylabel("mean log-likelihood")
    right.set_title("degree 4 has no maximum", loc="left")


FIGURE = Figure(
    name="ddssp2024-surrogate",
    title="The surrogate of degree 2 is least squares, that of degree 4 is unbounded",
    source="Proposition 3.4 and Appendix F.3 of ddssp2024; made-up records",
    caption=f"{RECORDS:,} made-up records with six features. Since phi(s) - s/2 is even, the linear coefficient is 1/2 "
    "for every range, and the surrogate's maximum is (X'X)^-1 X'y / (4 |b2|): the range changes its length but "
    "not the ranking or the AUC. Minimax polynomials; those of the other two panels are for [-6, 6], the grey "
    "range.",
    compute=compute,
    draw=draw_figure,
    size=(11.0, 4.4),
)
