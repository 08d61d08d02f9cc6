// Bytecode for the Python of the page, made by that Python: node compile.mjs PYODIDE_FOLDER FROM.zip TO.zip ...
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: folder + "/" });
python.runPython(`
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

def compiled(source, target):
    """Modules as bytecode that is never checked against a source, other files as they are, all without a date."""
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w") as made:
        for name in given.namelist():
            content = given.read(name)
            if name.endswith(".py"):
                content, name = _code_to_hash_pyc(compile(content, name, "exec", dont_inherit=True), bytes(8), False), name + "c"
            made.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, compresslevel=9)
`);
for (let i = 0; i < files.length; i += 2) {
  python.FS.writeFile("/from.zip", fs.readFileSync(files[i]));
  python.runPython("compiled('/from.zip', '/to.zip')");
  fs.writeFileSync(files[i + 1], python.FS.readFile("/to.zip"));
}
