"""Steps of relaxed rows in JAX, in an interpreter that has it: `python jax_steps.py PROBLEM SETTING FOUND`.

Started by benchmarks.rap; self-contained. PROBLEM (npz) has points and, for every number of thresholds, planes, levels
and shares; SETTING (JSON) says which tables there are. The step is that of mechanisms.rap: tables and thresholds, Adam,
and the same projection; the gradient is JAX's own, and everything is compiled once. FOUND gets CPU milliseconds per
step, the seconds of the first call, the loss at the first points, the peak memory and the version.
"""

from __future__ import annotations

import importlib.metadata
import json
import resource
import sys
import time


def main(problem_file: str, setting_file: str, found_file: str) -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np

    problem = np.load(problem_file)
    with open(setting_file, encoding="utf-8") as lines:
        setting = json.load(lines)
    blocks = setting["blocks"]
    starts = np.cumsum([0, *blocks])
    end, label = int(starts[-1]), setting["label"]
    ones = jnp.asarray(np.repeat(np.eye(len(blocks), dtype=np.float32), blocks, axis=1))
    spread = ones.T
    points = jnp.asarray(problem["points"])
    count = points.shape[1]
    targets = [jnp.asarray(problem[f"table{k}"]) for k in range(len(setting["tables"]))]

    def block(values, place):
        return values[starts[place] : starts[place + 1]]

    def loss(values, planes, levels, shares, sharpness):
        total = 0.0
        codes = block(values, label)
        for (i, j), target in zip(setting["tables"], targets, strict=True):
            pair = (block(values, j)[:, None] * codes[None]).reshape(-1, count)
            total += jnp.sum((block(values, i) @ pair.T / count - target) ** 2)
        beyond = jnp.tanh(sharpness / 2 * (planes @ values[end:] - levels[:, None]))
        error = (beyond @ codes.T + codes.sum(axis=1)) / (2 * count) - shares
        return total + jnp.sum(error**2)

    def projected(values):
        numbers, points = jnp.clip(values[end:], 0, 1), values[:end]
        above = (points > 0).astype(jnp.float32)
        counts = ones @ above
        taken = (ones @ (points * above) - 1) / jnp.maximum(counts, 1)
        everything = (ones @ points - 1) / jnp.asarray(blocks, dtype=jnp.float32)[:, None]
        taken = jnp.where(counts == 0, everything, taken)
        for _ in range(1):
            left = jnp.maximum(points - spread @ taken, 0)
            taken = taken + (ones @ left - 1) / jnp.maximum(ones @ (left > 0).astype(jnp.float32), 1)
        points = jnp.maximum(points - spread @ taken, 0)
        return jnp.concatenate([points / (spread @ (ones @ points)), numbers])

    @jax.jit
    def step(values, mean, square, number, planes, levels, shares, sharpness):
        value, slope = jax.value_and_grad(loss)(values, planes, levels, shares, sharpness)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        first, second = 1 - 0.9**number, 1 - 0.999**number
        moved = values - setting["rate"] * jnp.sqrt(second) / first * mean / (jnp.sqrt(square) + 1e-8)
        return value, projected(moved), mean, square

    found = {"version": importlib.metadata.version("jax"), "step_cpu_ms": {}, "first_call_cpu_s": {}}
    found["value"] = {}
    for size in setting["sizes"]:
        planes, levels, shares = (jnp.asarray(problem[f"{name}{size}"]) for name in ("planes", "levels", "shares"))
        mean = square = jnp.zeros_like(points)
        values, begin = points, time.process_time()
        value, values, mean, square = step(values, mean, square, 1.0, planes, levels, shares, setting["sharpness"])
        values.block_until_ready()
        found["first_call_cpu_s"][size] = time.process_time() - begin
        found["value"][size] = float(value)
        times = []
        for _ in range(setting["repeats"]):
            begin = time.process_time()
            for number in range(setting["steps"]):
                value, values, mean, square = step(
                    values, mean, square, 2.0 + number, planes, levels, shares, setting["sharpness"]
                )
            values.block_until_ready()
            times.append((time.process_time() - begin) / setting["steps"] * 1000)
        found["step_cpu_ms"][size] = min(times)
    found["process_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with open(found_file, "w", encoding="utf-8") as lines:
        json.dump(found, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
