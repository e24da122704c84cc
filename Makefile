# Plain `make` lists the targets: the text behind `##` is the help.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
UV := .uv/bin/uv
export UV_PYTHON_DOWNLOADS := never
# Many tests wait, for a server or for a clock: two to a core keep the cores busy.
WORKERS ?= 4
SHARED := $(BIN)/pytest -n $(WORKERS) --dist loadfile
# Each worker imports all tests; compiled ones are kept for the next run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup test test-slow test-all test-unit cover check fmt lint types imports sizes bench bench-api bench-runtime bench-schedules bench-engine bench-selfservice bench-prescaled bench-scale bench-all docs generated helm promtool sbom up real-cluster velero record soak clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(BIN)/.ready  ## make .venv with all that development needs

# uv lives in an environment of its own: `uv sync` would remove it from .venv.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kedge needs Python 3.11 or newer: make PYTHON=/path/to/python3")'
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv

$(BIN)/.ready: pyproject.toml uv.lock src/kedge/__init__.py | $(UV)
	$(UV) sync --locked --quiet --all-extras --compile-bytecode --python $(PYTHON)
	$(BIN)/python -m compileall -q src
	@touch $@

test: setup  ## set up and run all tests but the slow ones
	$(SHARED) -m "not slow"

test-slow: setup  ## run the long sweeps that `make test` has a thin cut of
	$(SHARED) -m slow

test-all: setup  ## run all tests
	$(SHARED)

test-unit: setup  ## run the tests that need no server
	$(SHARED) tests/unit

cover: setup  ## run all tests and show the lines they miss
	$(SHARED) --cov --cov-report=term-missing:skip-covered

check: lint types imports sizes  ## lint, types, layers, sizes

fmt: setup  ## format, and fix what can be fixed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

lint: setup
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/codespell

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

sizes: setup
	$(BIN)/python tools/check_size.py src tests bench tools

bench: setup  ## measure against other cron libraries, in one run
	$(BIN)/python bench/cron.py

bench-api: setup  ## measure our API server and a real one, in one run (needs real-cluster)
	$(BIN)/python bench/apiserver.py

bench-runtime: setup  ## measure client and runtime beside other Python ones, in one run
	$(BIN)/python bench/runtime.py

bench-schedules: setup  ## measure schedules that are due at once, and idle ones (needs real-cluster)
	$(BIN)/python bench/schedules.py

bench-engine: setup  ## measure backups and restores, beside Velero where it is built (needs real-cluster)
	$(BIN)/python bench/engine.py

bench-selfservice: setup  ## measure NonAdminBackups and their places in the line (needs real-cluster)
	$(BIN)/python bench/selfservice.py

bench-prescaled: setup  ## measure PreScaledCronJobs
	$(BIN)/python bench/prescaled.py

bench-scale: setup  ## measure how replicas take over from a leader that goes (needs real-cluster)
	$(BIN)/python bench/scale.py

bench-all: setup  ## run every benchmark, and write docs/performance.md
	$(BIN)/python bench/all.py

docs: setup  ## build the documentation as a site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

generated: setup  ## write anew what is made from the code and the lock: manifests, chart, reference
	$(BIN)/python tools/gen_crds.py
	$(BIN)/python tools/gen_manifests.py
	$(BIN)/python tools/chart.py
	$(BIN)/python tools/requirements.py
	$(BIN)/python tools/licences.py
	$(BIN)/python -m tools.reference

sbom: setup  ## list all that is installed with Kedge, as CycloneDX: dist/kedge.cdx.json
	$(BIN)/python -m tools.sbom

helm:  ## build the real Helm, for the tests of the chart (Go, some minutes, once)
	$(PYTHON) -m tools.helm.build

promtool:  ## build the real promtool, for the tests of the alerts (Go, some minutes, once)
	$(PYTHON) -m tools.promtool.build

up: setup  ## set up and run all of Kedge, with no cluster at hand
	$(BIN)/kedge up

record: setup  ## record the answers of a real API server anew (needs real-cluster)
	$(BIN)/python -m tests.conformance.api.record

soak: setup  ## kill the server and the store under load, fifty rounds each
	KEDGE_KILL_ROUNDS=50 KEDGE_EVERY_KUBECTL=1 $(BIN)/pytest tests/integration -k kill

real-cluster:  ## build a real API server for the tests (Go, ten minutes, once)
	$(PYTHON) tools/real_cluster/build.py

velero:  ## build the real Velero, to try ours beside it (Go, some minutes, once)
	$(PYTHON) tools/velero/build.py

clean:  ## remove what setup and the tools made
	rm -rf .venv .uv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
