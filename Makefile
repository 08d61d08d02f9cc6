# Two commands do everything: `make require` shows what the tool says, `make test` checks that it is right.
# Both set up .venv first. Nothing is installed outside this folder and no Python is downloaded.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.PHONY: require test check setup bench clean

require: $(READY)
	@$(BIN)/python -m synthbounds.tour

test: check
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

setup: $(READY)

bench: $(READY)
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.sweep

# uv installs in seconds what pip needs minutes for; compiled bytecode halves the time of every import.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode \
		--constraint constraints.txt --build-constraint constraints.txt --editable '.[test]'
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q bounds lp synthbounds
	@touch $(READY)

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .hypothesis
