"""Tables, settings and counts of ddssp2024: Figure 3, Table 1 and Appendix G."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TypeAlias

from flint import arb

from bounds.enclosure import Enclosure, decimal_text, precision
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.composition import compose_advanced, compose_repeated
from bounds.privacy.statements import DP
from verify import real_tables
from verify.claim import (
    Claim,
    Evidence,
    Method,
    Scope,
    Severity,
    Verdict,
    Withdrawn,
    confirmed_if,
    inconsistent_if,
    not_run,
)

Row: TypeAlias = tuple[str, int, int, tuple[str, ...], str]
"""Name, size, number of attributes, their list, target (for Adult that of linear regression)."""

PRINTED = """\
Adult|48842|15|education-num|age, workclass, fnlwgt, education, marital-status, occupation, relationship, race, sex,
    capital-gain, capital-loss, hours-per-week, native-country, income>50K, education-num
ACSIncome|195665|9|PINCP|AGEP, COW, SCHL, MAR, RELP, WKHP, SEX, RAC1P, PINCP
Fire|305119|15|Priority|ALS Unit, Battalion, Call Final Disposition, Call Type, Call Type Group, City, Final Priority,
    Fire Prevention District, Neighborhoods - Analysis Boundaries, Original Priority, Station Area,
    Supervisor District, Unit Type, Zipcode of Incident, Priority
Taxi|1048575|11|totalamount|VendorID, passengercount, tripdistance, RatecodeID, PULocationID, DOLocationID,
    paymenttype, fareamount, tipamount, tollsamount, totalamount
ACSmobility|29358|20|MIG|AGEP, SCHL, MAR, SEX, DIS, CIT, MIL, ANC, WKHP, NATIVITY, RELP, DEAR, DEYE, DREM, RAC1P, GCL,
    COW, ESR, JWMNP, PINCP
ACSEmployment|378817|17|ESR|AGEP, SCHL, MAR, RELP, DIS, ESP, CIT, MIG, MIL, ANC, NATIVITY, DEAR, DEYE, DREM, SEX, RAC1P,
    ESR
ACSPublicCoverage|138550|19|PUBCOV|AGEP, SCHL, MAR, SEX, DIS, ESP, CIT, MIG, MIL, ANC, NATIVITY, DEAR, DEYE, DREM,
    PINCP, ESR, FER, RAC1P, PUBCOV
"""


def _row(line: str) -> Row:
    name, size, count, target, attributes = line.split("|")
    return name, int(size), int(count), tuple(attributes.split(", ")), target


TABLE_1 = tuple(_row(line) for line in PRINTED.replace(",\n    ", ", ").splitlines())
"""The rows of Table 1 as printed."""

GRID = (("n", "1024", "256"), ("0.01", "0.1", "0.2"), ("1", "10", "20"), ("0.001", "0.01", "0.1", "1.0"))
"""Appendix G.2: batch size, clipping norm, epochs, learning rate."""


def _attribute_counts() -> Evidence:
    wrong = [name for name, _, count, attributes, _ in TABLE_1 if len(attributes) != count]
    repeated = [name for name, _, _, attributes, _ in TABLE_1 if len(set(attributes)) != len(attributes)]
    text = f"{len(TABLE_1)} rows; counts that differ from the list: {wrong}, names listed twice: {repeated}"
    return confirmed_if(not wrong and not repeated, text)


def _targets() -> Evidence:
    outside = [name for name, _, _, attributes, target in TABLE_1 if target not in attributes]
    text = f"the target is among the counted attributes in every row except {outside}"
    return inconsistent_if(outside == ["ACSmobility"], text)


def _targets_by_columns() -> Evidence:
    """Counting the columns that a method reads: features and target."""
    columns = {name: len({*attributes, target}) - count for name, _, count, attributes, target in TABLE_1}
    return inconsistent_if(sorted(columns.values()) == [0] * 6 + [1], f"columns beyond the printed count: {columns}")


def _split_sizes() -> Evidence:
    training = {name: min(size - 1000, 50_000) for name, size, *_ in TABLE_1}
    limited = [name for name, rows in training.items() if rows == 50_000]
    text = f"training rows: {training}; all except Adult and ACSmobility are cut to 50,000"
    return confirmed_if(training["Adult"] == 47_842 and training["ACSmobility"] == 28_358 and len(limited) == 5, text)


def _adult_rows() -> Evidence:
    if not real_tables.is_here("adult"):
        return not_run(real_tables.MISSING)
    rows = real_tables.line_count("adult")
    return confirmed_if(rows == 48_842, f"a public copy of Adult has {rows} rows")


def _acs_rows() -> Evidence:
    """Both parts of a public copy together."""
    files = {name: [f"{name}_{part}" for part in ("train", "test")] for name in ("acs_income", "acs_mobility")}
    if not all((real_tables.FOLDER / f"{file}.csv").is_file() for pair in files.values() for file in pair):
        return not_run(
            f"the tables are not available: set {real_tables.VARIABLE} to the folder that has acs_income_train.csv"
        )
    parts = {name: [real_tables.line_count(file) for file in pair] for name, pair in files.items()}
    printed = {name.lower(): size for name, size, *_ in TABLE_1}
    same = all(sum(rows) == printed[name.replace("_", "")] for name, rows in parts.items())
    return confirmed_if(same, f"training and test rows in public copies: {parts}")


def _taxi_rows() -> Evidence:
    text = f"1,048,575 + 1 = 2^20: {1_048_575 + 1 == 2**20}, the number of rows of a spreadsheet with its header"
    return Evidence(Verdict.NOT_CHECKABLE if 1_048_575 + 1 == 2**20 else Verdict.UNDECIDABLE, text)


def _target_name() -> Evidence:
    return inconsistent_if("num-education" not in TABLE_1[0][3], "'num-education' is not in the list of Table 1")


def _target_name_by_other_places() -> Evidence:
    """The target column of Table 1, which is separate from its list of attributes, and the header of a public copy."""
    names = [TABLE_1[0][4]]
    if real_tables.is_here("adult"):
        names += [name for name in real_tables.columns("adult") if "education" in name]
    return inconsistent_if("num-education" not in names, f"target column of Table 1, then a public copy: {names}")


def theorem_22(epsilon: Fraction, runs: int, slack: Fraction) -> Enclosure:
    """k e^2/2 + e sqrt(2 k log(1/slack)), the form of advanced composition that Appendix G.2 names."""
    with precision(128):
        each = arb(epsilon.numerator) / epsilon.denominator
        logarithm = -(arb(slack.numerator) / slack.denominator).log()
        return Enclosure.of(runs * each**2 / 2 + each * (2 * runs * logarithm).sqrt())


def _curve_starts_right() -> Evidence:
    """Even the best composition of 108 promises of epsilon = 0.005 does not reach 0.1 at delta = 1e-5."""
    each, slack, runs = Fraction(5, 1000), Fraction(1, 10**5), len(list(product(*GRID)))
    promise = DP(epsilon=Enclosure.of(each), delta=Enclosure.of(0), adjacency=Adjacency.ADD_REMOVE)
    named = theorem_22(each, runs, slack)
    ours = compose_advanced(promise, count=runs, slack=slack).epsilon
    at_tenth = compose_repeated(promise, count=runs, epsilon="0.1").delta.lo
    text = (
        f"{runs} runs at 0.005: {named.decimal(8)[0]}... by advanced composition with slack 1e-5; at epsilon = 0.1 the "
        f"best composition has delta {decimal_text(at_tenth, 6, up=False)}..., so 0.05 and 0.1 cannot be reached"
    )
    out_of_reach = named.lo > Fraction(1, 4) and at_tenth > slack and ours.hi <= named.hi
    return confirmed_if(runs == 108 and out_of_reach, text)


def _iterations() -> Evidence:
    """A round costs at least rho/T, and the first measurements leave rho (1 - alpha/16)."""
    most = {name: int(16 * count * (1 - Fraction(9, 160))) for name, _, count, _, _ in TABLE_1}
    text = f"AIM has at most T (1 - alpha/16) rounds: {most}; the limit never binds as a number of rounds"
    return confirmed_if(max(most.values()) < 1000, text, with_conditions=True)


def _runtimes() -> Evidence:
    """Minutes: AIM on Adult at epsilon 0.05 and 2, for linear and logistic regression."""
    linear, logistic = Fraction(18 * 60, 8), Fraction(21 * 60, 12)
    text = f"AIM is {linear} and {logistic} times as fast at epsilon = 0.05 as at 2"
    return confirmed_if(min(linear, logistic) > 100, text)


def _standard_error() -> Evidence:
    """Student's t with 4 degrees of freedom: P(|T| <= 1) = sin(a) (1 + cos(a)^2/2) with tan(a) = 1/2."""
    squared = Fraction(1, 5) * (1 + Fraction(4, 5) / 2) ** 2
    covered = Fraction(62, 100) ** 2 < squared < Fraction(63, 100) ** 2
    text = (
        f"a bar of one standard error over 5 trials covers with probability sqrt({squared}) = 0.626... under normality"
    )
    return Evidence(Verdict.NOT_CHECKABLE if covered else Verdict.UNDECIDABLE, text)


CLAIMS = (
    Claim(
        "ddssp2024.T1.counts", "ddssp2024", "Table 1", "The printed numbers of attributes match the lists.",
        Verdict.CONFIRMED, Method.EXACT, _attribute_counts,
        quote="Table 1: Dataset information [...] # At-tributes [...] Attributes", scope=Scope.ALL_CASES,
    ),
    Claim(
        "ddssp2024.T1.targets", "ddssp2024", "Table 1, ACSmobility",
        "A row of Table 1 lists the target among the attributes and counts it.",
        Verdict.INCONSISTENT, Method.EXACT, _targets,
        "MIG is missing from the list of ACSmobility, the only such row of seven; the printed count, 20, matches the "
        "list. No result depends on it.",
        again=_targets_by_columns,
        quote="'COW', 'ESR', 'JWMNP', 'PINCP'] 'MIG'", severity=Severity.SLIP, depends_on=("ddssp2024.T1.counts",),
    ),
    Claim(
        "ddssp2024.T1.adult", "ddssp2024", "Table 1, Adult", "Adult has 48,842 records.",
        Verdict.CONFIRMED, Method.EXACT, _adult_rows, quote="Adult 48,842 15",
    ),
    Claim(
        "ddssp2024.T1.acs", "ddssp2024", "Table 1, ACSIncome and ACSmobility",
        "ACSIncome has 195,665 records, and ACSmobility 29,358.",
        Verdict.CONFIRMED, Method.EXACT, _acs_rows, quote="ACSIncome 195,665 9 [...] ACSmobility 29,358 20",
    ),
    Claim(
        "ddssp2024.T1.taxi", "ddssp2024", "Table 1, Taxi", "Taxi has 1,048,575 records.",
        Verdict.NOT_CHECKABLE, Method.EXACT, _taxi_rows,
        "The table was not available to us. The number is 2^20 - 1, the limit of spreadsheets; the text does not show "
        "whether the table was cut there.",
        quote="Taxi 1,048,575 11",
    ),
    Claim(
        "ddssp2024.G1.target-name", "ddssp2024", "Appendix G.1, Adult",
        "The target of Adult is called 'num-education'.",
        Verdict.INCONSISTENT, Method.READING, _target_name,
        "Table 1 calls it 'education-num', as does the data set. A slip of the name.",
        again=_target_name_by_other_places,
        quote="The target variable is 'num-education' (number of education years) for linear regression",
        severity=Severity.SLIP,
    ),
    Claim(
        "ddssp2024.G1.split", "ddssp2024", "Appendix G.1",
        "Each data set leaves 1,000 test points and up to 50,000 training points.",
        Verdict.CONFIRMED, Method.EXACT, _split_sizes,
        quote="Data is shuffled and split into 1,000 test points and up to 50,000 training points.",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "ddssp2024.Fig3.start", "ddssp2024", "Figure 3, caption",
        "With advanced composition the curve of DP-SGD starts further right, since a run has epsilon at least 0.005.",
        Verdict.CONFIRMED, Method.BALL, _curve_starts_right,
        hypotheses=(
            "108 runs, which is 3 x 3 x 3 x 4 from the lists of Appendix G.2",
            "each run promises epsilon = 0.005 and no better guarantee",
        ),
        quote="The advanced composition curve starts further to the right as the lowest $\\epsilon$ achievable by "
        "DP-SGD in these cases is 0.005",
    ),
    Claim(
        "ddssp2024.G2.iterations", "ddssp2024", "Appendix G.2", "AIM runs for at most 1,000 iterations.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _iterations,
        "As a number of rounds the limit is never reached, since T = 16 d; the text may mean steps of the fit within a "
        "round.",
        quote="AIM is trained with a model size of 200MB, a maximum of 1,000 iterations",
        severity=Severity.READING, scope=Scope.ALL_CASES, depends_on=("ddssp2024.A.first", "ddssp2024.A.round"),
    ),
    Claim(
        "ddssp2024.G4.low-epsilon", "ddssp2024", "Appendices G.3 and G.4",
        "By the times that the paper reports, AIM is much faster for low epsilon.",
        Verdict.CONFIRMED, Method.EXACT, _runtimes,
        "The check compares the reported times with the remark; we timed nothing.",
        hypotheses=("the times reported in Appendix G.3",),
        quote="AIM is much faster for low $\\epsilon$ values",
    ),
    Claim(
        "ddssp2024.Fig3.bars", "ddssp2024", "Figures 3 and 5, Appendix G.4",
        "Bars of one standard error over 5 trials show the variability of the results.",
        Verdict.NOT_CHECKABLE, Method.EXACT, _standard_error,
        "The values are not in the text. One standard error over 5 trials covers a mean with probability 0.626.",
        quote="Standard error bars are computed over 5 trials.",
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "ddssp2024.G2.grid",
        "The paper lists four ranges of parameters and says nothing about their number, so a count is not a claim of "
        "the paper.",
        see="ddssp2024.Fig3.start",
    ),
    Withdrawn(
        "ddssp2024.G2.workload",
        "That the workload is all pairs is a setting; the check counted pairs, which the paper does not. The claim is "
        "that pairs are enough.",
        see="ddssp2024.P3-2.gram",
    ),
)
