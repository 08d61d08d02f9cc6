"""Python prints what docs/python.md shows."""

from __future__ import annotations

import doctest
import re

import matplotlib as mpl
import matplotlib.pyplot as plt

from tests.paths import ROOT


def test_sessions_on_the_page_run_as_they_stand() -> None:
    mpl.use("Agg")
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    sessions = "".join(re.findall(r"^```pycon\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    tried = doctest.DocTestParser().get_doctest(sessions, {}, "python.md", None, 0)
    assert len(tried.examples) >= 10
    said: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(tried, out=said.append)
    plt.close("all")
    assert results.failed == 0, "".join(said)
