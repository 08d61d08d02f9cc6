# Two commands do everything: `make require` shows what the tool says, and `make test` checks in at most five minutes on
# two cores that it is right; `make test-slow` runs the longer tests. All set up .venv first. Nothing is installed outside
# this folder, and no Python is downloaded.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
# Tests are rewritten when they are loaded; if bytecode is kept, that happens once and not in every run.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
OPTIONS := --constraint constraints.txt --editable '.[test]'

.PHONY: require test test-slow fuzz formal check setup docs docs-test numbers page dist materials figures bench harden clean

require: $(READY)
	@$(BIN)/python -m synthbounds.tour

test: check
	$(PYTEST) -m "not slow"

# Notebooks, figures, examples of the pages, long campaigns, and property tests again on all their examples.
test-slow: $(READY)
	TESTS=all $(PYTEST) -m slow

# Lemmas behind the ledger, proved by Coq if it is installed (Debian: coq libcoq-coquelicot libcoq-interval).
formal: $(READY)
	@$(BIN)/python -m verify.formal_proofs

# Hostile input of every kind, in the amount asked for; failures are printed with the command that repeats them.
CASES ?= 20000
SEED ?= 1
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --cases $(CASES) --seed $(SEED)

check: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo

setup: $(READY)

# The site, in build/docs/site; docs-test makes every warning an error and repeats the corpus in the calculator.
docs: $(READY)
	$(BIN)/python -m docs_site.build

docs-test: $(READY)
	$(BIN)/python -m docs_site.build --strict

# The numbers of all pages, rewritten from what their marks name; the tests check them.
numbers: $(READY)
	$(BIN)/python -m docs_site.numbers

# The calculator: a folder for any host, in build/docs/site/calculator, and one file that works from disk. Needs npm.
page: $(READY)
	$(BIN)/python -m docs_site.calculator

# Source distribution and wheel of the last commit, in dist: the same bytes wherever they are built; prints their digests.
dist: $(READY)
	$(BIN)/python -m tests.distribution dist

# The packages that an installation includes, with versions and licences, in sbom.json.
materials: $(READY)
	$(BIN)/python -m docs_site.materials

# Data, PNG and SVG of every figure, in paper_figures/output.
figures: $(READY)
	$(BIN)/python -m paper_figures

bench: $(READY)
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.sweep
	$(BIN)/python -m benchmarks.approximation
	$(BIN)/python -m benchmarks.marginals
	$(BIN)/python -m benchmarks.kappa
	$(BIN)/python -m benchmarks.lp
	$(BIN)/python -m benchmarks.large_programmes
	$(BIN)/python -m benchmarks.large_tables
	$(BIN)/python -m benchmarks.large_parities
	$(BIN)/python -m benchmarks.guarantee
	$(BIN)/python -m benchmarks.rows
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.audit
	$(BIN)/python -m benchmarks.noise_timing
	$(BIN)/python -m benchmarks.audit_commands
	$(BIN)/python -m benchmarks.certify
	$(BIN)/python -m benchmarks.confirm
	$(BIN)/python -m benchmarks.excess
	$(BIN)/python -m benchmarks.any_model
	$(BIN)/python -m benchmarks.certificate_floor
	$(BIN)/python -m benchmarks.pipelines
	$(BIN)/python -m benchmarks.planning
	$(BIN)/python -m benchmarks.improving
	$(BIN)/python -m benchmarks.improve
	$(BIN)/python -m benchmarks.finished_tables
	$(BIN)/python -m benchmarks.largest_error
	$(BIN)/python -m benchmarks.regression
	$(BIN)/python -m benchmarks.generators
	$(BIN)/python -m benchmarks.rap
	$(BIN)/python -m benchmarks.surrogate_certificate
	$(BIN)/python -m benchmarks.spectrum
	$(BIN)/python -m benchmarks.shares
	$(BIN)/python -m benchmarks.noisy_regression
	$(BIN)/python -m benchmarks.rejections
	$(BIN)/python -m benchmarks.coefficient_signs
	$(BIN)/python -m benchmarks.fuzz
	$(BIN)/python -m benchmarks.spreading
	$(BIN)/python -m benchmarks.web_server
	$(BIN)/python -m benchmarks.web_page

# uv installs in seconds what takes pip minutes; compiled bytecode halves the time of every import.
# If uv cannot reach the index that pip is configured for, pip does the same more slowly.
$(READY): pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "synthbounds needs Python 3.11 or later")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	UV_PYTHON_DOWNLOADS=never $(BIN)/python -m uv pip install --quiet --python $(BIN)/python --compile-bytecode \
		--build-constraint constraints.txt $(OPTIONS) || $(BIN)/python -m pip install --quiet $(OPTIONS)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q bounds docs_site lp mechanisms paper_figures release synthbounds verify
	@touch $(READY)

# The whole campaign against releasing commands, which takes hours. The recorded one is smaller and says how many runs it has.
harden: $(READY)
	$(BIN)/python -m benchmarks.harden --limits 200 --others 20 --signals 500 --kills 1000 --races 200 --faults 10

clean:
	rm -rf $(VENV) build dist paper_figures/output *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
