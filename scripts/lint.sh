#!/bin/bash
# SPDX-License-Identifier: MIT
# Formatting of C and C++; formatting, lint, types and layers of Python. Changes nothing; fails on a finding.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/sources.sh

echo "== Lint"
failed=0
list_sources | xargs -0 -r clang-format-14 --dry-run --Werror || failed=1
.venv/bin/python -m ruff check --quiet --output-format concise . || failed=1
.venv/bin/python -m ruff format --quiet --check . || failed=1
! git grep -nE '# fmt: (off|skip)' -- '*.py' || failed=1 # the formatter is not overruled
.venv/bin/python -m mypy --no-error-summary || failed=1
layers=$(PYTHONPATH=lab .venv/bin/lint-imports --no-logo --no-cache) || { echo "$layers"; failed=1; }
if ((failed)); then
  echo "   findings above; 'make format' mends what is a matter of form" >&2
  exit 1
fi
echo "   formatting, ruff, mypy and the layers of the lab: clean"
