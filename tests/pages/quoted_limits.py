"""Numbers on the other pages: limits, defaults and formats, from the modules that enforce them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import log, sqrt

from benchmarks import large_tables, largest_error
from bounds.approximation import approximate
from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.errors import INTERRUPTED, OutOfMemory
from bounds.exact import LARGEST_JSON_INTEGER
from bounds.privacy import ledger
from bounds.privacy.adjacency import Adjacency
from lp.measures import tree, uniform
from lp.programme import exact_products, forecast, solve
from lp.synthesis import question
from mechanisms.models import losses
from mechanisms.models.certify import from_moments as certifying
from mechanisms.models.sklearn_models import DIGITS as SKLEARN_DIGITS
from mechanisms.models.train import newton as training
from mechanisms.models.train import over_tau, synthetic
from mechanisms.projection import tilting
from mechanisms.select import settings
from mechanisms.synth import choose, moments_plan
from mechanisms.synth import parameters as methods
from mechanisms.tilt import law
from paper_figures import _zhou2024_runs, zhou2024_figure4, zhou2024_risk_over_n
from release import memory
from release.account import file as account
from release.cross_moments.planned import ONE_WAY_SHARE
from release.data import column_reading, columns, dates, domain, proposals, schema, table_csv, table_parquet
from release.moments import budget
from release.parameters import DEFAULT_BETA
from release.statistics import cross_moments, number_moments, public_queries
from release.statistics import features as feature_map
from release.statistics import gradients as slopes
from release.statistics import moments as sums
from release.statistics.statistic import RECORD_STEPS
from synthbounds.api.commands import COMMANDS
from synthbounds.api.proofs import check_text
from synthbounds.web import allowed
from tests.pages import quoted_experiments, quoted_vietri2022
from tests.pages.quoted import (
    DEFINITION,
    NAME,
    ROOT,
    SETTING,
    Page,
    exponential,
    power_of_two,
    recorded,
    text_of,
    thousands,
)
from tests.pages.quoted_threat_model import times_of_draws
from tests.verify.test_checkers import (
    MOST_CHARACTERS,
    MOST_COMPLEXITY,
    MOST_FUNCTION_LINES,
    MOST_LINES,
    all_points,
)
from tests.verify.test_checkers_mutations import ALL as MUTANTS
from verify import checkers
from verify.checkers import approximation, density
from verify.checkers.model_file import MOST_FEATURES

FLOATS = f"where every partial result is an integer below 2^{exact_products.FLOAT_BITS}"


def confidence() -> str:
    return f"{100 * (1 - certifying.DEFAULT_BETA)} %"


def default(command: str, option: str) -> str:
    """The default of an option of a command."""
    return str(COMMANDS[command].parameters[option].default)


def _certificates() -> Iterator[str]:
    yield f"It takes degrees up to {approximation.MOST_DEGREE} and orders up to {approximation.MOST_ORDER}."
    yield f"units of 2^-p, p at most {thousands(approximation.MOST_PRECISION)}"
    yield f"a test holds them to modules of at most {MOST_LINES} lines, functions of at most {MOST_FUNCTION_LINES}"
    yield f"with at most {MOST_COMPLEXITY} ways through each, lines of at most {MOST_CHARACTERS} characters"
    steps, most = thousands(checkers.STEPS), thousands(checkers.UNASKED)
    yield f"may not exceed {steps} steps and some for every byte of the file, {most} in all"
    assert check_text(all_points(8)).valid
    assert not _is_refused(20)
    assert _is_refused(21)
    yield "on all of 2^21 points or more needs that"
    assert sum(MUTANTS.values()) > 20_000
    yield "in more than 20,000 ways"
    yield f"domains of up to {power_of_two(density.MOST_POINTS)} points"
    yield f"the features at most {MOST_FEATURES}"
    yield f"fourth by multiplicity {', '.join(map(str, budget.MULTIPLICITIES))}"


def _is_refused(attributes: int) -> bool:
    """Whether all points of so many Boolean attributes take more work than their certificate may ask for."""
    text = all_points(attributes)
    body = json.loads(text)
    asked = checkers.Work(10**12)
    density.announce(density.read_programme(body), [], 1, [int(y) for y in body["dual"]], asked)
    return asked.spent > checkers.allowed_steps(text, density.STEPS_A_BYTE)


CERTIFICATES = Page(_certificates, {SETTING: ("a kink such as 1/10",)})


def _certify() -> Iterator[str]:
    yield f"*with confidence {confidence()}, no linear model of norm at most 2"
    for name in ("adult", "dutch"):
        asked = recorded("confirm")[f"{name}, tau 5, share 1/6"]["median"]
        assert recorded("certify")[f"{name}_tau5_degree2"]["mean"] > 10 * asked
    yield "at norm 5 it is more than ten times smaller on Adult and Dutch"
    floors = [row for row in recorded("certificate_floor").values() if isinstance(row, dict) and "floor" in row]
    ratios = [row["certificate_over_floor"] for row in floors]
    assert min(row["share"] for row in floors) >= 0.5
    yield f"certificates are {min(ratios):.1f} to {max(ratios):.1f} times the floor"
    found = recorded("finished_tables")
    assert found["median_certificate"] <= 0.03
    assert found["mean_beyond_truth"] <= 0.002
    assert found["misses"] <= float(Fraction(found["beta"])) * found["asked"]
    yield f"is {found['median_certificate']:.4f} (median of {found['draws']} tables; "
    yield f"the largest is {found['largest_certificate']:.4f})"
    yield f"over the {thousands(found['queries'])} cells of all pairs"
    yield f"on average {found['mean_beyond_truth']:.4f} above the true one, which is {found['mean_largest_error']:.4f}"
    yield f"with {found['misses']} misses in {found['asked']} answers"


CERTIFY = Page(_certify)


def _confirm() -> Iterator[str]:
    yield f"*With confidence {confidence()}, no linear model of norm at most 5"
    yield f"{_rounded_up(gradient_sensitivity('logistic', norm=Fraction(5)).hi)} at norm 5 instead of 2"
    measured = recorded("excess")
    for table in ("adult", "dutch", "compas"):
        for tau in (5, 10, 20):
            row = measured[f"{table}, tau {tau}"]
            figures = (f"{row[name]:.4f}".lstrip("0") for name in ("true_excess", "excess", "gradient"))
            asks = "gradient" if row["auto_asks_gradient"] else "excess"
            yield f"| {table.capitalize()}, {tau} | {' | '.join(figures)} | {asks} |"
    counted = measured["coverage"]
    yield f"Of {counted['certificates']:,} further answers at norm 10, with independent noise, {counted['failures']}"
    yield f"({100 * counted['frequency']:.1f} percent; {100 * counted['promised']:.0f} are"
    adult, dutch = (measured[f"{name}, tau 10"] for name in ("adult", "dutch"))
    assert 0.9 < adult["gradient"] / adult["excess"] < 1
    assert 7 < dutch["gradient"] / dutch["excess"] < 8
    yield "At norm 10 on Adult the gradient would have given a little less"
    yield f"epsilon {measured['epsilon']} in total, half of the budget for the query"
    assert measured["share"] == 0.5
    yield f"medians of {measured['models']} models times {measured['answers']} answers"
    query, moments = certifying.QUERY_SHARE, 1 - certifying.QUERY_SHARE
    assert (query, moments) == (Fraction(4, 5), Fraction(1, 5))
    yield "four fifths for the query, one fifth for the moments"
    yield f"the noisy sums, integers over 2^{feature_map.BITS + slopes.SLOPE_BITS}"


def _rounded_up(value: Fraction) -> float:
    return -(-value * 100 // 1) / 100


CONFIRM = Page(_confirm, {NAME: ("SHA-256",)})


def _accounts() -> Iterator[str]:
    yield f"Costs are rounded up to {account._DIGITS} digits."
    yield f"An account has at most {ledger.MOST_ENTRIES:,} entries."


ACCOUNTS = Page(_accounts, {NAME: ("SHA-256",)})


def _figures() -> Iterator[str]:
    *some, last = map(str, zhou2024_risk_over_n.FEATURES)
    yield f"printed, corrected and sharp, for {', '.join(some)} and {last} features"
    yield from _budgets()
    tables = zhou2024_figure4.compute()["tables"]
    ahead = {name: (row["descent_ahead_est"], row["descent_ahead_error_est"]) for name, row in tables.items()}
    *better, last_better = (f"{m:.3f} on {name.capitalize()}" for name, (m, error) in ahead.items() if m > 3 * error)
    yield f"it is more accurate than AIM by {', '.join(better)} and {last_better}"
    few, many = (f"{_pate_noise(count):.0f}" for count in (20, 100))
    yield f"labels for 100 records at epsilon 1 take Laplace noise of scale {many} on every count of votes"
    yield f"those for 20 records of Heart take {few}"
    yield from quoted_experiments.quotes()
    yield from quoted_vietri2022.quotes()


def _budgets() -> Iterator[str]:
    """Printed means of AIM beside ours."""
    found = {epsilon: _zhou2024_runs.differences(epsilon) for epsilon in _zhou2024_runs.EPSILONS}
    near = {e: max(abs(row["standard_errors_away"]) for row in rows) for e, rows in found.items()}
    yield f"At epsilon 1 all {len(found['1'])} printed means are within {near['1']:.1f} standard errors of ours, "
    yield f"at epsilon 2 within {near['2']:.1f}."
    far = {e: sum(abs(row["standard_errors_away"]) > 3 for row in rows) for e, rows in found.items()}
    yield f"at 0.25 there are {far['0.25']} of 18 beyond three standard errors, at 0.5 there are {far['0.5']}"
    by_name = {(e, row["table"], row["metric"]): row for e, rows in found.items() for row in rows}
    adult, compas = by_name["0.25", "Adult", "empirical risk"], by_name["0.5", "Compas", "accuracy"]
    yield f"On Adult at 0.25 our risk is {adult['mean_est']:.3f} where {adult['printed']:.3f} is printed"
    yield f"on Compas at 0.5 our accuracy is {compas['mean_est']:.3f} where {compas['printed']:.3f} is printed"
    heart, law = (by_name["0.25", name, "empirical risk"] for name in ("Heart", "Law"))
    both = [f"{row['mean_est']:.3f} for {row['printed']:.3f}" for row in (heart, law)]
    yield f"on Heart and Law at 0.25 our risks are lower than printed, {both[0]} and {both[1]}"


def _pate_noise(labels: int) -> float:
    """Scale of the noise with which the program of zhou2024 publishes so many labels at epsilon 1."""
    delta = 1e-5
    middle = sqrt(2 * labels * log(1 / delta))  # 4 T g^2 + 2 g sqrt(2 T ln(1/delta)) = epsilon
    return 4 * labels / (sqrt(middle**2 + 4 * labels) - middle)


FIGURES = Page(
    _figures,
    {
        NAME: ("Theorem 4.1", "Corollary 3.6"),
        SETTING: (
            "of 100 to 800 teachers",
            "of 5 to 15 teachers",
            "80 % of the rows are learned from",
            "ten of its 20 bins",
            "the paper has 30 bins",
        ),
    },
)


def _json() -> Iterator[str]:
    yield f"Integers are JSON numbers up to {power_of_two(LARGEST_JSON_INTEGER)} and decimal text above"
    yield f"null above degree {approximate._COMPARED_UP_TO} for other methods"
    yield f"numbers too, of at most {allowed.MOST_CHARACTERS} characters"
    yield f"for each of up to {allowed.MOST_VALUES} values a `point`"


JSON = Page(_json, {NAME: ("Theorem 4.1",)})


def _notebooks() -> Iterator[str]:
    found = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert len(found) == 10
    yield "Ten notebooks"
    for path in found:
        yield f"| [{path.name[:2]}](../notebooks/{path.name}) |"


NOTEBOOKS = Page(_notebooks)


def _releases() -> Iterator[str]:
    bits = feature_map.BITS
    yield f"rounded to a multiple of 2^-{bits}"
    number = f"2^-{bits} (2^-{2 * bits} for a label that is a number)"
    yield f"the sum of y f in steps of {number}, the sum of f f' in steps of 2^-{2 * bits}"
    yield f"products of four features in steps of 2^-{4 * bits} (at most {sums.MOST_FOURTH_FEATURES} features)"
    squared = budget.squared_sensitivity(Adjacency.REPLACE_ONE, weight=Fraction(1), fourth_weight=None)
    yield f"so {float(squared)} for a = 1"
    yield f"integers are JSON numbers up to {power_of_two(LARGEST_JSON_INTEGER)} and text above"
    yield f"Numbers are whole steps of 1/{RECORD_STEPS} of a record"
    share = ONE_WAY_SHARE
    yield f"in mu^2: {share} for the counts, {1 - share} for the products"
    yield f"products in units of 4^-{cross_moments.BITS}, row by row"
    yield f"x from 0 to 1 in multiples of 2^-{number_moments.BITS}"
    yield from _largest_errors()
    yield from times_of_draws()
    assert sums._EXACT_BITS == exact_products.FLOAT_BITS
    yield FLOATS


def _largest_errors() -> Iterator[str]:
    found = recorded("largest_error")
    adult, compas, private = (found[key] for key in ("adult, replace-one", "compas, replace-one", "adult, add-remove"))
    beta = float(Fraction(found["beta"]))
    assert all(row["rate"][0] <= beta for row in (adult, compas, private))
    yield f"a largest error of {adult['largest']:.4f} over the {thousands(adult['answers'])} answers of"
    yield f"{thousands(largest_error.THRESHOLDS)} thresholds by its label"
    yield f"more bounds it by {adult['largest_bound']:.4f} on average"
    yield f"(Compas: {compas['largest']:.4f} and {compas['largest_bound']:.4f})"
    yield f"with {adult['misses']} misses in {thousands(found['draws'])} draws of the noise at beta {beta}"
    yield f"the bound is {private['largest_bound']:.4f} where the error is {private['largest']:.4f}"


def _releases_and_ends() -> Iterator[str]:
    yield from _releases()
    yield f"ends with exit code {OutOfMemory.exit_code} and"
    yield f"about\n{memory.START // memory.MB} MB of address space"
    yield f"what follows the noise {memory.AFTERWARDS // memory.MB} MB"
    yield f"linear algebra runs (exit code {INTERRUPTED})"
    yield f"for want of memory ({OutOfMemory.exit_code}) is told"


RELEASES = Page(_releases_and_ends, {NAME: ("SHA-256",)})


def _schema() -> Iterator[str]:
    yield f"Every kind has 2 to {domain.MOST_CODES} codes"
    size = exponential(column_reading.MOST_SIZE, 0)
    yield f"at most {size} in size, at most {size.removeprefix('1e')} decimal places"
    yield f"if its decimal has at most {columns._EXACT_DIGITS} digits"
    yield f"With at most `--most-levels` ({default('schema', 'most_levels')}) distinct values"
    yield f"their range with `--bins` ({default('schema', 'bins')}) bins"
    yield f"by day up to {proposals.MOST_DAYS} days, by week up to {proposals.MOST_WEEKS_DAYS} days"
    yield f"by month below {proposals.MOST_MONTHS_YEARS} years"
    yield f"more than {int(100 * proposals.NEARLY_ALL)} % are distinct"
    yield f"at most {proposals.MORE_LABELS} times `--most-levels` of them, each on {proposals.LEAST_OF_A_LABEL} rows"
    yield f"the hours of the day, {dates._CYCLES[dates.HOUR]}"
    yield f"a row has at most {table_csv.BLOCK_BYTES // 2**20} MiB"
    yield f"all columns together at most {thousands(schema.MOST_ALL_CODES)}"
    rows, unpacked = table_parquet.ROWS_A_BYTE, table_parquet.BYTES_A_BYTE
    yield f"more than {rows} rows for each of its bytes beyond {thousands(table_parquet.ROWS)}"
    yield f"more than {unpacked} times its size beyond {table_parquet.BYTES // 2**20} MiB"
    yield f"{table_parquet.CELLS_A_BYTE} cells for each beyond {thousands(table_parquet.CELLS)}"
    yield f"{table_parquet.PAGE_A_BYTE} times its size beyond {table_parquet.PAGE // 2**20} MiB"
    byte = next(size for size in (2**k for k in range(1, 16)) if domain.Domain((size + 1,)).code_type().itemsize > 1)
    yield f"two if a column has more than {byte} codes"


SCHEMA = Page(
    _schema, {SETTING: ("with the edge 0.3", "nearest to 0.3"), NAME: ("UTF-16",), DEFINITION: ("as 30 February",)}
)


def _public_schema() -> Iterator[str]:
    from tests.synthbounds.test_private_tables import EXAMPLES

    for name, (rows, _) in EXAMPLES.items():
        yield f"[{name}.schema.json](examples/{name}.schema.json) reads all {rows:,} rows"


PUBLIC_SCHEMA = Page(
    _public_schema,
    {
        DEFINITION: ("from 0 to 10 by definition", "from 1 to 10 by definition", "above 16 and above 0"),
        NAME: ("years 2013 and 2014", "until 2016"),
    },
)


def _synthesis() -> Iterator[str]:
    most = [power_of_two(size) for size in (uniform.MOST_BOOLEAN_POINTS, uniform.MOST_OTHER_POINTS)]
    yield f"if there are at most {most[0]} (two levels) or {most[1]} of them"
    gap = exponential(float(question.GAP), 0)
    yield f"Solved to a certified gap of at most {gap}"
    yield f"A candidate whose gap is above {gap} is an error"
    assert float(question.DENSITY_SLACK) == 0.01
    yield "to the noisy answers exceeds the optimum by at most one hundredth of itself and of the largest noise"
    yield f"in units of the farthest allowed, times {question.DENSITY_PULL}."
    yield f"where the density should take more than {forecast.MOST_SECONDS} CPU"
    yield f"more than {thousands(solve.MOST_EXACT)} cells, or parities"
    yield f"so that up to {thousands(solve.MOST_EXACT)} queries"
    yield f"unless there are more than {thousands(solve.MOST_EXACT)} queries"
    assert tree.REDRAWN == 0.1
    assert tree.REDRAWN_BITS == 0.03
    yield "One entry in ten (three in 100, where all attributes have two levels)"
    yield from _large_tables()
    yield from _rows_on_adult()
    yield FLOATS


def _large_tables() -> Iterator[str]:
    found = recorded("large_tables")
    every = found["all_levels"]
    yield f"{thousands(large_tables.POINTS)} points, epsilon 1"
    yield f"the worst of {every['commands']} commands each"
    for name, words in (("all_levels", "all levels"), ("public_schema", "public schema")):
        made = found[name]
        took = f"{made['cpu_s']:.0f} | {made['mb']:.0f} | {100 * made['within']:.1f} %"
        errors = f"{made['certified']:.4f} | {made['true_error']:.4f}"
        yield f"| {words} | {thousands(made['queries'])} | {took} | {errors} |"
    for name, words in TIES.items():
        entropy, squares = (found["densities"][name][kind] for kind in ("entropy", "squares"))
        yield f"| {words} | {entropy['sup']} / {entropy['rms']} | {squares['sup']} / {squares['rms']} |"


TIES = {
    "adult_3_gaussian": "Adult, 3 levels, Gaussian noise",
    "adult_3_laplace": "Adult, 3 levels, Laplace noise",
    "compas_5_gaussian": "Compas, 5 levels, Gaussian noise",
}


def _rows_on_adult() -> Iterator[str]:
    found = recorded("rows")
    real = [found[f"{levels} levels"] for levels in (2, 3)]
    yield f"epsilon {found['epsilon']}, n = {thousands(real[0]['n'])}; boosted trees"
    for levels, rows in product((2, 3), ("sampling", "rounding")):
        made = found[f"{levels} levels, {rows}, pure"]
        figures = f"{thousands(made['distinct'])} | {made['trees']} | {made['cpu_s']}"
        yield f"| {levels} | {rows} | {figures} |"
    yield f"Worst of {found['seeds']} seeds. Trees that are trained on the real records"
    reached = " and ".join(str(table["trees_real"]) for table in real)
    yield f"reach {reached}, a guess of the larger class {real[0]['majority']:.4f}"


SYNTHESIS = Page(
    _synthesis,
    {NAME: ("Bojkovic and Loh (2024)",), SETTING: ("all levels of its 14 columns", "epsilon 1 with a delta of 1e-9")},
)


def _private_tables() -> Iterator[str]:
    yield f"where the domain has at most {thousands(choose.MOST_POINTS)} points"
    yield f"Where points times squared features exceed {thousands(choose.DEAR)}, so that the fit of moments"
    yield f"products of two columns is at most {choose.LITTLE_NOISE}, no label is named"
    yield f"so many are drawn to choose among (default {thousands(settings.THRESHOLDS)})"
    yield f"{thousands(settings.THRESHOLDS)} planes are drawn by a public seed"
    yield f"ordered ones of at least {public_queries.LEAST_VALUES} values without missing cells"
    yield f"so many relaxed rows are fitted (default {thousands(settings.POINTS)})"
    yield f"and there are at most {choose.MOST_COLUMNS} columns"
    degrees, options = settings.DEGREES, {option.name: option for option in methods.LOG_OPTIONS}
    yield f"keeps tables of D columns (default {degrees[settings.AIM]}), `gen` measures all tables of up to D (default "
    yield f"up to D (default {degrees[settings.GEN]})"
    yield f"no table of more cells is kept (default {thousands(int(options['most_cells'].number()))})"
    yield f"the largest model (default {options['model_mb'].default} MB)"
    yield f"(default {settings.ROUNDS_PER_COLUMN} for every column)"
    yield f"noise of a product would be above {moments_plan.SMOOTH_NOISE}, ordered columns keep one feature"
    yield f"Above {cross_moments.MOST_FEATURES} features the nominal columns"
    yield f"columns of more than {law.MOST_DIRECT_CODES} codes are moved in groups"


PRIVATE_TABLES = Page(_private_tables)


def _training() -> Iterator[str]:
    yield f"By default {thousands(synthetic.POINTS)} points are drawn"
    yield f"sum of (residual/sd)^2 / {2 * tilting.STRENGTH:.0f}, where sd"
    least = exponential(tilting.LEAST_SD, 0)
    yield f"Noise below {least} is treated as {least}"
    yield f"where {tilting._MOST_STEPS} steps do not reach the minimum"
    yield f"More than {synthetic.MOST_FEATURES} features are refused"
    yield f"the model is trained on {thousands(synthetic.POINTS)} records"
    yield f"it that differs by at most {losses.LOSSES['hinge'].above:.5f}"
    yield f"Coefficients are rounded to {training.DIGITS} digits toward zero"
    yield f"rounded once, to {SKLEARN_DIGITS} digits"
    *most, last = over_tau.GRID
    yield f"the best model of norm {', '.join(map(str, most))} and {last} on the synthetic records"
    yield f"on {thousands(over_tau.POINTS)} synthetic records"
    yield f"at {100 * (1 - DEFAULT_BETA)} % confidence"
    yield f"Features are multiples of 2^-{feature_map.BITS}"
    raw = recorded("pipelines")["adult_raw"]
    yield f"the norm is {raw['norm']}"
    yield f"differ by {raw['largest_difference']:.1e} at most, and converting takes {raw['cpu_s']} CPU seconds"
    yield f"differs by {raw['raw_median_difference']} in the median and by {raw['raw_largest_difference']} at most"
    yield f"the decision for {100 * raw['raw_other_decision']:.2f} % of the records"
    own, private = raw["certified"], raw["certified_from_private_tables"]
    yield f"by more than {own['bound']:.3f} (median of {own['models']} simulated"
    yield f"the largest {own['largest_bound']:.3f}), and all {own['informative']} are informative"
    yield f"its norm is {private['norm']}, and the bounds are"
    yield f"{private['bound']:.3f} in the median and {private['largest_bound']:.3f} at most, again all informative"
    assert private["informative"] == private["models"]


TRAINING = Page(_training, {SETTING: ("a total epsilon of 1.1",)})


def _start() -> Iterator[str]:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    yield f"You need Python {project['requires-python'].removeprefix('>=')} or later"


START = Page(_start, {SETTING: ("to within 0.4, except with probability 0.05, at epsilon = 0.2",)})


TRUST = Page(lambda: iter(()))
