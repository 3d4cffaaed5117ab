# `make run` and `make test` are all that a new machine needs; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8000
SITE_URL ?= http://127.0.0.1:$(PORT)
# pip's own progress is kept, its chatter is not.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
CORES := $(shell nproc 2>/dev/null || echo 2)
# What SQL, locks and messages decide is tried on PostgreSQL and Redis, all else on SQLite and the
# file-system broker, which is faster; what each database has in its own words, on both.
ON_BOTH := tests/leaderboard/organising/test_append_only.py
ON_POSTGRES := tests/test_stored_schemas.py $(addprefix tests/leaderboard/,backups submissions ranking board web/test_restart.py \
	web/test_visitors_cache.py organising/test_organising_races.py organising/test_rescoring_races.py \
	people/test_notices_races.py people/test_team_members.py \
	operations/test_site_problems.py labellers/test_labellers_scoring.py) \
	$(addprefix tests/annotation/,labelling captions stages/test_hands.py \
	projects/test_manager_races.py data_sets/test_finding_races.py data_sets/test_split_worker.py \
	training/test_training_races.py) \
	tests/leaderboard/evaluations
# What breaks first and shows it fast.
CORNERSTONES := tests/earmark/captions tests/earmark/statistics tests/leaderboard/ranking tests/earmark/packages \
	tests/leaderboard/board tests/annotation/labelling
# Where nothing compiled is kept, as in many images, each of the hundreds of processes that the
# tests start compiles all of the code again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-quick test-long test-site test-postgres test-browser chaos chaos-short load check format bench bench-all bench-peers bench-versions fuzz audit lock install install-dev services clean

help: ## List the commands.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/' | expand -t 20

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@echo "Installing what Earmark needs into $(VENV) (once, a few minutes) ..."
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@echo "Installing what the tests need into $(VENV) (once) ..."
	$(PIP) -r requirements-dev.txt
	@touch $@

install: $(VENV)/.installed ## Install what Earmark needs.

install-dev: $(VENV)/.installed-dev ## Install what tests and checks need, too.

run: $(VENV)/.installed ## Start Earmark with the demo challenge on this machine.
	@SITE_URL=$(SITE_URL) $(BIN)/python manage.py prepare --demo
	@SITE_URL=$(SITE_URL) EARMARK_DEMO=1 EARMARK_PARENTS=$$PPID PORT=$(PORT) $(BIN)/python manage.py run

test: install-dev services ## Check the code and run every test.
	@# Two at a time, since tests wait as long as they compute: for workers, leases and browsers.
	@# What waits most begins, beside the checks; what takes longest comes next.
	@# Every part is run, whatever another part finds.
	@$(MAKE) --no-print-directory --keep-going -j2 --output-sync=target check chaos-short test-site test-browser test-postgres

test-quick: $(VENV)/.installed-dev ## Style, and the tests of what everything rests on (a minute and a half).
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/pytest $(CORNERSTONES) -q -n $(CORES) --dist worksteal

test-long: ## What a release needs: ten times the examples, every fault twice, all of fuzz, the benchmarks (hours).
	@PYTEST_ADDOPTS=--hypothesis-profile=long $(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory --keep-going chaos chaos fuzz bench-all

check: $(VENV)/.installed-dev ## Lint, type, import contracts, migrations, deployment settings.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	SITE_URL=https://earmark.example.org EMAIL_URL=smtp://mail.example.org SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/.installed-dev ## Format the code.
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

services: ## Install PostgreSQL, Redis and Chromium where they are missing (root and apt).
	@tests/services.sh install

test-site: $(VENV)/.installed-dev services ## Tests on SQLite: all but the browser's and, where PostgreSQL is installed, its own.
	$(BIN)/pytest tests --ignore tests/e2e $$(tests/services.sh where echo $(addprefix --ignore=,$(ON_POSTGRES))) -n $(CORES) --dist worksteal

test-postgres: $(VENV)/.installed-dev services ## Tests of what SQL, locks and messages decide, on PostgreSQL and Redis.
	@tests/services.sh with $(BIN)/pytest $(ON_POSTGRES) $(ON_BOTH) -n $(CORES) --dist worksteal

test-browser: $(VENV)/.installed-dev services ## Tests in a real browser.
	$(BIN)/pytest tests/e2e -n $(CORES) --dist loadfile --no-loadscope-reorder

chaos: $(VENV)/.installed-dev services ## Try every fault on a whole site of real processes.
	$(BIN)/python -m tests.chaos

chaos-short: $(VENV)/.installed-dev services ## Some of the faults.
	@tests/services.sh where $(BIN)/python -m tests.chaos --short

load: $(VENV)/.installed-dev services ## A burst of systems, visitors and annotators at once, by number of workers.
	$(BIN)/python -m tests.bench.load

bench: $(VENV)/.installed-dev ## Print what scoring costs, beside other packages (half an hour).
	$(BIN)/python -m tests.bench.bench_performance

bench-peers: $(VENV)/.installed-dev ## Install the packages that bench compares with, apart from all else.
	$(BIN)/python -m venv var/bench-peers
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$(var/bench-peers/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/earmark.pth"
	@# Without what they depend on, which is another torch: what is missing of it stands here.
	var/bench-peers/bin/python -m pip install --disable-pip-version-check --quiet --no-deps \
		aac-metrics==0.6.0 pythonwrench==0.3.0 torchmetrics==1.9.0 lightning-utilities==0.15.3 \
		bert-score==0.3.13 pandas==3.1.1 matplotlib==3.11.2 contourpy==1.3.3 cycler==0.12.1 \
		fonttools==4.68.0 kiwisolver==1.5.1 pyparsing==3.3.3 sacrebleu==2.5.1 portalocker==4.4.2 \
		tabulate==0.10.0 colorama==0.4.6 lxml==6.1.3

bench-versions: $(VENV)/.installed-dev ## Score with the lowest and the newest versions that are allowed.
	$(PIP) uv
	for kind in lowest-direct highest; do $(BIN)/uv venv --clear --quiet --python $(BIN)/python var/$$kind && \
		$(BIN)/uv pip install --quiet --python var/$$kind --resolution $$kind -r pyproject.toml; done
	$(BIN)/python -m tests.bench.bench_versions var/lowest-direct var/highest

bench-all: $(VENV)/.installed-dev ## Print the measured claims of docs/ (hours).
	@for bench in tests/bench/bench_*.py; do echo "== $$bench"; $(BIN)/python -m tests.bench.$$(basename $$bench .py); done

fuzz: $(VENV)/.installed-dev ## Try 100,000 bad inputs on every parser, and many on the API (hours).
	$(BIN)/python -m tests.fuzz
	EARMARK_SCHEMA_EXAMPLES=100 $(BIN)/pytest tests/leaderboard/api/test_schema.py -q -n $(CORES)

audit: $(BIN)/python ## Ask whether the exact versions in use have known vulnerabilities; needs the network.
	$(PIP) pip-audit==2.10.1
	$(BIN)/pip-audit --strict --no-deps --disable-pip --progress-spinner off -r requirements.txt -r requirements-dev.txt

lock: $(BIN)/python ## Write the exact versions of pyproject.toml and requirements-dev.in to requirements*.txt.
	$(PIP) pip-tools
	$(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-find-links --no-header --all-extras -o requirements.txt pyproject.toml
	sed -i 's/+cpu$$//' requirements.txt  # the CPU build is a matter of where torch comes from
	$(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-find-links --no-header requirements-dev.in
	sed -i 's/+cpu$$//' requirements-dev.txt

clean: ## Remove everything that was installed, built or stored.
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .hypothesis
