"""DP-SGD of a linear model by opacus, in an interpreter that has it: `python opacus_fit.py TABLE SETTING FOUND`.

Started by benchmarks.regression; self-contained. TABLE (npz) has features and labels of -1 and 1, SETTING (JSON) has
batch, epochs, clip, rate, noise and seed; FOUND gets the CPU seconds of the training, the last model and the version.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time


def main(table_file: str, setting_file: str, found_file: str) -> None:
    import numpy as np
    import torch
    from opacus import PrivacyEngine

    torch.set_num_threads(1)
    with open(setting_file, encoding="utf-8") as lines:
        setting = json.load(lines)
    torch.manual_seed(setting["seed"])
    table = np.load(table_file)
    values, labels = torch.tensor(table["features"]), torch.tensor((table["labels"] + 1) / 2)
    model = torch.nn.Linear(values.shape[1], 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=setting["rate"])
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(values, labels), batch_size=setting["batch"])
    start = time.process_time()
    model, optimizer, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        noise_multiplier=setting["noise"],
        max_grad_norm=setting["clip"],
        poisson_sampling=True,
    )
    loss = torch.nn.BCEWithLogitsLoss()
    for _ in range(setting["epochs"]):
        for some, theirs in loader:
            optimizer.zero_grad()
            loss(model(some)[:, 0], theirs).backward()
            optimizer.step()
    seconds = time.process_time() - start
    weights = next(model.parameters()).detach().numpy()[0].tolist()
    found = {"version": importlib.metadata.version("opacus"), "fit_cpu_s": seconds, "coefficients": weights}
    with open(found_file, "w", encoding="utf-8") as lines:
        json.dump(found, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
