# stria - the commands. Each sets up what it needs; CMakePresets.json and bindings/js/package.json do the work.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all check cuda fuzz bench accuracy format clean install js generate

JOBS   := $(shell nproc 2> /dev/null || echo 2)
PREFIX ?= /usr/local
SETUP  := @toolchains/setup.sh
# the tools that set-up brought, for the rest of a line
TOOLS  := . toolchains/env.sh &&
# configures once; Ninja runs CMake again when a list of sources changes
BUILD   = $(TOOLS) { test -e build/$(1)/build.ninja || cmake --preset $(1) > /dev/null; } && \
          cmake --build --preset $(1) -j $(JOBS) $(2)

# what `make check` takes of the cases
PART := STRIA_PART=4 STRIA_CUDA_CASES=8 STRIA_HASH_PART=4 STRIA_HASH_THREADS=7 STRIA_OPS_LAYOUTS=4 STRIA_FUZZ_COUNT=5000 STRIA_FUZZ_VALUES=4000 \
        STRIA_FUZZ_OVERLAP=1500

help:
	@echo 'make demo      builds what the page needs, serves it and prints its address'
	@echo 'make test      builds and tests every target; TARGETS="native wasm" for some of them'
	@echo 'make test-all  every suite on every target, longer fuzzing, coverage, mutations: hours'
	@echo 'make check     the inner loop: native build, its tests with a part of their cases, JavaScript on the addon'
	@echo 'make fuzz      10 million random iterators against the model, bytes under libFuzzer; COUNT= SEED= VALUES= TIME='
	@echo 'make bench     stria and its peers side by side: table, JSON, page with plots; QUICK=1, ROWS=regex, ROWS=readme'
	@echo 'make cuda      on a machine with an NVIDIA GPU: its suites, compute-sanitizer, then the rows of make bench ROWS=cuda; QUICK=1'
	@echo 'make accuracy  measures functions against MPFR and writes docs/accuracy.md; QUICK=1, ALL=1 (hours), ROWS="exp log"'
	@echo 'make js        the npm package in bindings/js/dist: addon, WebAssembly modules, JavaScript, types; CUDA=1 with the CUDA plug-in'
	@echo 'make generate  writes the files that are generated from the op table, and what docs/compiler.md shows'
	@echo 'make format    formats all sources'
	@echo 'make install   installs the C library; PREFIX=/usr/local, CUDA=1 with the CUDA plug-in'
	@echo 'make clean     removes what was built; downloaded tools stay in ~/.cache/stria'

demo: js
	$(SETUP) demo
	@$(TOOLS) node web/setup.mjs && node web/serve.mjs

test:
	@toolchains/test.sh $(TARGETS)

test-all:
	@STRIA_FULL=1 toolchains/test.sh $(TARGETS)

check:
	$(SETUP) native node
	@$(call BUILD,native)
	@$(PART) ctest --preset native -j $(JOBS) -LE '^(slow|isa|all)$$'
	@$(TOOLS) cd bindings/js && npm run --silent check

cuda:
	$(SETUP) native node
	@toolchains/test.sh cuda
	@$(call BUILD,native,--target bench_cuda)
	@$(TOOLS) node bench/run.mjs --rows=cuda $(if $(QUICK),--quick)

fuzz:
	$(SETUP) native node sanitize
	@$(call BUILD,native,--target stria_tests)
	@$(call BUILD,fuzz,--target fuzz_iter_bytes fuzz_npy_bytes fuzz_safetensors_bytes)
	@$(TOOLS) COUNT="$(COUNT)" SEED="$(SEED)" VALUES="$(VALUES)" TIME="$(TIME)" toolchains/fuzz.sh

bench: $(if $(filter readme cuda,$(ROWS)),,js)
	$(SETUP) bench
	@$(call BUILD,native,--target stria stria_bench bench_cuda)
	@$(TOOLS) node bench/run.mjs $(if $(QUICK),--quick) $(if $(ROWS),'--rows=$(ROWS)')

# CUDA=1: the CUDA plug-in, too, for sm_80, sm_90 and PTX; CUDA=90-real or 80-virtual: for less, in less time
PLUGIN  = $(TOOLS) cmake --preset cuda $(if $(filter 1,$(CUDA)),-USTRIA_CUDA_ARCHITECTURES,'-DSTRIA_CUDA_ARCHITECTURES=$(CUDA)') > /dev/null && \
          cmake --build --preset cuda -j $(JOBS) --target stria_cuda

js:
	$(SETUP) native node wasm
	@$(call BUILD,native,--target stria_napi stria_opdump)
	@for variant in simd threads relaxed; do $(call BUILD,wasm-$$variant,--target stria_wasm) || exit 1; done
	@$(TOOLS) cd bindings/js && npm run --silent build -- --require=native,simd,threads,relaxed
ifneq ($(CUDA),)
	@$(PLUGIN)
	@cp build/cuda/libstria_cuda.so bindings/js/dist/native/
endif

accuracy:
	$(SETUP) native node mpfr
	@$(call BUILD,native,--target accuracy stria_tests)
	@$(TOOLS) nice node tools/accuracy.mjs $(if $(QUICK),--quick) $(if $(ALL),--all) $(ROWS)
	@$(MAKE) --no-print-directory generate

generate:
	$(SETUP) native node
	@$(call BUILD,native,--target stria_opdump stria_tests)
	@build/native/stria_opdump > build/native/ops.json
	@$(TOOLS) cd bindings/js && npm run --silent generate -- ../../build/native/ops.json
	@if toolchains/mlir.sh --find > /dev/null 2>&1 && command -v wasm2wat > /dev/null; then \
	    build/native/stria_tests test_compiler_page --write docs/compiler.md; fi
	@if test -e bindings/js/dist/explain.js; then $(TOOLS) node bindings/js/scripts/gen_picture.mjs; fi

format:
	$(SETUP) format node
	@toolchains/format.sh

install:
	$(SETUP) native
	@$(call BUILD,plain,--target stria_libraries)
	@cmake --install build/plain --prefix "$(PREFIX)"
ifneq ($(CUDA),)
	@$(PLUGIN)
	@cmake --install build/cuda --prefix "$(PREFIX)" --component cuda
endif

clean:
	@rm -rf build bindings/js/dist bindings/js/build
