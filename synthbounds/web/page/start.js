// Python inside the page: Pyodide, python-flint and synthbounds, from files that `read` gives. Nothing else is fetched.

/** A function of a question's text that hands every message of the answer to its second argument. */
export async function startEngine(loadPyodide, settings, read, tell) {
  const carried = Promise.all(["python_flint.whl", "synthbounds.zip"].map(read)); // while Python starts
  carried.catch(() => {}); // told below, when it is waited for
  tell("starting Python");
  const python = await loadPyodide(settings);
  const [flint, ours] = await carried;
  tell("loading exact arithmetic");
  python.unpackArchive(flint, "wheel");
  python.FS.writeFile("/synthbounds.zip", new Uint8Array(ours));
  const answer = python.runPython("import sys; sys.path.insert(0, '/synthbounds.zip'); import page_start; page_start.start()");
  return { python, answer };
}
