# Everything installs into .venv, with the exact versions of constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: demo test test-slow check format bench clean

demo: $(STAMP) ## set up and show the main jobs
	@scripts/demo

test: check ## everything that must hold, in a few minutes
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(STAMP) ## the long versions of the same laws
	$(BIN)/python -m pytest -n 2 -m slow

check: $(STAMP) ## style, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n 0 -p no:cacheprovider README.md docs CONTRIBUTING.md src reproduction/src

format: $(STAMP) ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## every speed claim, ours beside the alternative in one run
	$(BIN)/python -m benchmarks

$(STAMP): pyproject.toml reproduction/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]" --editable reproduction
	@# The web page is tested in a browser; without the right to install one, those tests are skipped.
	command -v chromium || [ "$$(id -u)" != 0 ] || { apt-get update -qq && apt-get install -y -qq chromium; }
	touch $(STAMP)

clean: ## remove what these commands made
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
