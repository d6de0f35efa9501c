# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := $(wildcard src/calipers/kernels/*.pyx src/calipers/kernels/*.pxd)

.PHONY: demo test bench clean

demo: .venv/installed
	$(BIN)/calipers demo dense
	$(BIN)/calipers demo timeline

test: .venv/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: .venv/developing
	$(BIN)/python benchmarks/dense.py
	$(BIN)/python benchmarks/timeline.py

.venv/installed: pyproject.toml setup.py $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q src
	touch $@

.venv/developing: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m compileall -q src
	touch $@

clean:
	rm -rf .venv build src/calipers.egg-info src/calipers/kernels/*.c src/calipers/kernels/*.so
