#!/bin/bash
# SPDX-License-Identifier: MIT
# Formatting of C and C++, formatting, lint and types of Python. Changes nothing; fails on a finding.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/sources.sh

echo "== Lint"
list_sources | xargs -0 -r clang-format-14 --dry-run --Werror
.venv/bin/python -m ruff check --quiet .
.venv/bin/python -m ruff format --quiet --check .
.venv/bin/python -m mypy --no-error-summary
echo "   formatting, ruff and mypy: clean"
