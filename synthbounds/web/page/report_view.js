// A report of the commands inside this page: its own words, pictures and style, apart from ours, and without its watermark.

import { every, one } from "./elements.js";

const STYLE = /<style>([\s\S]*?)<\/style>/;
const PART = ":host{display:block}.in-main{max-width:none;padding:1rem 1.2rem 1.5rem}@media (pointer:coarse){summary{min-height:44px;padding:.6rem 0}}";
const OUTER = { main: "div", header: "div", footer: "div" }; // a page has one of each, and this page has its own

/** The host shows the report, `without` parts and `unsaid` cautions that do not belong here; all is text and pictures of ours, and nothing of it can act. */
export function showReport(host, html, { without = [], unsaid = [] } = {}) {
  const parsed = new DOMParser().parseFromString(html.replace(STYLE, ""), "text/html");
  for (const acting of every("script, link, meta, iframe, object", parsed)) acting.remove();
  for (const selector of without) for (const part of every(selector, parsed)) part.remove();
  for (const item of every(".cautions li", parsed)) for (const words of unsaid) if (item.textContent.includes(words)) item.textContent = item.textContent.replace(words, "").trim();
  for (const heading of every("h1, h2, h3, h4", parsed)) heading.setAttribute("aria-level", Number(heading.tagName[1]) + 2);
  for (const [name, other] of Object.entries(OUTER)) for (const element of every(name, parsed)) replace(element, name, other);
  const sheet = document.createElement("div");
  sheet.className = "in-body";
  sheet.append(...document.importNode(one("body", parsed), true).childNodes);
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [styleOf(html)];
  root.replaceChildren(sheet);
}

function replace(element, name, other) {
  const made = element.ownerDocument.createElement(other);
  made.className = "in-" + name;
  made.append(...element.childNodes);
  element.replaceWith(made);
}

/** The report's rules for a part of a page: what they say of the whole is said of the part. */
function styleOf(html) {
  const rules = (STYLE.exec(html)?.[1] ?? "")
    .replaceAll(":root", ":host")
    .replace(/(^|[\s,{}])(body|main|footer|header)(?=[\s,{:[])/gm, "$1.in-$2");
  const style = new CSSStyleSheet();
  style.replaceSync(rules + PART);
  return style;
}
