# A thin front to meson; `make help` lists the targets.
#
# BUILD=dir    build folder                  PREFIX=dir  where `make install` installs
# DESTDIR=dir  prepended to PREFIX           HEDDLE_NO_INSTALL=1  never call apt-get

BUILD  ?= build
PREFIX ?= /usr/local
# Debian's own python3, whatever else comes first in PATH: meson was installed for it.
PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)

export HEDDLE_NO_INSTALL

.PHONY: all help check-setup setup setup-test build demo test check-full check-real check-fresh mutants bench deb install clean

all: check-setup
	@$(MAKE) --no-print-directory build

help:
	@echo 'make             build into $(BUILD)/: the command is $(BUILD)/heddle'
	@echo 'make demo        install what is missing, build, find a bug in an example'
	@echo 'make test        the same set-up, then all tests'
	@echo 'make check-full  make test, and longer: the tests with clang too, and fuzzing'
	@echo 'make check-real  programs of Debian, built with heddle cc and run under heddle'
	@echo 'make check-fresh make demo, make test and the packages in an empty Debian 12 (debootstrap; as root)'
	@echo 'make mutants     change one thing at a time in what decides verdicts: does a test notice? (hours)'
	@echo 'make deb         Debian packages, in $(BUILD)-deb/'
	@echo 'make bench       measure, and print the tables of docs/measured/benchmarks.md'
	@echo 'make install     install to PREFIX ($(PREFIX)), below DESTDIR if that is set'
	@echo 'make setup       only install what building needs (apt-get)'
	@echo 'make clean       remove the build folders'

# ---- set-up -------------------------------------------------------------------

check-setup:
	@sh scripts/setup --check build

setup:
	@sh scripts/setup build

setup-test:
	@sh scripts/setup test

# ---- build --------------------------------------------------------------------

build:
	@sh scripts/configure $(BUILD)
	@ninja -C $(BUILD)

demo: setup
	@$(MAKE) --no-print-directory build
	@sh scripts/demo $(BUILD)

test: setup-test
	@$(PYTHON) scripts/run_tests $(BUILD)

check-full: setup-test
	@$(PYTHON) scripts/run_tests --full $(BUILD)

check-real: setup
	@$(MAKE) --no-print-directory build
	@$(PYTHON) scripts/check_real $(BUILD)

check-fresh:
	@sh scripts/check_fresh

mutants: setup-test
	@$(MAKE) --no-print-directory build
	@$(PYTHON) scripts/mutants $(BUILD)

deb: check-setup
	@sh scripts/deb $(BUILD)

bench: setup
	@$(MAKE) --no-print-directory build
	@ninja -C $(BUILD) bench/bench_trace bench/bench_atomicity bench/bench_patterns bench/bench_ranks
	@$(PYTHON) bench/run.py $(BUILD)
	@$(PYTHON) bench/races.py $(BUILD)
	@$(PYTHON) bench/inline.py $(BUILD)
	@$(PYTHON) bench/inline_uses.py $(BUILD)
	@$(PYTHON) bench/tasks.py $(BUILD)
	@$(PYTHON) bench/predict_table.py $(BUILD)
	@$(PYTHON) bench/explore.py $(BUILD)
	@$(PYTHON) bench/ranks.py $(BUILD)
	@$(PYTHON) bench/correlate.py $(BUILD)
	@$(PYTHON) bench/openmp.py $(BUILD)
	@$(PYTHON) bench/correlate_verdicts.py $(BUILD)
	@$(PYTHON) bench/page.py $(BUILD)
	@$(PYTHON) bench/seeded.py $(BUILD)
	@$(PYTHON) bench/seeded.py $(BUILD) --tries
	@sh bench/first_bug.sh
	@$(BUILD)/bench/bench_atomicity 5
	@$(BUILD)/bench/bench_patterns

# The build is not repeated by `meson install`, which may run as another user.
install: check-setup
	@sh scripts/configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD)
	@meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))
	@echo 'install: heddle is in $(DESTDIR)$(PREFIX)/bin'

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-clang $(BUILD)-fuzz $(BUILD)-deb $(BUILD)-mutants
