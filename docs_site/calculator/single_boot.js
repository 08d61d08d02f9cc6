// One file from a disk: its parts are blocks of data in this page, and the worker is made from one of them.

import { unpacked } from "./unpack.js";

const block = (name) => document.querySelector(`script[data-block="${name}"]`).textContent;
window.STORED = JSON.parse(block("stored.json"));
Object.defineProperty(window, "PAPERS", {
  get: async () => JSON.parse(new TextDecoder().decode(await unpacked(block("papers.json")))),
});
window.makeWorker = () => {
  const worker = new Worker(URL.createObjectURL(new Blob([block("worker.js")], { type: "text/javascript" })));
  const parts = {};
  for (const element of document.querySelectorAll("script[data-part]")) {
    parts[element.dataset.part] = element.textContent;
    element.remove();
  }
  worker.postMessage({ parts });
  return worker;
};
