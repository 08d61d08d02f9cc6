# %% [markdown]
# # Approximating a loss
#
# Marginals of few columns determine the mean of any polynomial of low degree in the score, so bounds on excess risk
# replace the loss by a polynomial. Which one is best? Both its error and its coefficients enter the bound. We compare
# Bernstein polynomials, iterated Bernstein polynomials, the minimax polynomial, and the one that is optimal for the
# bound itself.

# %%
import hashlib
import json

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb

plt.style.use("notebook.mplstyle")

looks = {
    "bernstein": {"label": "Bernstein", "color": "C0", "linestyle": "-", "marker": "o"},
    "iterated:9": {"label": "iterated 9 times", "color": "C1", "linestyle": "--", "marker": "s"},
    "iterated:best": {"label": "best iterated", "color": "C2", "linestyle": "-.", "marker": "^"},
    "chebyshev": {"label": "Chebyshev series", "color": "C4", "linestyle": "-.", "marker": "v"},
    "minimax": {"label": "minimax", "color": "C3", "linestyle": ":", "marker": "D"},
}
found = {
    method: sb.approximate("logistic", interval=(-5, 5), degree=4, method=method) for method in looks
}
print(f"{'degree 4 on [-5, 5]':24}{'largest error':>16}{'sum |a_k|':>12}")
for method, answer in found.items():
    name = looks[method]["label"]
    if answer.method != method:
        name += f" ({answer.method.split(':')[1]} times)"
    print(f"{name:24}{float(answer.error.hi):16.9f}{float(answer.coefficient_sum.hi):12.6f}")

# %% [markdown]
# Errors are enclosed, not sampled: the interval is cut into cells, and Taylor polynomials with ball coefficients bound
# the error on each. The points at which the error of the minimax polynomial alternates prove that it is best.

# %%
x = np.linspace(-5, 5, 801)
loss = np.logaddexp(0, -x)


def values(answer, at):
    return np.polynomial.polynomial.polyval(at, [float(a) for a in answer.polynomial])


best = found["minimax"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.9))
for method in ("bernstein", "iterated:9", "iterated:best", "minimax"):
    left.plot(x, values(found[method], x) - loss, **{**looks[method], "marker": None})
left.set(xlabel="score x", ylabel="polynomial - loss", title="Errors, degree 4")
right.plot(x, values(best, x) - loss, color="C3", linestyle="-")
touching = np.array([float(point) for point in best.lower.points])
right.plot(touching, values(best, touching) - np.logaddexp(0, -touching), "o", color="black")
level = float(best.error.hi)
right.axhline(level, color="0.4", linewidth=1)
right.axhline(-level, color="0.4", linewidth=1)
right.set(xlabel="score x", title=f"Minimax: {len(touching)} points prove it best")
figure.legend(loc="outside lower center", ncols=4)
plt.show()
low, high = best.error.decimal(12)
print(f"the least error of degree 4 lies in [{low}, {high}]")

# %% [markdown]
# ## Over the degree
#
# Bernstein's error falls like one over the degree, that of the minimax polynomial geometrically: the logistic loss is
# analytic near the interval. The hinge loss has a kink, and no method escapes the rate one over the degree.

# %%
degrees = [2, 4, 6, 8, 12, 16, 20]
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), sharey=True)
for panel, function, interval in zip(axes, ("logistic", "hinge"), ((-5, 5), (-2, 2)), strict=True):
    for method in ("bernstein", "iterated:9", "chebyshev", "minimax"):
        errors = [
            float(sb.approximate(function, interval=interval, degree=degree, method=method).error.hi)
            for degree in degrees
        ]
        panel.plot(degrees, errors, **looks[method])
    panel.set(
        yscale="log",
        xlabel="degree",
        xticks=degrees,
        title=f"{function} on [{interval[0]}, {interval[1]}]",
    )
axes[0].set_ylabel("largest error")
axes[1].legend()
plt.show()

# %% [markdown]
# ## The optimum depends on the noise
#
# With marginals that are off by $s$, the bound on excess risk is
# $$2\,\mathrm{osc}(P-f) + 2s\sum_{k\ge1} |a_k| R^k .$$
# A better approximation with larger coefficients can give a worse bound. The method `optimal` minimises this sum, and
# proves with a dual measure that no polynomial of the same degree has a smaller one.

# %%
R = 5
grid = np.linspace(-R, R, 4001)


def bound_of(answer, s):
    """The sum above, for a picture: the oscillation is taken on a grid."""
    difference = values(answer, grid) - np.logaddexp(0, -grid)
    cost = sum(abs(float(a)) * R**k for k, a in enumerate(answer.polynomial) if k)
    return 2 * np.ptp(difference) + 2 * s * cost


degrees = range(2, 17, 2)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), sharey=True)
for panel, s in zip(axes, ("0.01", "0.0001"), strict=True):
    for method in ("bernstein", "iterated:9", "minimax"):
        polynomials = [
            sb.approximate("logistic", interval=(-R, R), degree=d, method=method) for d in degrees
        ]
        panel.plot(degrees, [bound_of(p, float(s)) for p in polynomials], **looks[method])
    optima = [
        sb.approximate(
            "logistic", interval=(-R, R), degree=d, method="optimal", marginal_error=s
        ).objective
        for d in degrees
    ]
    panel.plot(
        degrees,
        [float(o.value.hi) for o in optima],
        marker="v",
        color="black",
        linestyle="-",
        label="optimal",
    )
    panel.set(yscale="log", xlabel="degree", title=f"marginals off by s = {s}")
    proved = max(o.gap / o.value.hi for o in optima) < 1e-9
    print(
        f"s = {s}: {float(optima[-1].value.hi):.6f} is optimal for degree 16; "
        f"proved to nine digits: {proved}"
    )
axes[0].set_ylabel("bound on excess risk")
axes[0].legend(ncols=2)
plt.show()

# %% [markdown]
# Minimax polynomials of high degree pay for their coefficients. The optimal polynomial does not use degrees that cost
# more than they gain, so its bound never rises.
#
# ## A certificate anyone can check
#
# An approximation can be written to a file with its proof. A checker that shares no code with the search proves it
# again; a claim that is slightly too good is refused, even with a fresh fingerprint.

# %%
text = sb.certificate(best)
print(f"{len(text):,} characters; accepted: {sb.check_certificate(text)}")
claim = json.loads(text)
claim["error"]["hi"] = "0.02023130793840212"
del claim["sha256"]
claim["sha256"] = hashlib.sha256(json.dumps(claim, sort_keys=True).encode()).hexdigest()
print("error claimed smaller in the 17th digit, accepted:", sb.check_certificate(json.dumps(claim)))

# %% [markdown]
# `synthbounds approx --certificate FILE` writes the same file, and `synthbounds check FILE` checks it.
# [Certificates](../docs/certificates.md) describes its contents. Functions are names or text, such as
# `"log(1+exp(-x))"`.
