# POSIX sh and make 3.81 are enough. PYTHON=python3.12 picks another Python.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
SERVE ?= 1

BIN := $(VENV)/bin
RUN := $(VENV)/.installed-run
TEST := $(VENV)/.installed-test
DEV := $(VENV)/.installed-dev

# Bytecode is written at install and at run: without it each process compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

# A .venv whose Python has gone (an upgrade) is made again from the start.
$(shell $(BIN)/python -c '' 2>/dev/null || rm -f $(RUN) $(TEST) $(DEV))

# Wheels only and each with its hash, so no compiler and no surprise; the locks are complete.
PIP = $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input --no-deps
INSTALL = $(PIP) --no-compile --require-hashes --only-binary :all:
# On all cores, which needs /dev/shm, or on one. LiteLLM's proxy is never imported here.
COMPILE = $(BIN)/python -m compileall -qq -x '/(litellm/proxy|pip|boto3|botocore)/'
COMPILE_ALL = $(COMPILE) -j 0 $(VENV)/lib 2>/dev/null || $(COMPILE) $(VENV)/lib || true

.PHONY: help demo test test-all pictures lint lock docs clean
help:
	@echo "make demo      read the example policies and serve them (SERVE=0: stop before serving)"
	@echo "make test      run the tests; make test-all adds the long ones"
	@echo "make pictures  take a picture of every page into var/pictures"
	@echo "make lint      what CI checks besides the tests"
	@echo "make lock      resolve requirements/*.txt anew;  make docs;  make clean"

demo: $(RUN)
	@exec env PORT='$(PORT)' SERVE='$(SERVE)' $(BIN)/python -m config.demo

# A file of tests stays in one process; each process has databases and brokers of its own.
# Files go out as collected: the slow ones have few tests, and by their number would come last.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test: $(TEST)
	@$(PYTEST) $(ARGS)

test-all: $(TEST)
	@$(PYTEST) -m 'not model' $(ARGS)

# Not a test: somebody looks at them.
pictures: $(TEST)
	@$(BIN)/python -m pytest -q tests/in_browser/pictures.py && echo "Look at var/pictures."

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files 'templates/*.html' | xargs $(BIN)/djade --target-version 5.2 --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: $(DEV)
	$(BIN)/sphinx-build --quiet --fail-on-warning docs var/docs

# Each lock is held to the pins of the one before, so the three never disagree.
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate pyproject.toml --extra server requirements/run.in
lock: $(DEV)
	$(LOCK) -o requirements/run.txt
	$(LOCK) requirements/test.in -c requirements/run.txt -o requirements/test.txt
	$(LOCK) requirements/test.in requirements/dev.in -c requirements/test.txt -o requirements/dev.txt

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "Left as it was: var/, which holds your database."

# .venv/bin/policywright and `import policywright` come from this checkout itself.
$(RUN): requirements/run.txt pyproject.toml
	@PYTHON='$(PYTHON)' VENV='$(VENV)' sh config/make_venv.sh
	@echo "Installing what the server needs into $(VENV) (a minute or two, about 700 MB) ..."
	@$(INSTALL) -r requirements/run.txt
	@$(PIP) --no-index --no-build-isolation --editable .
	@$(COMPILE_ALL)
	@touch $@

$(TEST): requirements/test.txt $(RUN)
	@echo "Installing what the tests need into $(VENV) ..."
	@$(INSTALL) -r requirements/test.txt
	@$(COMPILE_ALL)
	@touch $@

$(DEV): requirements/dev.txt $(TEST)
	@echo "Installing the development tools into $(VENV) ..."
	@$(INSTALL) -r requirements/dev.txt
	@$(COMPILE_ALL)
	@touch $@
