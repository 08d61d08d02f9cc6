"""From a table to a release without a terminal: tables handed in, corrected, tried out, released and certified."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import chromium, places
from tests.browser.guided import Guided
from tests.paths import ROOT
from verify import real_tables

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Download

EXAMPLES = ROOT / "docs" / "examples"
SURVEY = EXAMPLES / "survey.csv"
REFUSED = "Failed to load resource: the server responded with a status of 4"
RAW = real_tables.FOLDER / "raw"
Walk = Callable[[str], Guided]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where releases are kept."""
    return tmp_path_factory.mktemp("guided") / "releases"


@pytest.fixture
def walk(browser: Browser) -> Iterator[Walk]:
    """The guided way from its beginning. Browsers complain of every request that is refused, and of nothing else."""
    watch, homes = chromium.Watch(), []
    with watch.context(browser, reduced_motion="reduce") as context:

        def begun(address: str) -> Guided:
            homes.append(address)
            page = context.new_page()
            page.goto(address)
            return Guided(page).begin()

        yield begun
    assert [said for said in watch.complaints if REFUSED not in said] == []
    assert watch.elsewhere(homes[0]) == []


@pytest.fixture(scope="module")
def guiding(folder: Path) -> Iterator[str]:
    """The address of a page that offers examples, too."""
    chromium.found()
    with places.serving("--demo", "--folder", str(folder)) as server:
        yield server.address


def raw(name: str) -> Path:
    if not (RAW / name).exists():
        pytest.skip(f"not run: {name} is not in the folder of tables")
    return RAW / name


def rows_of(download: Download) -> list[list[str]]:
    with Path(download.path()).open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


@pytest.mark.slow
def test_a_release_of_the_survey_is_made_once_and_certifies_a_model_from_elsewhere(
    guiding: str, folder: Path, walk: Walk, tmp_path: Path
) -> None:
    way = walk(guiding)
    way.hand_in(SURVEY)
    assert way.find("small.state").all_inner_texts() == ["data-dependent"] * 8
    way.check().step("release").expect(".locked", "8 columns are still data-dependent")
    way.step("columns").find("#schema-file").set_input_files(EXAMPLES / "survey.schema.json")
    way.expect(".tally", "All 8 columns are public").check()
    way.find("#privacy-label").select_option("insured")
    way.press("Show what to expect").settled()
    way.expect(".promised .headline", "Single columns within ")
    way.expect(".promised .headline", "; nothing is promised in advance for pairs of columns.")
    assert way.find(".report .certified").count() == 0  # it is about several methods
    assert way.find(".report .curve, .report figure").count() > 1

    way.step("release").find("#release-account").select_option("new account")
    way.press("Show what will be spent").expect(".refused-box", "Open the account first")
    way.find("#release-people").fill("Survey 2024")
    way.press("Open the account").settled().press("Show what will be spent").settled()
    way.expect(".spends", "by moments")
    way.expect(".spends", "ε = 1, δ = 10⁻⁸").expect(".spends", "ε = 0 of 4")
    assert not list(folder.glob("release-*"))  # nothing is spent by looking
    way.page.reload()
    way.settled().press("Show what will be spent").settled().expect(".spends", "Survey 2024: ε = 0 of 4")
    other = walk(guiding)  # another tab asks for the same, and has a ticket of its own
    other.step("release").press("Show what will be spent").settled()
    go = way.page.get_by_role("button", name="Make the release")
    assert go.is_disabled()
    way.find("input[name=sure]").check()
    go.click()
    way.heading("After the release").expect(".spent-so-far", "Survey 2024: ε = 1.")
    other.find("input[name=sure]").check()
    other.press("Make the release").settled()
    other.expect(".refused-box", "release-1")
    way.page.go_back()
    way.heading("Make the release").press("Show what will be spent").settled()
    way.expect(".again", "Exactly this release was made before: release-1")
    assert way.page.get_by_role("button", name="Make the release").count() == 0

    kept = folder / "release-1"
    released = json.loads((kept / "synthetic.release.json").read_text("utf-8"))
    assert (released["mode"], released["stamp"], released["n"]) == ("release", None, 4000)
    assert [place.name for place in folder.glob("release-*")] == ["release-1"]
    account = json.loads((folder / "survey-2024.account.json").read_text("utf-8"))
    assert len(account["ledger"]["entries"]) == len(released["budget"]["ledger"]["entries"]) == 2

    way.step("after").press("Show what was spent").settled().expect(".spent-so-far", "of 4 at δ = 10⁻⁸ spent so far")
    way.expect(".release .what", "survey.csv, moments, ε = 1, δ = 10⁻⁸, account survey-2024, ")
    way.expect(".release .files", "for publishing")
    saved = way.saved("synthetic.csv")
    assert saved.suggested_filename == "release-1-synthetic.csv"
    table = rows_of(saved)
    assert len(table) == 4001
    assert Path(way.saved("repeat.sh").path()).read_text("utf-8").count("--mode release") == 1
    assert json.loads(Path(way.saved("repeat.ipynb").path()).read_text("utf-8"))["nbformat"] == 4
    way.press("Look at it").find(".release .head-rows").wait_for()
    assert way.rows()[:3] == table[:3]

    model = tmp_path / "from elsewhere.json"
    train_elsewhere(table, Path(way.saved("synthetic.release.json").path()), model)
    way.find("summary").filter(has_text="How good is a model?").click()
    way.find("#certify-file").set_input_files(model)
    way.press("Certify it").settled()
    report = way.find("details.check .report").first
    report.get_by_text("no linear model", exact=False).first.wait_for()


@pytest.mark.slow
def test_a_table_without_a_header_is_asked_about(guiding: str, walk: Walk, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Meier,66,hiv\nMeier,21,none\nHuber,34,hiv\nMeier,21,none\n")
    way = walk(guiding).hand_in(tmp_path / "people.csv")
    way.expect(".doubt", "could come from somebody's record").expect("h2 small", "3 of 3 columns kept")
    way.column("66").get_by_label("Keep 66").uncheck()
    way.expect("h2 small", "2 of 3 columns kept")
    way.press("Check and go on").expect(".refused-box", "whether the first row is a header")
    above = way.find(".step > .again").filter(has_text="The first row may not be a header")
    assert above.bounding_box()["y"] < way.find(".columns-table").bounding_box()["y"]
    way.press("Answer this below")
    assert way.page.evaluate("document.activeElement.name") == "names-are-names"
    way.find("input[name=names-are-names]").check()
    assert above.is_hidden()
    way.column("hiv").locator("td.source input").fill("x")
    way.expect("tr[data-column=hiv] .as-drafted", "as drafted from your records")
    way.check().expect(".promised", "by moments")


def train_elsewhere(table: list[list[str]], numbers: Path, target: Path) -> None:
    """As the page tells it: scikit-learn on the synthetic table, and its model as a file."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    from synthbounds import models

    header, *rows = table
    place = header.index("insured")
    names = [name for name in header if name in ("sex", "smoker", "exercise", "region")]
    given = [[row[header.index(name)] for name in names] for row in rows]
    pipeline = make_pipeline(
        make_column_transformer((OneHotEncoder(drop="first"), [0, 1, 2, 3])), LogisticRegression(C=0.1)
    )
    fitted = pipeline.fit(given, [row[place] for row in rows])
    features = models.LabelledMoments.of(models.read_cross_moments(numbers), label="insured").feature_map
    target.write_text(models.model_text(models.model_from_sklearn(fitted, features, columns=names)))


@pytest.mark.slow
def test_raw_adult_becomes_a_simulated_table_with_a_report(guiding: str, walk: Walk) -> None:
    way = walk(guiding).hand_in(raw("adult_raw.csv"))
    assert "5.7 % missing" in way.column("workclass").inner_text()
    way.leave_out("fnlwgt", "education-num").change("age")
    way.field("age", "Groups").select_option("edges")
    way.field("age", "Edges, in increasing order").fill("16 25 35 45 55 65 120")
    way.check()
    way.find(".promised .headline").wait_for()
    way.find(".report").get_by_text("What not to conclude").wait_for()  # the words of the plan, and its picture
    assert way.find(".report svg").count() > 3
    way.find("#privacy-label").select_option("income")
    way.simulate(on_table=True)
    way.find(".report").get_by_text("48,842 rows of 13 columns").wait_for()
    way.find(".report").get_by_text("NOT A RELEASE").first.wait_for()
    table = rows_of(way.saved("synthetic.csv"))
    assert len(table) == 48_843
    assert way.rows() == table[:9]
    assert {"?", "Private"} < {row[table[0].index("workclass")] for row in table[1:]}
    assert all(16 <= int(row[0]) <= 120 for row in table[1:])
    way.step("release").expect(".locked", "13 columns are still data-dependent")


@pytest.mark.slow
def test_raw_compas_with_its_dates(guiding: str, walk: Walk) -> None:
    way = walk(guiding).hand_in(raw("compas_raw.csv"))
    way.expect("tr[data-column=id]", "left out")
    way.change("c_jail_in")
    way.field("c_jail_in", "Grouped by").select_option("quarter")
    way.field("c_jail_in", "First day").fill("2014-01-01")
    way.press("Check and go on").settled()
    way.expect(
        "tr[data-column=c_jail_in] .wrong", "c_jail_in"
    )  # somebody came before: at the column, and no day is told
    assert "2013" not in way.column("c_jail_in").locator(".wrong").inner_text()
    way.field("c_jail_in", "First day").fill("2013-01-01")
    way.check().simulate(on_table=True)
    table = rows_of(way.saved("synthetic.csv"))
    assert len(table) == 7215
    days = [row[table[0].index("c_jail_in")] for row in table[1:]]
    assert all(
        datetime(2013, 1, 1) <= datetime.strptime(day, "%Y-%m-%d %H:%M:%S") < datetime(2016, 4, 1)
        for day in days
        if day
    )
    assert 0.01 < days.count("") / len(days) < 0.2  # gaps stay gaps


@pytest.mark.slow
def test_predictions_of_any_model_are_certified_by_one_question(guiding: str, walk: Walk, tmp_path: Path) -> None:
    way = walk(guiding).demo("Survey").check()
    way.step("release").find("#release-account").select_option("")
    way.find("#release-kind").select_option("floors")
    way.press("Show what will be spent").expect(".refused-box", "which column is the outcome").settled()
    way.step("plan").find("#privacy-label").select_option("insured")
    way.step("release").find("#release-kind").select_option("floors")
    way.press("Show what will be spent").settled().find("input[name=sure]").check()
    way.press("Make the release").heading("After the release")
    with SURVEY.open(newline="", encoding="utf-8") as stream:
        likely = {"north": "0.9", "east": "0.8"}
        guesses = [likely.get(row["region"], "0.75") for row in csv.DictReader(stream)]
    (tmp_path / "guesses.csv").write_text("\n".join(["insured", *guesses]) + "\n", encoding="utf-8")
    way.find("summary").filter(has_text="predictions of any model").click()
    way.find("#ask-file").set_input_files(tmp_path / "guesses.csv")
    way.find("form[aria-label='How good are predictions?'] button[type=submit]").click()
    way.expect("details.check .spends", "everything the release has kept for a question")
    way.find("details.check input[name=sure]").check()
    way.press("Make the release").settled()
    way.find(".release").last.get_by_role("button", name="Look at it").click()
    way.find(".release .report").get_by_text("the mean log loss of this model").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "words"),
    [("0", "Epsilon must be above 0; try 1."), ("1,5", "as a number"), ("", "Enter epsilon, such as 1.")],
)
def test_no_step_follows_without_an_epsilon(typed: str, words: str, guiding: str, walk: Walk) -> None:
    way = walk(guiding).demo("Survey").check()
    way.find("#privacy-epsilon").fill(typed)
    for name in ("Go on to a trial", "Show what to expect"):
        way.press(name).settled().expect("#privacy-epsilon-wrong", words).heading("How private")
        assert way.refusal().count() == 0
        assert way.find("#privacy-epsilon").get_attribute("aria-invalid") == "true"
    assert way.find("[data-step=trial]").is_disabled()
    assert way.find("[data-step=release]").is_disabled()
    way.find("#privacy-epsilon").fill("0.5")
    assert way.find("#privacy-epsilon-wrong").inner_text() == ""
    way.press("Go on to a trial").heading("Try it out")


@pytest.mark.slow
@pytest.mark.parametrize("on_table", [False, True])
def test_only_a_trial_on_the_table_may_reveal_it(on_table: bool, guiding: str, walk: Walk) -> None:
    way = walk(guiding).demo("Survey").check().simulate(on_table=on_table, method="independent")
    cautions = way.find(".report .cautions")
    expect(cautions).to_contain_text("The noise of a simulation protects nobody.")
    assert way.saved("report.html").suggested_filename == "trial-report.html"
    assert ("may reveal what the table contains" in cautions.inner_text()) == on_table


WRONG = {
    "empty.csv": (b"", "is empty"),
    "people.zip": (b"PK\x03\x04" + bytes(40), "unpack it"),
    "wide.csv": ("a,b\n1,2\n".encode("utf-16"), "save it as UTF-8"),
    "photo.csv": (b"\x89PNG\r\n\x1a\n" + bytes(40), "photo.csv: is not a table; choose a CSV or Parquet file."),
    "schema.json": (b'{"synthbounds_schema": 1}', "is JSON, not a table"),
    "ragged.csv": (b"a,b\n1,2\n1,2,3\n", "row 2"),
}


@pytest.mark.slow
def test_a_wrong_file_gets_one_clear_sentence(guiding: str, walk: Walk, tmp_path: Path) -> None:
    way = walk(guiding)
    for name, (content, words) in WRONG.items():
        (tmp_path / name).write_bytes(content)
        way.find("#guided-file").set_input_files(tmp_path / name)
        way.expect(".refused-box", words).settled()
        assert way.refusal().count() == 1, name
        assert name not in way.find(".chosen").inner_text()
    way.demo("Survey").step("table")
    assert way.refusal().count() == 0


@pytest.mark.slow
def test_long_work_is_stopped_and_a_reload_finds_it_again(guiding: str, walk: Walk) -> None:
    way = walk(guiding).demo("Survey").check()
    way.step("trial").find("#trial-method").select_option("aim")
    way.press("Simulate").find(".under-way .doing").filter(has_text="Simulating").wait_for()
    way.page.reload()  # the work goes on, and is found again
    way.find(".under-way .doing").filter(has_text="Simulating").wait_for()
    way.press("Stop").expect(".refused-box", "Stopped").settled()
    way.find("#trial-method").select_option("independent")
    way.press("Simulate").find(".head-rows").wait_for()
    way.settled().step("after").heading("After the release")  # a trial can be asked about, too
    way.page.go_back()
    way.heading("Try it out").page.reload()
    way.find(".head-rows").wait_for()  # without a further simulation
    assert way.find("#trial-method").input_value() == "independent"


@pytest.mark.slow
def test_a_release_that_is_stopped_after_its_noise_is_spent_and_can_be_finished(
    guiding: str, folder: Path, walk: Walk
) -> None:
    way = walk(guiding).demo("Survey").check()
    way.step("trial").find("#trial-method").select_option("aim")
    way.step("release").find("#release-account").select_option("")
    way.press("Show what will be spent").settled().find("input[name=sure]").check()
    way.press("Make the release").find(".under-way .doing").filter(has_text="Making the release").wait_for()
    while not list(folder.glob("release-*/*.recovery.json")):  # from here on something is spent
        way.page.wait_for_timeout(20)
    way.press("Stop").expect(".refused-box", "The budget is spent all the same").settled()
    left = next(folder.glob("release-*/*.recovery.json"))
    way.expect(".refused-box", left.name)
    way.page.reload()
    card = way.settled().step("after").find(".release").filter(has_text=left.parent.name)
    card.locator("small.state").filter(has_text="interrupted").wait_for()
    way.press("Finish it").settled()
    expect(way.find(".release").filter(has_text="interrupted")).to_have_count(0)
    assert (left.parent / "synthetic.csv").exists()
