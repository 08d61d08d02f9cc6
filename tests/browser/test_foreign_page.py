"""Another page in the same browser cannot ask: whatever it tries, the engine does not receive a single byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import chromium, places

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

QUESTION = json.dumps({"ask": "forms"})
PAGE = """<!doctype html><title>elsewhere</title><body><iframe name="sink" hidden></iframe><script type="module">
const asked = TARGET + "api/v1/ask", text = QUESTION, said = {};
const attempt = async (name, tried) => { try { said[name] = await tried(); } catch { said[name] = "refused"; } };
const loads = (tag, address) => new Promise(done => {
    const e = Object.assign(document.createElement(tag), {src: address});
    e.onload = () => done(tag === "iframe" && e.contentDocument === null ? "unreadable" : "loaded");
    e.onerror = () => done("refused");
    document.body.append(e);
});
const json = {"Content-Type": "application/json"};
for (const at of [asked, asked.replace("127.0.0.1", "localhost")]) {
    const post = more => async () => (await fetch(at, {method: "POST", body: text, ...more})).type;
    await attempt("fetch " + at, post({}));
    await attempt("json " + at, post({headers: json}));
    await attempt("guess " + at, post({headers: {...json, Authorization: "Bearer guess"}}));
    await attempt("credentials " + at, post({credentials: "include"}));
    await attempt("no-cors " + at, post({mode: "no-cors"}));
    await attempt("beacon " + at, async () => { navigator.sendBeacon(at, text); return "opaque"; });
}
await attempt("get", async () => (await fetch(TARGET)).type);
await attempt("events", () => new Promise(done => {
    const events = new EventSource(asked);
    events.onmessage = () => done("message");
    events.onerror = () => { events.close(); done("refused"); };
}));
await attempt("script", () => loads("script", TARGET + "main.js"));
await attempt("image", () => loads("img", asked));
await attempt("iframe", () => loads("iframe", TARGET));
await attempt("form", () => new Promise(done => {
    const form = document.createElement("form");
    Object.assign(form, {method: "post", enctype: "text/plain", action: asked, target: "sink"});
    form.append(Object.assign(document.createElement("input"), {name: '{"ask": "forms", "x": "', value: '"}'}));
    document.body.append(form);
    document.querySelector("[name=sink]").onload = () => done("unreadable");
    form.submit();
}));
document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: JSON.stringify(said)}));
</script>"""


def bytes_read(pid: int) -> int:
    """What a process has read so far, from files and pipes."""
    fields = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines())
    return int(fields["rchar"])


def children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


@pytest.mark.skipif(
    not Path("/proc/self/io").exists(), reason="not run: this system does not count what a process reads"
)
def test_a_foreign_page_cannot_ask(browser: Browser, tmp_path: Path) -> None:
    with places.serving() as server:
        home = chromium.Watch().context(browser)
        page = home.new_page()
        page.goto(server.address)
        page.locator("html[data-state=idle]").wait_for(state="attached")
        (engine,) = children(server.process.pid)
        before = bytes_read(engine)

        parts = urlsplit(server.address)
        target = json.dumps(f"{parts.scheme}://{parts.netloc}/")
        text = PAGE.replace("TARGET", target).replace("QUESTION", json.dumps(QUESTION))
        (tmp_path / "index.html").write_text(text, encoding="utf-8")
        with places.hosting(tmp_path) as elsewhere:
            foreign = home.new_page()  # in the context of the page: whatever the browser keeps is at hand
            foreign.goto(elsewhere)
            said = json.loads(foreign.locator("#said").inner_text())
        answers = set(said.values())
        assert len(said) > 15
        assert answers <= {"refused", "opaque", "unreadable"}, said
        assert bytes_read(engine) == before
        assert children(server.process.pid) == [engine]

        page.reload()  # and the page itself can
        page.locator("html[data-state=idle]").wait_for(state="attached")
        assert bytes_read(engine) > before
        home.close()
