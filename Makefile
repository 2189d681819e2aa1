# SPDX-License-Identifier: MIT
# The front door. Each target installs what is missing, says so, and hands over to CMake's presets,
# pytest or the command line; nothing is built by make itself.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PRESET ?= release
JOBS ?= $(shell nproc)
PYTEST_FLAGS ?=
BENCH_FLAGS ?=
SECONDS ?= 3600
PART ?=
PREFIX ?= /usr/local
BUILD_DIR := build/$(PRESET)

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_OUTPUT_ON_FAILURE := 1

.PHONY: help demo test quick test-long fresh build soak fuzz bench install package wheel docs lint format clean venv

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "  PRESET=development|release|sanitize|undefined|thread-sanitizer|release-clang|aarch64 chooses the build"

demo: venv ## Build what it needs, then check every ordering of the event-mutex argument
	@scripts/build.sh release checker/all study/all
	@env -u FENCEPOST_BUILD_DIR ./fencepost study event-mutex

test: packages-test venv ## Build, lint, then run the C++ and the Python tests
	@scripts/test.sh $(PRESET) $(JOBS) $(PYTEST_FLAGS)

quick: packages-test venv ## What shows most mistakes of a change, in some minutes from a built tree
	@scripts/quick.sh $(PRESET) $(JOBS)

test-long: packages-long venv ## What takes hours: slow proofs, many random programs, long soaks (PART=2/6: a part)
	@FENCEPOST_PART='$(PART)' scripts/test_long.sh $(JOBS) $(PYTEST_FLAGS)

fresh: ## Run both commands, and all that install anything, in a bare Debian 12 made for it (long)
	@scripts/fresh.sh

build: venv ## Install what is missing and build everything into build/<preset>
	@scripts/build.sh $(PRESET)

soak: venv ## Mix all locks of an unchanged program, on each lock in turns, for SECONDS=3600
	@scripts/build.sh $(PRESET) fencepost_preload preload_soak
	@.venv/bin/python tests/preload/soak.py --seconds $(SECONDS)

fuzz: packages-fuzz ## Look for inputs that break a structure, a target after the other, SECONDS=3600 each
	@scripts/fuzz.sh $(SECONDS)

bench: venv ## Measure the library beside its peers, in an hour (BENCH_FLAGS=quick: 5 minutes)
	@scripts/install_bench_packages.sh
	@./fencepost bench $(BENCH_FLAGS)

install: packages-install ## Install the library and the command fencepost under PREFIX (/usr/local)
	@scripts/build.sh package
	@cmake --install build/package --prefix $(PREFIX)
	@python3 -m compileall -qq "$$(dirname "$$(readlink -f "$(PREFIX)/bin/fencepost")")/lab" || true

package: packages-install ## Make the Debian packages in build/package/packages
	@scripts/build.sh package
	@cd build/package && cpack

wheel: venv ## Make the Python wheel of the command, in build/wheel
	@scripts/build_wheel.sh

docs: packages-docs ## Make a site of all pages and of the headers, with search, in build/site
	@scripts/build_site.sh

lint: packages-test venv ## Check formatting, lint and types; changes nothing
	@scripts/lint.sh

format: packages-test venv ## Format every C, C++ and Python file
	@scripts/format.sh

packages-%:
	@scripts/install_packages.sh $*

venv: packages-build
	@scripts/create_venv.sh

clean: ## Remove everything that was built or installed here
	@rm -rf build .venv .pytest_cache .mypy_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
