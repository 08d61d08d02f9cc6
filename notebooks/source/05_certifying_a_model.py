# %% [markdown]
# # Certifying a model trained on a release
#
# The steward of a survey publishes noisy moments of it, once. Anyone can train a model on the release and ask: how
# much better could another model be on the real table, which I may not see? The answer is a certificate, from the
# release alone. At the end we open the table, which is made up, and compare with the truth.

# %%
from dataclasses import replace
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from synthbounds import data, models

plt.style.use("notebook.mplstyle")

schema = data.read_schema("../docs/examples/survey.schema.json")
table = data.read_codes("../docs/examples/survey.csv", schema)
features = models.build_feature_map(schema, label="insured")
print(f"{len(table):,} records; features: {', '.join(features.names)}")

# %% [markdown]
# ## Release
#
# Epsilon is 1 in total, and a fifth of the budget is kept for one later question. `mode="simulate"` makes this
# notebook repeatable; in a real release noise is drawn exactly, with `mode="release"`.

# %%
budget = {"dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate", "seed": 1}
release = models.make_release(table, features, epsilon=1, reserve="0.2", **budget)
print(f"a file of {len(models.release_text(release)):,} characters")
print(
    f"noise on a mean of y x: {float(release.noise_first):.5f}, "
    f"of x x': {float(release.noise_second):.5f}"
)

# %% [markdown]
# ## Train
#
# A synthetic table is tilted until it has the noisy moments, as far as they stand out from the noise, and a logistic
# regression of norm at most 2 is trained on it. This is post-processing: it costs no privacy, and nothing in this step
# is certified.

# %%
training = models.train_from_release(release, tau=2)
model = training.model
for name, coefficient in zip(features.names, model.coefficients, strict=True):
    print(f"  {name:16}{float(coefficient):+.3f}")

# %% [markdown]
# ## Certify

# %%
certificate = models.certify(release, model)
print(
    f"With confidence {float(1 - certificate.beta):.0%}, "
    "no model of norm at most 2 has a mean logistic loss on the"
)
print(
    f"real table that is lower than this model's by more than "
    f"{float(certificate.bound):.6f}: {certificate.verdict}."
)
print(f"Its own mean loss there is at most {float(certificate.baselines.model_risk):.4f},")
print(f"and no constant score has less than {float(certificate.baselines.constant_risk):.4f}.")
for route in certificate.routes:
    print(f"  {route.name:30}{float(route.value):.6f}")

# %% [markdown]
# The verdict is *weak*, although the bound is small: four of five people are insured, and with a norm of 2 no model
# does better than one score for everybody. The model is near the best of its class; the class is poor, and `certify`
# also shows what larger norms reach.
#
# Certificates hold on one event for all models at once: certify as many as you like. The *uniform approximation* is
# the method of worst-case theorems for the same moments. The other routes find the best polynomial for this particular
# model.
#
# ## Compare with the truth
#
# We open the survey, find the best model of norm at most 2 on it, and see how much better it is.

# %%
real = features.features(table) / features.one
labels = features.labels(table)


def risk(coefficients):
    return np.logaddexp(0, -labels * (real @ np.array([float(c) for c in coefficients]))).mean()


best = models.train_on_table(table, features, tau=2)
print(f"mean loss of our model   {risk(model.coefficients):.6f}")
print(f"mean loss of the best    {risk(best.coefficients):.6f}")
print(f"true excess              {risk(model.coefficients) - risk(best.coefficients):.6f}")
print(f"certified                {float(certificate.bound):.6f}")

figure, axes = plt.subplots(figsize=(7.2, 3.6))
rows = np.arange(features.size)
axes.barh(
    rows - 0.2, [float(c) for c in model.coefficients], 0.4, label="trained on the release", color="C0"
)
bars = {"label": "best on the survey", "color": "C4", "hatch": "//", "edgecolor": "white"}
axes.barh(rows + 0.2, [float(c) for c in best.coefficients], 0.4, **bars)
axes.set_yticks(rows, features.names)
axes.invert_yaxis()
axes.axvline(0, color="black", linewidth=0.8)
axes.set(xlabel="coefficient", title="Two models that hardly differ")
axes.legend()
plt.show()

# %% [markdown]
# ## Good models and bad ones
#
# A certificate does not depend on how a model was made. Here it judges ours, scaled down to zero and beyond, to its
# opposite. If a model is bad, the certificate shows it: the bound must lie above the true excess, and stays close to
# it.

# %%
steps = [Fraction(i, 4) for i in range(-4, 5)]
scaled = [replace(model, coefficients=tuple(step * c for c in model.coefficients)) for step in steps]
bounds = [float(models.certify(release, one, tau=2).bound) for one in scaled]
truths = [risk(one.coefficients) - risk(best.coefficients) for one in scaled]
figure, axes = plt.subplots()
axes.plot([float(s) for s in steps], bounds, marker="o", label="certified")
axes.plot([float(s) for s in steps], truths, marker="s", label="true")
axes.set(yscale="log", xlabel="multiple of the trained model", ylabel="excess over the best model")
axes.set_title("One release, nine models, one event")
axes.legend()
plt.show()
print("every certificate is above the truth:", all(b >= t for b, t in zip(bounds, truths, strict=True)))

# %% [markdown]
# ## Confirm
#
# The reserved part of the budget pays for one more answer from the steward: the gradient of the mean loss at the
# model, with noise. For a convex loss it bounds what any other model can gain. On a survey of this size that is no
# better than the moments; the noise of the query has an effect of second order, so it wins on larger tables. To see
# that, every record of the survey is taken 25 times.

# %%


def four(records, epsilon):
    """Uniform approximation, certificate, confirmation and truth, for a release with that epsilon."""
    made = models.make_release(records, features, epsilon=epsilon, reserve="0.2", **budget)
    found = models.train_from_release(made, tau=2).model
    routes = {route.name: float(route.value) for route in models.certify(made, found).routes}
    asked = models.ask_gradient(records, made, found.coefficients, seed=1)
    answer = models.confirm(asked.query, made, failure=Fraction(1, 20), tau=Fraction(2))
    excess = risk(found.coefficients) - risk(best.coefficients)
    return routes["uniform approximation"], min(routes.values()), float(answer.bound), excess


epsilons = ["1/4", "1/2", "1", "2", "4", "8"]
where = [float(Fraction(epsilon)) for epsilon in epsilons]
larger = np.tile(table, (25, 1))
figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
names = ("uniform approximation", "certificate", "confirmed by one query", "true")
for panel, records in zip(panels, (table, larger), strict=True):
    results = np.array([four(records, epsilon) for epsilon in epsilons])
    for values, marker, name in zip(results.T, "v^os", names, strict=True):
        panel.plot(where, values, marker=marker, label=name if records is table else None)
    panel.set(xscale="log", yscale="log", xlabel="epsilon in total", title=f"{len(records):,} records")
    panel.set_xticks(where, epsilons)
    panel.minorticks_off()
    one = dict(zip(names, results[epsilons.index("1")], strict=True))
    print(
        f"{len(records):7,} records, epsilon 1: "
        + ", ".join(f"{name} {value:.1e}" for name, value in one.items())
    )
panels[0].set_ylabel("excess over the best model")
figure.legend(loc="outside lower center", ncols=4)
plt.show()

# %% [markdown]
# With more records, or more epsilon, noise shrinks. What then remains of the certificate is what moments of degree two
# do not determine about the loss; the query measures the loss itself.
#
# The same four steps are commands: `synthbounds release moments`, `train`, `certify` and `confirm`.
# [Certify](../docs/certify.md) describes how certificates are proved, [confirm](../docs/confirm.md) the query.
