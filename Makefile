# Two commands do everything: `make demo` and `make test`. The first run of each installs what it needs into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow test-exhaustive lint docs clean

demo: .venv/.installed
	$(BIN)/medveil demo --out medveil-demo

test: .venv/.installed-test
	$(BIN)/python -m pytest -n 2 -m "not slow and not exhaustive"

test-slow: .venv/.installed-test
	$(BIN)/python -m pytest -n 2 -m slow

test-exhaustive: .venv/.installed-test
	$(BIN)/python -m pytest -n 2 -m exhaustive

lint: .venv/.installed-lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.installed-docs
	$(BIN)/sphinx-build -W -b html docs docs/_build/html

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/.installed-%: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$*]"
	@touch $@

clean:
	rm -rf .venv medveil-demo docs/_build build
