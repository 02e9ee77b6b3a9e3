# SPDX-License-Identifier: Apache-2.0
# Every target sets up the environment on first use (env/enter), builds what it needs (env/build) and runs inside.

SHELL := bash
run := env/enter env/build
jobs := $(shell nproc)

.PHONY: help demo models test test-slow sanitize fuzz bench sizes shell clean

help:
	@echo "make demo      a trained network against SCIP on fresh instances, and a page about it"
	@echo "make models    FAMILY=auction: collects, trains, chooses and judges the models of a family, from seeds; hours, resumable"
	@echo "make test      all tests"
	@echo "make test-slow the long ones: every rule on every published instance, 20 tiny instances a family"
	@echo "make sanitize  the tests under the address and undefined-behaviour sanitizers"
	@echo "make fuzz      random damage to shards and models, for FUZZ_SECONDS=600; starts from the corpus of the last run"
	@echo "make bench     benchmarks, also written to build/bench.json"
	@echo "make sizes     the table of docs/families.md: every family and size, solved with relpscost"
	@echo "make shell     a shell inside the environment"
	@echo "make clean     remove build/"
	@echo "./bough --help the program itself"

demo:
	@./bough demo -o build/demo

# The recipe says everything; what is on the way to the models stays in build/models.
models:
	@test -f models/$(FAMILY).toml || { echo "make models: FAMILY is one of: $(basename $(notdir $(wildcard models/*.toml)))" >&2; exit 2; }
	@./bough learn models/$(FAMILY).toml -o build/models/$(FAMILY)
	@for model in build/models/$(FAMILY)/models/{gcnn,gat,tgat}.safetensors; do cp $$model models/$(FAMILY)-$${model##*/} || exit; done

test:
	@$(run) release all ctest --test-dir build/release --output-on-failure --no-tests=error -j $(jobs) -LE slow

test-slow:
	@$(run) release all ctest --test-dir build/release --output-on-failure --no-tests=error -j $(jobs) -L slow --verbose

sanitize: export ASAN_OPTIONS := detect_stack_use_after_return=1
sanitize: export UBSAN_OPTIONS := print_stacktrace=1
sanitize:
	@$(run) asan all ctest --test-dir build/asan --output-on-failure --no-tests=error -j $(jobs) -LE slow

FUZZ_SECONDS ?= 600
fuzz:
	@$(run) fuzz bough-fuzz fuzz/run $(FUZZ_SECONDS)

bench:
	@$(run) release all build/release/bough-bench build/bench.json

# Resumable: what is in the file already is not run again.
sizes:
	@mkdir -p bench/results
	@$(run) release bough-sizes build/release/bough-sizes bench/results/sizes.jsonl 60

shell:
	@$(run) release all bash

clean:
	rm -rf build
