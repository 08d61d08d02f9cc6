// The engine of a built page in node, from the page's own files: what the worker does, without a browser.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export async function nodeEngine(folder) {
  const read = async (name) => new Uint8Array(fs.readFileSync(path.join(folder, name))).buffer;
  const start = "data:text/javascript;base64," + fs.readFileSync(path.join(folder, "start.js"), "base64");
  const { startEngine } = await import(start); // node takes a file named .js for no module
  const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide/pyodide.mjs")));
  const settings = { indexURL: path.join(folder, "pyodide") + "/", stdLibURL: path.join(folder, "python.zip") };
  return startEngine(loadPyodide, settings, read, () => {});
}
