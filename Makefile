# make demo, make test, make bench, make docs: each makes .venv, installs what it needs and no more, and starts at once
# the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
RESULTS := benchmarks/results
# Options of pytest: processes, one test, durations (make test PYTEST_ARGS='-k storage').
PYTEST_ARGS ?= -n auto --dist worksteal
# Every process that a test starts would compile the library again where the environment says to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE

# The version whose build for the processor alone is small where a registry has one; any from 2.6 on will do.
TORCH ?= torch==2.13.0 triton

.PHONY: demo test test-gpu bench docs lint types format clean
.SECONDARY:

$(BIN)/python:
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip

# An editable install: Python files ask for nothing, the compiled part and the dependencies for installing again.
$(VENV)/.built: $(BIN)/python pyproject.toml CMakeLists.txt $(wildcard native/*)
	@echo "Compiling the C++ routines and installing parzen: one or two minutes the first time ..."
	@$(PIP) install --editable .
	@touch $@

# What an extra of pyproject.toml names, for the parzen that is installed: nothing is compiled again.
$(VENV)/.with-%: $(VENV)/.built
	@echo "Installing what 'make $*' needs ..."
	@$(PIP) install 'parzen[$*]'
	@touch $@

demo: $(VENV)/.with-demo
	@$(BIN)/python examples/demo.py
	@$(BIN)/python examples/classify.py
	@$(BIN)/python examples/densities.py
	@$(BIN)/python examples/mixtures.py
	@$(BIN)/python examples/decide.py
	@$(BIN)/python examples/applications.py
	@$(BIN)/python examples/sequences.py
	@$(BIN)/python examples/nets.py
	@$(BIN)/python examples/temperatures.py
	@$(BIN)/parzen report --example breast_cancer -o demo/report.html

test: lint types
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# Rows on a device: on a GPU where there is one, else by the same routines on the processor.
test-gpu: $(VENV)/.with-test
	@if $(PIP) install $(TORCH); then \
	  $(BIN)/python -m pytest -n 0 tests/compute/test_device.py tests/compute/test_device_families.py; \
	else echo "PyTorch can't be had here: the tests of rows on a device are left out."; fi

lint: $(VENV)/.with-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.with-test
	$(BIN)/mypy

format: $(VENV)/.with-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.with-bench
	$(BIN)/python -m benchmarks.run --out $(RESULTS) --page docs/benchmarks.md

docs: $(VENV)/.with-docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/build/html
	@echo "The documentation is in docs/build/html/index.html."

clean:
	rm -rf $(VENV) build dist $(RESULTS) .pytest_cache .mypy_cache .ruff_cache .hypothesis
