// As worker.js, in the one file: every part comes as gzip in base64, and `fetch` is answered from these and from nowhere else.
// From a disk, browsers allow neither module workers nor imports of blobs, so both scripts of Pyodide are evaluated as text.
// They want to be in a module: `importScripts` must fail as it does there, and `import.meta` gets an address of our own.

import { startEngine } from "./start.js";
import { unpacked } from "./unpack.js";

const base = "https://parts.invalid/pyodide/";
const types = { wasm: "application/wasm", mjs: "text/javascript", json: "application/json" };

async function started(parts) {
  const bytes = {};
  await Promise.all(Object.entries(parts).map(async ([name, text]) => (bytes[name] = await unpacked(text))));
  const textOf = (name) => new TextDecoder().decode(bytes[name]);
  self.fetch = async (what) => {
    const asked = String(what?.url ?? what);
    const name = asked.startsWith(base) ? asked.slice(base.length) : "";
    if (!(name in bytes)) throw new TypeError("nothing is fetched from " + asked);
    return new Response(bytes[name], { headers: { "Content-Type": types[name.split(".").at(-1)] ?? "application/octet-stream" } });
  };
  self.importScripts = () => {
    throw new TypeError("not in a module");
  };
  (0, eval)(textOf("pyodide.js"));
  const core = textOf("pyodide.asm.mjs")
    .replace(/export\s*(default|\{)[^;]*;?\s*$/, "")
    .replaceAll("import.meta.url", JSON.stringify(base));
  const createPyodideModule = (0, eval)(`(() => {${core}; return _createPyodideModule})()`);
  const settings = { indexURL: base, stdLibURL: base + "python.zip", createPyodideModule };
  return startEngine(self.loadPyodide, settings, async (name) => bytes[name], (stage) => postMessage({ stage }));
}

let answer = null;
self.onmessage = async ({ data }) => {
  if (!data.parts) {
    answer(data.text, (text) => postMessage({ id: data.id, text }));
    return;
  }
  try {
    ({ answer } = await started(data.parts));
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ failed: error.message });
  }
};
