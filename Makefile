# make demo, make test, make bench, make docs: each makes and reuses .venv, and starts at once the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
RESULTS := benchmarks/results

.PHONY: demo test bench docs lint types format clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# An editable install: only the compiled part and the dependencies ask for installing again.
$(INSTALLED): $(VENV)/bin/python pyproject.toml CMakeLists.txt $(wildcard native/*)
	$(BIN)/python -m pip install --quiet --editable '.[test,bench,docs]'
	@touch $@

docs: $(INSTALLED)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/build/html
	@echo "The documentation is in docs/build/html/index.html."

demo: $(INSTALLED)
	@$(BIN)/python examples/demo.py
	@$(BIN)/python examples/classify.py
	@$(BIN)/python examples/densities.py
	@$(BIN)/python examples/mixtures.py
	@$(BIN)/python examples/decide.py
	@$(BIN)/python examples/applications.py
	@$(BIN)/python examples/sequences.py
	@$(BIN)/parzen report --example breast_cancer -o demo/report.html

test: lint types
	$(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.run --out $(RESULTS)

clean:
	rm -rf $(VENV) build dist $(RESULTS) .pytest_cache .mypy_cache .ruff_cache .hypothesis
