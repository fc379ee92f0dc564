# Everything runs in .venv, which the first target that needs it makes: only Python 3.11+ and make
# have to be there. PYTHON=python3.12 picks another interpreter.
# The demo needs no tools of tests: it has an environment of its own, or uses .venv if that is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-test
BENCH_READY := $(VENV)/.ready-bench
DEMO_VENV := $(if $(wildcard $(READY)),$(VENV),.venv-demo)
DEMO_READY := $(if $(wildcard $(READY)),$(READY),$(DEMO_VENV)/.ready)
# PyTorch has an environment of its own, since its wheels are large. The pin in constraints.txt is the version that the
# tests last passed with. They need no GPU: with an index of PyTorch's CPU builds in PIP_EXTRA_INDEX_URL, pip takes the
# build "+cpu" of that version, which is smaller; else the one that its index has for this machine.
TORCH_VENV := .venv-torch
TORCH_READY := $(TORCH_VENV)/.ready
# The lowest versions that pyproject.toml allows have one, too.
LOWEST_VENV := .venv-lowest
LOWEST_READY := $(LOWEST_VENV)/.ready
# What the emulated processor runs: code for one state and for batches, loops, calls, the cache.
ARM_TESTS ?= $(addprefix tests/kernel/test_,targets.py equal_bits.py compiled.py kernel_calls.py fastcall.py fastcall_batch.py \
	batch.py streams.py rolled_kernel.py cache.py)

.PHONY: demo test test-slow test-arm test-avx512 test-embedded test-torch test-machines test-lowest fuzz lint bench docs clean help

help:  ## say what there is
	@grep -hE '^[a-z0-9-]+:.*##' Makefile | sed 's/:.*##/\t/'

demo: $(DEMO_READY)  ## the whole story on the bundled PUMA 560, in a minute or so: demo/report.html
	$(DEMO_VENV)/bin/armdyn demo -o demo

test: lint  ## style, types, and all tests but the long studies
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(READY)  ## the long studies
	$(BIN)/python -m pytest -n auto -m slow

test-arm: $(READY)  ## tests of kernels on an emulated 64-bit ARM processor; needs qemu-user-static
	tests/support/emulated/run.sh $(ARM_TESTS)

test-avx512: $(READY)  ## the recorded digests on an emulated processor with AVX-512; needs bochs
	tests/support/emulated/avx512/run.sh

test-embedded: $(READY)  ## self-tests of exported C on emulated Cortex-M7 and M4F
	ARMDYN_EMBEDDED=1 $(BIN)/python -m pytest -rs tests/export/test_embedded.py

test-torch: $(TORCH_READY)  ## functions as operators of PyTorch, which this installs
	CUDA_VISIBLE_DEVICES= $(TORCH_VENV)/bin/python -m pytest -rs -k "torch or learn" tests/arm/test_torch_operators.py \
		tests/docs/test_examples.py tests/docs/test_tutorials.py tests/docs/test_docstrings.py tests/test_bad_arguments.py

test-machines: $(READY)  ## the tests without the long studies, with libraries held to what older and other processors have
	$(BIN)/python tests/support/machines.py -n auto -m "not slow"

test-lowest: $(LOWEST_READY)  ## the tests without the long studies, with the lowest versions that pyproject.toml allows
	$(LOWEST_VENV)/bin/python -m pytest -n auto -m "not slow"

# Cases are the same for the same SEED; FUZZ takes more options, such as --resume or --targets csv,npz.
FUZZ_SECONDS ?= 120
SEED ?= 1
fuzz: $(READY)  ## attack everything with odd input, for FUZZ_SECONDS=120 from SEED=1 on; build/fuzz keeps what was found
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --seed $(SEED) $(FUZZ)

lint: $(READY)  ## style, types and directions of import
	$(BIN)/ruff check src papers tests benchmarks examples fuzz conftest.py
	$(BIN)/ruff format --check src papers tests benchmarks examples fuzz conftest.py
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(BENCH_READY)  ## operation counts, and times beside Pinocchio, MuJoCo and CasADi: docs/benchmarks.md
	$(BIN)/python benchmarks/counts.py
	$(BIN)/python benchmarks/bench.py --json docs/benchmarks.json --plot docs/benchmarks.svg --markdown docs/benchmarks.md
	$(BIN)/python benchmarks/readme.py

docs: $(READY)  ## the site of tutorials and reference, from docs/ and docstrings: site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:  ## remove the environments and all caches
	rm -rf $(VENV) .venv-demo $(TORCH_VENV) $(LOWEST_VENV) .arm build dist demo site .pytest_cache .ruff_cache .import_linter_cache .hypothesis src/*.egg-info
	find src papers tests benchmarks fuzz -name __pycache__ -type d -exec rm -rf {} +

define NEW_ENOUGH
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "armdyn needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
endef

$(READY): pyproject.toml papers/pyproject.toml constraints.txt
	$(NEW_ENOUGH)
	@echo "Setting up $(VENV): a minute or two, this once."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lint,docs]' -e ./papers
	@touch $@

.venv-demo/.ready: pyproject.toml constraints.txt
	$(NEW_ENOUGH)
	@echo "Setting up .venv-demo: half a minute or so, this once."
	test -x .venv-demo/bin/python || $(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[identify,plot]'
	@touch $@

$(TORCH_READY): pyproject.toml papers/pyproject.toml constraints.txt
	@echo "Setting up $(TORCH_VENV): some minutes, this once."
	test -x $(TORCH_VENV)/bin/python || $(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,torch]' -e ./papers
	@touch $@

$(LOWEST_READY): pyproject.toml papers/pyproject.toml tests/support/lowest.py
	@echo "Setting up $(LOWEST_VENV): some minutes, this once."
	test -x $(LOWEST_VENV)/bin/python || $(PYTHON) -m venv $(LOWEST_VENV)
	$(LOWEST_VENV)/bin/python tests/support/lowest.py test > $(LOWEST_VENV)/lowest.txt
	$(LOWEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST_VENV)/lowest.txt -e '.[test]' -e ./papers
	@touch $@

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@
