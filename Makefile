# SPDX-License-Identifier: BSD-3-Clause
#
# Each target first sees to what it needs; nothing has to be done by hand before it.
# The work is done by scripts/setup.sh and scripts/lint.sh, which can be called directly, too.

setup := scripts/setup.sh
export ASAN ?= first
# Most of the time that a test takes is waiting for processes to start.
WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help demo test test-full test-programs time-programs build wheel lint format docs clean

help:  ## list these targets
	@echo 'Laneway: MPI collectives for nodes with several network lanes'
	@echo
	@awk -F ':.*## *' '/^[a-z-]+:.*##/ {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@awk -F '## *' '/^## / {print "  " $$2}' $(MAKEFILE_LIST)

demo:  ## set up, build, and compare the algorithms on this machine: a table and a report
	@$(setup) environment -- native release each all
	@$(setup) native release each all
	.venv/bin/laneway demo $(ARGS)

test:  ## set up, build, and run the tests: at most 15 minutes, 8 of them the tests
	@$(setup) environment test -- native release each all checks
	@$(setup) native release each all checks
	.venv/bin/pytest -m "not full and not timed" --numprocesses $(WORKERS) --dist loadgroup $(ARGS)

test-full:  ## every test on every MPI library: large draws, sanitizers, a browser, Slurm, what judges times
	@$(setup) environment test
	@$(setup) extras
	@$(setup) native release each all checks
	@$(setup) native asan each laneway-check laneway-prove
	@failed=0; pytest() { .venv/bin/pytest "$$@" $(ARGS) || [ $$? -eq 5 ] || failed=1; }; \
	pytest -m "not timed" --timeout 1800 --numprocesses $(WORKERS) --dist loadgroup; \
	pytest -m timed; exit $$failed

test-programs:  ## get real programs (docs/programs.md) and run them under laneway exec; RUNS=20 each
	@$(setup) environment test
	@$(setup) native release each all
	@scripts/programs.sh
	rm -f build/programs/outcomes.jsonl
	RUNS=$(or $(RUNS),20) .venv/bin/pytest tests/test_unmodified.py $(ARGS)
	@.venv/bin/python tests/unmodified.py

time-programs:  ## time real programs on an emulated cluster: native, default, learning, tuned; RUNS=3 each, BUDGET=5m of tuning
	@$(setup) environment test
	@$(setup) native release each all
	@scripts/programs.sh
	@RUNS=$(RUNS) BUDGET=$(BUDGET) MPI=$(MPI) PROGRAM=$(PROGRAM) WAYS=$(WAYS) BINDINGS=$(BINDINGS) SLOW=$(SLOW) \
		.venv/bin/python tests/timed_programs.py

build:  ## set up and build for every MPI library; .venv/bin/laneway is the command afterwards
	@$(setup) environment
	@$(setup) native release each all checks

wheel:  ## make dist/laneway-*-manylinux_*.whl, which serves every MPI library and needs no compiler (ARCH=aarch64: for it)
	@$(setup) environment wheel
	@scripts/wheel.sh $(ARCH)

lint:  ## check style, types and common mistakes; no warning of the compiler is let through
	@$(setup) environment lint
ifndef LINT
	@$(setup) native strict first all checks
endif
	@scripts/lint.sh $(LINT)

format:  ## put the sources into the common style
	@$(setup) environment lint
	@scripts/lint.sh --fix

docs:  ## write docs/algorithms.md and printed answers anew, and the documentation as a site with search: build/site
	@$(setup) environment docs
	@$(setup) native release each all
	cd docs && ../.venv/bin/laneway algorithms --markdown --drawings patterns > algorithms.md.new
	mv docs/algorithms.md.new docs/algorithms.md
	.venv/bin/python scripts/printed.py docs/*.md
	.venv/bin/python scripts/rows_schema.py docs/rows.schema.json
	.venv/bin/python scripts/settings.py
	.venv/bin/sphinx-build -q -W --keep-going -c docs -d build/doctrees . build/site
	@echo 'build/site/index.html'

clean:  ## remove .venv, build and caches; results of measurements stay
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find python packages tests -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

## Options, as in `make build MPI=mpich`:
##   MPI=openmpi|mpich|PREFIX  only this MPI library; PREFIX holds bin/mpicc (default: all found)
##   INSTALL=no                install nothing, but say what is missing and how to get it
##   ARGS='...'                passed on to the command: make test ARGS='-k allreduce'
##   ASAN=first|each|none      MPI libraries for which a test of `make test` builds with the sanitizers
##   LINT='python format'      only these parts of `make lint` (python, modules, prose, format, tidy, shell)
##   WORKERS=4                 tests that run at a time; those that judge times run alone
