#!/bin/bash
# SPDX-License-Identifier: MIT
# Formats every C, C++ and Python file of the tree in place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/sources.sh

list_sources | xargs -0 -r clang-format-14 -i
.venv/bin/python -m ruff check --quiet --fix .
.venv/bin/python -m ruff format --quiet .
