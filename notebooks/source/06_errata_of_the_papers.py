# %% [markdown]
# # Errata of the papers
#
# Every checkable statement of the papers was checked, by exact computation wherever that settles it. Most hold. This
# notebook shows how mistakes are found, using some that can be seen in a picture. The whole ledger, with evidence for
# each verdict, is in the [errata](../docs/errata/index.md). Misprints are called slips: formulas were read from
# extracted text, where signs can be lost.

# %%
import math
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb
import synthbounds.privacy as sp

plt.style.use("notebook.mplstyle")

claims = [c for c in sb.export_claims().claims if c.paper != "synthbounds"]
findings = [c for c in claims if c.is_finding]  # a mistake is counted once
kinds = {
    "of substance": [c.paper for c in findings if c.is_of_substance],
    "slips": [c.paper for c in findings if c.severity.value == "slip"],
    "depend on a reading": [c.paper for c in findings if c.severity.value == "reading"],
}
papers = sorted({c.paper for c in claims})

figure, axes = plt.subplots(figsize=(9, 3.6))
left = np.zeros(len(papers))
shades, hatches = ["#D55E00", "#56B4E9", "#999999"], ["//", "..", ""]
for (kind, found), shade, hatch in zip(kinds.items(), shades, hatches, strict=True):
    column = [found.count(paper) for paper in papers]
    axes.barh(papers, column, left=left, color=shade, hatch=hatch, edgecolor="white", label=kind)
    left += column
axes.invert_yaxis()
axes.grid(visible=False, axis="y")
axes.locator_params(axis="x", integer=True)
axes.set(xlabel="findings", title="What is wrong in print")
figure.legend(loc="outside lower center", ncols=3)
plt.show()
print(f"{int(left.sum())} findings in {len(papers)} papers")

# %% [markdown]
# ## A minimax polynomial that is not minimax
#
# Figure 1(a) of Zhou et al. (2024) prints $0.71 - 0.5x + 0.1096x^2 - 0.0015x^4$ as the minimax polynomial of degree 4
# for the logistic loss on $[-5, 5]$, with an error of 0.061. The least error is enclosed here, and the points at which
# it alternates prove that no polynomial of this degree has a smaller one.

# %%
best = sb.approximate("logistic", interval=(-5, 5), degree=4)
x = np.linspace(-5, 5, 1001)
polyval = np.polynomial.polynomial.polyval
printed = polyval(x, [0.71, -0.5, 0.1096, 0, -0.0015]) - np.logaddexp(0, -x)
ours = polyval(x, [float(c) for c in best.polynomial]) - np.logaddexp(0, -x)

figure, axes = plt.subplots()
axes.plot(x, printed, label="as printed")
axes.plot(x, ours, label="minimax")
for level in (float(best.error.hi), -float(best.error.hi)):
    axes.axhline(level, color="0.4", linewidth=1)
axes.set(xlabel="score x", ylabel="polynomial - loss", title="Errors of two polynomials of degree 4")
axes.legend()
plt.show()
print(f"largest error: {np.abs(printed).max():.6f} as printed, {float(best.error.hi):.6f} at best")
print("coefficients at best:", ", ".join(f"{float(c):.6f}" for c in best.polynomial))

# %% [markdown]
# The printed polynomial is a valid approximation, but about three times worse. The observation that iterated Bernstein
# polynomials "slightly outperform" the minimax polynomial rests on it; nothing outperforms the true one.
#
# ## A lost root
#
# Theorem A.5 of Bojkovic and Loh (2024), as transcribed, says that the $L_1$ distance of an empirical distribution on
# $k$ points from its own exceeds $t$ with probability at most $\exp(-\frac n2(t-\frac kn)^2)$. For the uniform
# distribution the true probability can be computed by summation.

# %%
k, n = 40, 400
mean = n // k
chance = [
    math.exp(-mean) * mean**count / math.factorial(count) for count in range(90)
]  # beyond, less than 1e-40
ways = np.zeros((n + 1, 2 * n + 1))  # draws so far, distance so far, were the counts independent
ways[0, 0] = 1
for _ in range(k):
    more = np.zeros_like(ways)
    for count, weight in enumerate(chance):
        far = abs(count - mean)
        more[count:, far:] += weight * ways[: n + 1 - count, : 2 * n + 1 - far]
    ways = more
law = (
    ways[n] / ways[n].sum()
)  # that there are n draws in all makes them multinomial; P(L1 distance = i/n)

thousandths = range(319, 501, 2)
deviations = [i / 1000 for i in thousandths]
true = [law[n * i // 1000 + 1 :].sum() for i in thousandths]
figure, axes = plt.subplots()
axes.step(
    deviations,
    true,
    color="black",
    linestyle="-",
    linewidth=2.6,
    where="post",
    label="true probability",
)
for edition in ("printed", "corrected", "sharp"):
    bounds = [
        float(
            sb.evaluate(
                "bojkovic2024.empirical-tv", edition=edition, count=k, n=n, deviation=f"{i}/1000"
            )[0].value.hi
        )
        for i in thousandths
    ]
    axes.plot(deviations, bounds, label=f"{edition} bound")
axes.set(
    yscale="log",
    ylim=(1e-8, 2),
    xlabel="deviation t",
    ylabel="probability",
    title=f"{k} points, {n} draws",
)
axes.legend(loc="lower right")
plt.show()
row = sb.evaluate("bojkovic2024.empirical-tv", edition="printed", count=k, n=n, deviation="0.319")[0]
print(f"P(distance > 0.319) = {true[0]:.6f}; the printed bound is {float(row.value.hi):.6f}")

# %% [markdown]
# With $\sqrt{k/n}$ instead of $k/n$ the theorem holds, as in the cited source, and the paper's own use of it has the
# root: this is not an error of substance. The command `synthbounds verify` runs the check of any claim again.

# %%
command = [sys.executable, "-m", "synthbounds", "verify", "--id", "bojkovic2024.A5"]
print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

# %% [markdown]
# ## A lemma whose proof fails and whose statement is improved
#
# The proof of Lemma A.1 uses that $1 + \frac12 + \dots + \frac1n \le \log n$, which is false for every $n$. The lemma
# is true all the same, by a union bound, which gives far more.

# %%
for row in sb.evaluate("bojkovic2024.max-laplace", sigma=1, count=256, gamma="0.05"):
    print(
        f"{row.edition:10} the largest of 256 Laplace variables is below "
        f"{float(row.value.hi):8.3f}, except with 0.05"
    )

# %% [markdown]
# ## A factor two
#
# A paper on private regression (ddssp2024) defines the Gaussian mechanism with variance
# $2\log(1.25/\delta)/\varepsilon^2$ and then writes its noise without the 2. No theorem or experiment of the paper
# rests on it. How much privacy would that noise give?

# %%
nominal = np.geomspace(0.05, 8, 25)
actual = []
for epsilon in nominal:
    ratio = f"{math.sqrt(math.log(1.25 / 1e-5)) / epsilon:.12f}"
    noise = sp.gaussian_noise_of_ratio(noise_ratio=ratio, adjacency="add-remove")
    actual.append(float(sp.gaussian_epsilon(noise, dp_delta="1e-5").epsilon.hi))
figure, axes = plt.subplots(figsize=(7.2, 3.6))
axes.plot(nominal, np.array(actual) / nominal)
axes.axhline(1, color="0.4", linewidth=1)
axes.set(
    xscale="log",
    xlabel="nominal epsilon",
    ylabel="true / nominal",
    title="Above the line it is less private than it says",
)
plt.show()
first = int(np.argmax(np.array(actual) > nominal))
low, high = nominal[first - 1 : first + 1]
print(
    f"with delta = 1e-5 it is as private as it says up to an epsilon between {low:.2f} and {high:.2f}"
)

# %% [markdown]
# ## From which $n$ on?
#
# Theorem 4.1 of Zhou et al. (2024) is a lower bound for large $n$. Here every condition of its proof, with the errors
# repaired, is evaluated: from which $n$ on do the conditions hold?

# %%
report = sb.query_lower_bound(query_constant=1)
for condition in report.conditions:
    if condition.edition == "corrected" and condition.smallest is not None:
        digits = len(str(condition.smallest.value))
        shown = f"{condition.smallest.value:,}" if digits < 20 else f"a number of {digits} digits"
        print(f"{condition.statement:46} from n = {shown}")
print(report.empty)

# %% [markdown]
# Such numbers do not refute an asymptotic statement, but they show for which tables it says anything. The ledger
# states what is true instead of each of these claims, and the [proofs](../docs/proofs/README.md) prove it.
