// The engine's own thread: questions in, messages out, as carrier.js expects them.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import { startEngine } from "./start.js";

const here = new URL("./", import.meta.url).href;
const read = async (name) => {
  const response = await fetch(here + name);
  if (!response.ok) throw new Error(name + " was not found next to this page");
  return response.arrayBuffer();
};
try {
  const settings = { indexURL: here + "pyodide/", stdLibURL: here + "python.zip" };
  const { answer } = await startEngine(loadPyodide, settings, read, (stage) => postMessage({ stage }));
  self.onmessage = ({ data }) => answer(data.text, (text) => postMessage({ id: data.id, text }));
  postMessage({ ready: true });
} catch (error) {
  postMessage({ failed: error.message });
}
