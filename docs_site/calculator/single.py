"""The whole calculator as one file that can be mailed and opened from a disk. It requests nothing from the network.

Scripts and styles are allowed by their digests, requests not at all. The worker is made from text inside the page and
inherits these rules; it evaluates Pyodide's two scripts, so evaluation is allowed.
"""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from docs_site.calculator.bundle import bundled

HERE = Path(__file__).parent
_STYLE = re.compile(r'<link rel="stylesheet" href="([\w.-]+\.css)">')
_ENTRY = '<script type="module" src="main.js"></script>'


def single_file(folder: Path, page: str, parts: dict[str, bytes]) -> str:
    """From the built folder, its index.html without a policy, and the files that Python needs."""
    modules = {path.name: path.read_text("utf-8") for path in (*folder.glob("*.js"), *HERE.glob("*.js"))}
    worker = bundled(modules, "single_worker.js")
    scripts = [bundled(modules, "single_boot.js"), bundled(modules, "main.js")]
    styles = [(folder / name).read_text("utf-8") for name in _STYLE.findall(page)]
    if not styles or _ENTRY not in page:
        raise ValueError("index.html: its styles or its script cannot be found")
    blocks = {"worker.js": worker, "stored.json": (folder / "stored.json").read_text("utf-8")}
    body = [_data("block", name, _harmless(text)) for name, text in blocks.items()]
    body.append(_data("block", "papers.json", _packed((folder / "papers.json").read_bytes())))
    body += [_data("part", name, _packed(content)) for name, content in parts.items()]
    body += [f'<script type="module">{_harmless(text)}</script>' for text in scripts]
    policy = (
        f"default-src 'none'; script-src {' '.join(_digest(_harmless(text)) for text in scripts)} 'unsafe-eval'; "
        f"style-src {' '.join(map(_digest, styles))}; img-src data:; worker-src blob:"
    )
    style = iter(styles)
    page = _STYLE.sub(lambda _: f"<style>{next(style)}</style>", page)
    return with_policy(page, policy).replace(_ENTRY, "\n".join(body))


def with_policy(page: str, policy: str) -> str:
    """The page with a policy on what it may load, placed before everything that it loads."""
    charset = '<meta charset="utf-8">\n'
    if charset not in page:
        raise ValueError("index.html: no charset")
    return page.replace(charset, f'{charset}<meta http-equiv="Content-Security-Policy" content="{policy}">\n', 1)


def _data(kind: str, name: str, text: str) -> str:
    return f'<script type="text/plain" data-{kind}="{name}">{text}</script>'


def _packed(content: bytes) -> str:
    return b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _harmless(text: str) -> str:
    """Without text that would end or confuse an element; in JSON and JavaScript strings a backslash changes nothing."""
    return text.replace("</", "<\\/").replace("<!--", "\\u003c!--")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode()}'"
