#!/bin/bash
# SPDX-License-Identifier: MIT
# Formatting of C and C++, formatting, lint and types of Python. Changes nothing; fails on a finding.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/sources.sh

echo "== Lint"
failed=0
list_sources | xargs -0 -r clang-format-14 --dry-run --Werror || failed=1
.venv/bin/python -m ruff check --quiet --output-format concise . || failed=1
.venv/bin/python -m ruff format --quiet --check . || failed=1
.venv/bin/python -m mypy --no-error-summary || failed=1
if ((failed)); then
  echo "   findings above; 'make format' mends what is a matter of form" >&2
  exit 1
fi
echo "   formatting, ruff and mypy: clean"
