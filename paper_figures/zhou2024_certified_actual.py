"""Certified and actual excess risk over epsilon: release, train and certify on the six tables, then compare."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from paper_figures import style
from paper_figures.figure import Figure, NotRun
from verify import real_tables
from verify.claims.zhou2024_table2 import EPSILONS as PRINTED_EPSILONS
from verify.claims.zhou2024_table2 import row

EPSILONS = ("0.25", "0.5", "1", "2", "4")
TAU = 5
SEED = 2024


def compute(names: tuple[str, ...] = real_tables.NAMES, epsilons: tuple[str, ...] = EPSILONS) -> dict[str, Any]:
    """One draw of the noise for each point. The actual excess is computed from the real table."""
    if not all(real_tables.is_here(name) for name in names):
        raise NotRun(real_tables.MISSING)
    found = {}
    for name in names:
        points = [_point(name, place, epsilon) for place, epsilon in enumerate(epsilons)]
        *synthetic, real = row(name, "loss")
        found[name] = {
            "n": len(real_tables.codes(name)),
            "certified": [bound for bound, _ in points],
            "actual_est": [actual for _, actual in points],
            "printed": [float(value - real) for value in synthetic],
        }
    return {
        "epsilon": [float(e) for e in epsilons],
        "printed_epsilon": [float(e) for e in PRINTED_EPSILONS],
        "tau": TAU,
        "tables": found,
    }


@cache
def _table(name: str) -> tuple[Any, Any]:
    """The feature map, all columns linear and the last one the label, and the records."""
    from synthbounds import data, models

    sizes, columns = real_tables.domain(name), real_tables.columns(name)
    described = [{"name": column, "levels": [str(i) for i in range(sizes[column])]} for column in columns]
    schema = data.parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": described}))
    codes = real_tables.codes(name).astype(schema.domain.code_type)
    return models.build_feature_map(schema, label=columns[-1]), codes


@cache
def _least_risk(name: str) -> float:
    from synthbounds import models

    feature_map, codes = _table(name)
    return float(models.train_on_table(codes, feature_map, tau=TAU).risk_est)


def _point(name: str, run: int, epsilon: str) -> tuple[float, float]:
    """The certified bound, and how much better the best model of the class is on the table."""
    from synthbounds import models

    feature_map, codes = _table(name)
    release = models.make_release(
        codes,
        feature_map,
        epsilon=epsilon,
        dp_delta=f"1/{len(codes) ** 2}",
        adjacency="replace-one",
        mode="simulate",
        seed=SEED,
        run=run,
    )
    model = models.train_from_release(release, tau=TAU).model
    answer = models.certify(release, model)
    return float(answer.bound), _risk(name, model) - _least_risk(name)


def _risk(name: str, model: Any) -> float:
    """Mean logistic loss of the model on the table."""
    import numpy as np

    feature_map, codes = _table(name)
    features = feature_map.features(codes) / float(feature_map.one)
    scores = features @ np.array([float(c) for c in model.coefficients])
    return float(np.logaddexp(0, -scores * feature_map.labels(codes)).mean())


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(2, -(-len(data["tables"]) // 2), sharex=True, sharey=True, squeeze=False)
    for axes, (name, curves) in zip(panels.flat, data["tables"].items(), strict=True):
        axes.plot(data["epsilon"], curves["certified"], **style.series(0), label="certified, 95 %")
        axes.plot(data["epsilon"], curves["actual_est"], **style.series(1), label="actual")
        printed = [(e, y) for e, y in zip(data["printed_epsilon"], curves["printed"], strict=True) if y > 0]
        axes.plot(*zip(*printed, strict=True), **style.paper(), label="zhou2024: test risk, synthetic minus real")
        axes.set(xscale="log", yscale="log", title=f"{name.capitalize()}, n = {curves['n']:,}")
        axes.set_xticks(data["epsilon"], labels=[f"{e:g}" for e in data["epsilon"]])
        axes.set_xticks([], minor=True)
    for axes in panels[-1]:
        axes.set_xlabel("epsilon")
    for axes in panels[:, 0]:
        axes.set_ylabel("excess risk")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)


FIGURE = Figure(
    name="zhou2024-certified-actual",
    title="Certified and actual excess risk of models trained on private releases",
    source="zhou2024, Table 2 for the crosses; the tables are those of its experiments",
    caption=(
        "Logistic regression of norm at most 5 from released moments of degree 2, delta = 1/n^2, one draw of the noise "
        "per point. Certified, from the release alone: no model of the class is better by more. Actual: computed from "
        "the table. Crosses: another method and class, shown for scale; values that are not positive are left out."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 5.6),
)
