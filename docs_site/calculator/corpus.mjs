// The regression corpus inside the page's own Python: node corpus.mjs PAGE TESTS SHARE OF. Every OF-th question from SHARE on.
import fs from "node:fs";
import path from "node:path";
import { nodeEngine } from "./node_engine.mjs";

const [page, tests, share, of] = process.argv.slice(2);
const { python } = await nodeEngine(page);
python.FS.mkdir("/tests");
python.FS.writeFile("/tests/__init__.py", "");
for (const name of ["corpus.py", "corpus.json"]) python.FS.writeFile("/tests/" + name, fs.readFileSync(path.join(tests, name)));
python.globals.set("share", Number(share));
python.globals.set("of", Number(of));
console.log(python.runPython(`
import json, sys
from itertools import islice
sys.path.insert(0, "/")
from tests.corpus import askings
known = json.load(open("/tests/corpus.json"))
asked = dict(askings(()))
mine = dict(islice(asked.items(), share, None, of))
different = [label for label, numbers in mine.items() if known.get(label) != numbers()]
json.dumps({"asked": len(mine), "different": different, "unasked": sorted(known.keys() - asked.keys())})
`));
