// CPU seconds of the page's engine: node web_page.mjs PAGE. The median of several answers where it is one of many.
import { nodeEngine } from "../docs_site/calculator/node_engine.mjs";

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const { answer } = await nodeEngine(process.argv[2]);
const ask = (question) => {
  const before = cpu();
  let last = null;
  answer(JSON.stringify(question), (text) => (last = JSON.parse(text)));
  if (last.error) throw new Error(last.error);
  return cpu() - before;
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const options = { p: "10", degree: "2", epsilon: "0.2", accuracy: "0.1", failure: "0.05" };
const sizes = (changed) => ask({ ask: "answer", command: "require", options: { ...options, ...changed } });
const started = cpu();
sizes({});
const first = cpu();
const values = Array.from({ length: 100 }, (_, i) => String((i + 1) / 100));
const curve = () => ask({ ask: "curve", command: "require", options, over: "epsilon", values });
const risk = { features: "10", radius: "1", epsilon: "1", "dp-delta": "1e-6", failure: "0.01" };
const firstCurve = curve();
console.log(
  JSON.stringify({
    started_cpu_s: started,
    first_answer_cpu_s: first,
    curve_100_first_cpu_s: firstCurve,
    curve_100_cpu_s: median([curve(), curve(), curve()]),
    same_answer_cpu_s: median(Array.from({ length: 9 }, () => sizes({}))),
    new_answer_cpu_s: median(Array.from({ length: 9 }, (_, i) => sizes({ p: String(11 + i) }))),
    risk_bound_cpu_s: ask({ ask: "answer", command: "risk", options: { ...risk, n: "10000" } }),
    risk_size_cpu_s: ask({ ask: "answer", command: "risk", options: { ...risk, target: "0.1" } }),
  }),
);
