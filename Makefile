# Every target makes what it needs; `make help` explains them.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
# A file's tests share what is dear to make, so a file goes to one process whole.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile
DEMO := .demo

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-all lint format docs cookbook bench bench-pii samples train train-cross-encoder clean

help: ## Explain every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' Makefile

setup: .venv/.ready ## Make the environment in .venv from requirements.lock (CPU only)

.venv/.ready: requirements.lock pyproject.toml .ci/setup
	@PYTHON=$(PYTHON) .ci/setup
	@touch $@

demo: setup ## Run the night on the sample logs and show what it found
	@TACIT_HOME=$(DEMO)/home $(BIN)/python samples/demo.py $(DEMO)/warehouse

test: setup ## Run the tests, without those marked slow
	@$(PYTEST) -m "not slow"

test-slow: setup ## Run the tests marked slow: kills, whole nights, audits
	@$(PYTEST) -m slow

test-all: setup ## Run all tests, the slow ones too
	@$(PYTEST)

lint: setup ## Check style, types and the import contract
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m schemas.versions --check

format: setup ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: setup ## Write the generated pages of docs/, and down the versions of the tables
	@$(BIN)/python -m pipelines.docs

cookbook: demo ## Draw the cookbook's pictures from the demo's tables
	@$(BIN)/python samples/cookbook.py $(DEMO)/warehouse

bench: setup ## Measure reading, and the views over ten million exchanges (some minutes)
	@PYTHONPATH=. $(BIN)/python benchmarks/reading.py
	@PYTHONPATH=. $(BIN)/python benchmarks/marts.py

samples: setup ## Build samples/landing from samples/conversations
	@$(BIN)/python samples/build.py

train: setup ## Fit the models from labelled sets: make train GOLD=FOLDER SETS="one other"
	@test -n "$(GOLD)" -a -n "$(SETS)" || { echo 'say GOLD=FOLDER SETS="one other"; docs/signals.md says what they hold'; exit 2; }
	@$(BIN)/python benchmarks/fit_signals.py $(GOLD) $(SETS) --write

train-cross-encoder: setup ## Tune the optional cross-encoder from labelled sets (20 minutes to hours), into TACIT_HOME
	@test -n "$(GOLD)" -a -n "$(SETS)" || { echo 'say GOLD=FOLDER SETS="one other"; docs/signals.md says what they hold'; exit 2; }
	@PYTHONPATH=. $(BIN)/python benchmarks/fit_cross_encoder.py $(GOLD) $(SETS)

bench-pii: setup ## Measure de-identification beside Presidio as it comes
	@PYTHONPATH=. $(BIN)/python benchmarks/pii.py $(if $(wildcard ../shared/pii),--shared ../shared/pii) \
		--talk $(wildcard ../shared/gold/real_dev.jsonl ../shared/gold/zh_dev.jsonl)

clean: ## Remove the environment and the demo's output
	rm -rf .venv $(DEMO)
