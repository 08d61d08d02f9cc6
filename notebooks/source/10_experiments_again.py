# %% [markdown]
# # The papers' experiments, again
#
# Theorems can be checked by proof; experiments can only be run again. The programs here were written from the papers,
# and their runs are recorded in the package, so that a verdict needs none of the tables that were used. Our programs
# are not the authors': if a result is *not* reproduced, a different estimator, another version of a table or a choice
# that the paper had no room to describe may be the reason.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.text import Text

import synthbounds as sb

plt.style.use("notebook.mplstyle")
PAPERS = ["bojkovic2024", "zhou2024", "ddssp2024", "vietri2022", "wang2023"]
VERDICTS = ["reproduced", "mixed", "not-reproduced"]

# %% [markdown]
# ## Ask the ledger
#
# Every sentence about an experiment that can be judged is a claim with a quotation. `verify` judges it from the
# recorded runs: an order of two methods by a sign test over pairs of runs, a printed number by the interval in which
# runs like ours fall at 99.97 %. Neither is a matter of opinion.

# %%
results = {paper: sb.verify(id=f"{paper}.runs", workers=1) for paper in PAPERS}
counts = {
    paper: [sum(str(r).endswith(f" {verdict}") for r in found) for verdict in VERDICTS]
    for paper, found in results.items()
}
left = np.zeros(len(PAPERS))
figure, axes = plt.subplots(figsize=(7.2, 3.4))
looks = zip(VERDICTS, ("C2", "C5", "C1"), ("", "//", "\\\\"), strict=True)
for number, (verdict, color, hatch) in enumerate(looks):
    widths = np.array([counts[paper][number] for paper in PAPERS])
    label = verdict.replace("-", " ")
    bars = axes.barh(
        PAPERS, widths, left=left, color=color, hatch=hatch, edgecolor="white", label=label
    )
    shown = [str(width) if width else "" for width in widths]
    texts = axes.bar_label(bars, shown, label_type="center", fontsize=9)
    for text in filter(Text.get_text, texts):
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1.5})
    left += widths
axes.invert_yaxis()
axes.set(xlabel="claims about experiments", title="What was reproduced")
figure.legend(loc="outside lower center", ncols=3)
plt.show()
print(
    f"every verdict is the one in the ledger: {all(r.agrees for found in results.values() for r in found)}"
)

# %% [markdown]
# Each verdict comes with its evidence. Here is one of each kind.

# %%
judged = {r.claim.id: r for found in results.values() for r in found}
for name in ("zhou2024.runs.error-risk", "vietri2022.runs.fig1-mean", "zhou2024.runs.heart-drop"):
    found = judged[name]
    print(f"{found.claim.locator}: {found.claim.statement}")
    print(f"  {found.evidence.verdict.value}: {found.evidence.text}\n")

# %% [markdown]
# The last one should be read with care. The paper compares models of synthetic data with models of real data on ten
# splits of a table of 303 people, where ten splits can be lucky. The accuracy on *synthetic* data, which is what the
# paper is about, is reproduced, as the next section shows.
#
# ## Printed and reproduced
#
# Table 2 of Zhou et al. (2024) prints mean scores of models that are trained on synthetic tables by AIM.
# `known_figures` gives the figures and tables of the papers as computations that return plain data.

# %%
[table2] = sb.known_figures(["zhou2024-table2-aim"])
rows = table2.compute()["rows"]
print(f"{'':22}{'printed':>8}{'ours':>9}{'error':>9}")
for row in rows:
    name = f"{row['table']}, {row['metric']}"
    print(f"{name:22}{row['printed']:8.3f}{row['mean_est']:9.4f}{row['standard_error_est']:9.4f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.8, 4.4), width_ratios=(1, 1.15))
metrics = list(dict.fromkeys(row["metric"] for row in rows))
tables = list(dict.fromkeys(row["table"] for row in rows))
left.axline((0.5, 0.5), slope=1, color="0.6", linewidth=1, linestyle="-")
for number, (metric, marker) in enumerate(zip(metrics, "os^", strict=True)):
    mine = [row for row in rows if row["metric"] == metric]
    look = {"marker": marker, "linestyle": "none", "color": f"C{number}"}
    left.plot([r["printed"] for r in mine], [r["mean_est"] for r in mine], **look)
    places = [tables.index(r["table"]) + (number - 1) * 0.2 for r in mine]
    right.plot([r["standard_errors_away"] for r in mine], places, **look, label=metric)
left.set(xlabel="printed", ylabel="ours", title="Eighteen means", aspect="equal")
right.axvspan(-3, 3, color="0.92", zorder=0, label="within three errors")
right.axvline(0, color="0.6", linewidth=1)
right.set_yticks(range(len(tables)), tables)
right.set(xlim=(-5, 5), xlabel="printed minus ours, in standard errors", title="Differences")
right.invert_yaxis()
figure.legend(loc="outside lower center", ncols=4)
plt.show()
print(
    f"the largest difference is {max(abs(r['standard_errors_away']) for r in rows):.2f} standard errors"
)

# %% [markdown]
# All of them are reproduced, table by table. With smaller budgets a few are not; [the page on
# figures](../docs/figures.md) says which.
#
# ## Redraw a figure
#
# `sb.figures` computes a figure, draws it, and writes data and picture to files. This one combines two figures of the
# paper. It shows what the paper concludes: a larger budget gives a smaller error, and a smaller error better models.
# It also shows that among tables of one budget the error hardly tells which has the better model.

# %%
with tempfile.TemporaryDirectory() as folder:
    [drawn] = sb.figures(["zhou2024-error-risk"], folder=folder, workers=1)
    picture = plt.imread(next(name for name in drawn.files if name.endswith(".png")))
    print(*sorted(Path(name).name for name in drawn.files))
figure, axes = plt.subplots(figsize=(9, 9 * picture.shape[0] / picture.shape[1]))
axes.imshow(picture)
axes.set_axis_off()
plt.show()

# %% [markdown]
# A claim that was not reproduced is an invitation to look closer: `synthbounds verify --thorough` repeats some of the
# runs, and `python -m verify.experiments.NAME` all of one study, with the tables that it needs. Every claim, with its
# evidence, is in the [errata](../docs/errata/index.md).
