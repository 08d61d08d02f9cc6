"""Commands that work on the stock, one per line; hostile commands are these with something wrong about them."""

from __future__ import annotations

import shlex

from tests.fuzz.stock import NOISE

PRIVATE = "--epsilon 8 --dp-delta 1e-6 --mode release --adjacency replace-one"
HIDDEN = "--epsilon 8 --dp-delta 1e-6 --mode release --adjacency add-remove --least-size 20"
METHODS = ("moments", "tree", "mst", "independent", "gen", "aim", "merf", "rap", "gem", "rap++", "lp")
FEW = {"aim": "--rounds 6", "rap": "--rounds 1 --points 50", "gem": "--rounds 1", "rap++": "--rounds 1 --points 50 "
       "--thresholds 50 --numbers age"}  # fmt: skip
"""What keeps a method short."""
LABELLED = ("moments", "tree", "rap", "merf", "rap++")


def _synth(method: str, budget: str) -> str:
    pure = method == "lp" and "--adjacency" not in budget
    money = budget.replace("--dp-delta 1e-6 ", "") if pure else budget
    label = "--label insured" if method in LABELLED else ""
    return f"synth people.csv --schema s.json {money} --method {method} {label} {FEW.get(method, '')} --synthetic o.csv"


PAYING = (
    *(_synth(method, budget) for method in METHODS for budget in (PRIVATE, HIDDEN)),
    *(
        line.format(budget)
        for budget in (PRIVATE, HIDDEN)
        for line in (
            "release moments people.csv --schema s.json --label insured {} --reserve 1/4 --output o.json",
            "release marginals people.csv --schema s.json {} --pairs age:owns --output o.json",
            "release floors people.csv --schema s.json --label insured {} --tau 1/10 5 --output o.json",
            "release distance people.csv tree.csv --schema s.json --label insured {} --output o.json",
            "release accuracy people.csv tree.csv --schema s.json --workload work.json {} --output o.json",
        )
    ),
    f"release marginals people.csv --schema s.json {PRIVATE} --account account.json --output o.json",
    f"release marginals people.parquet --schema s.json {HIDDEN} --output o.json",
    f"release moments people.parquet --schema s.json --label insured {PRIVATE} --output o.json",
    f"regress people.csv --schema s.json --label insured --method ssp {PRIVATE} --output o.json",
    f"regress people.csv --schema s.json --label insured --method adassp {PRIVATE} --output o.json",
    "recover kept.csv.recovery.json --table people.csv --synthetic o.csv --log o.json",
)
"""They spend: of a table nothing but private numbers may come out."""
FREE = (
    *(_synth(method, NOISE) for method in METHODS),
    "synth --redraw tree.log.json --k 20 --synthetic o.csv",
    f"synth people.csv --schema s.json {NOISE} --method mst --impossible impossible.json --synthetic o.csv",
    f"synth people.csv --schema s.json {NOISE} --label insured {FEW['rap++']} --synthetic o.csv",
    "schema people.csv --output o.json",
    "schema people.parquet",
    "completion fish --output o.json",
    "plan --schema s.json --n 2000 --epsilon 1 --dp-delta 1e-6 --label insured",
    "plan --schema s.json --epsilon 1 --error 0.05",
    "train moments.json --tau 2 --output o.json",
    "train cross.release.json --label insured --tau 2 --output o.json",
    "train tables.json --label insured --tau 2 --output o.json",
    "train tree.csv --schema s.json --label insured --tau 2 --output o.json",
    "train moments.json --ridge 0.01 --loss squared --intercept free --output o.json",
    "regress moments.json --tau 2 --output o.json",
    "regress tables.json --label age --output o.json",
    "improve tree.csv --release cross.release.json --weights o.csv --synthetic p.csv "
    "--table-spent 1,1e-8 --table-adjacency replace-one",
    "infer tables.json --proportion insured=yes --given owns=yes",
    "infer tables.json --chi2 job:insured --simulate 99 --seed 1",
    "infer tables.json --fit shares.csv --simulate 99",
    "infer moments.json --ols 'insured ~ age + owns'",
    "infer moments.json --ols 'insured ~ .' --lasso 1/10",
    "infer moments.json --pca 2",
    "infer moments.json --edges",
    "infer moments.json --signs model.json",
    "infer tree.log.json --proportion owns=yes",
    "infer distance.json --synthetic tree.csv --proportion insured=yes",
    "infer errors.json --synthetic tree.csv --proportion owns=yes",
    "infer --plan --ols 'insured ~ age' --schema s.json --n 4000 --epsilon 1 --dp-delta 1e-6 --linear all",
    "certify moments.json model.json",
    "certify fourth.json model.json --certificate o.json",
    "certify moments.json model.json --query query.json",
    "certify floors.json --query said.json --certificate o.json",
    "certify tree.log.json model.json --label insured",
    "certify cross.release.json model.json --label insured",
    "certify tables.json model.json --label insured",
    "certify --plan --n 50000 --epsilon 1 --features 5 --tau 5",
    "confirm people.csv open.json model.json --output o.json",
    "confirm people.csv open-floors.json --predictions predictions.csv --ask auc --least-positive 2 --least-other 6 "
    "--model-from public --output o.json",
    "evaluate people.csv tree.csv --schema s.json",
    "recover kept.csv.recovery.json --synthetic o.csv --log o.json",
    "check approx.json",
    "check density.json",
    "check proof.json --release moments.json --model model.json",
    "check proof4.json",
    "account open o.json --name others --adjacency add-remove --epsilon 2",
    "account show account.json",
    "require --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    "require --measure kde --lipschitz 2 --p 3 --degree 2 --epsilon 0.5 --accuracy 0.2 --failure 0.05",
    "compare --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    "risk --features 10 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
    "risk --release moments --features 5 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
    "renyi --nu zipf:8 --mu uniform:8 --n 1000 --epsilon 0.2",
    "approx --function logistic --interval -5,5 --degree 4 --certificate o.json",
    "approx --function 'max(0,1-x)' --interval -2,2 --degree 4 --method iterated:best",
    "explain bojkovic2024.max-laplace --at sigma=1,count=256,gamma=0.05 --edition sharp",
    "list",
    "cite zhou2024",
    "doctor",
    "figures --list",
    "verify --id bojkovic2024.A5",
)
TEMPLATES = tuple(tuple(shlex.split(line)) for line in (*PAYING, *FREE))
OF_TABLES = tuple(tuple(shlex.split(line)) for line in PAYING)
