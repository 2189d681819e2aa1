#!/bin/bash
# SPDX-License-Identifier: MIT
# build_elsewhere.sh: what tests run of other builds: the suite of real threads under ThreadSanitizer,
# the fuzz targets, and for AArch64 that suite, the checker, and the locks that are put into programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh thread-sanitizer real_threads_tests
scripts/build.sh fuzz fuzz
scripts/build.sh aarch64 real_threads_tests capi_test_c_static fencepost_check preload_conformance \
  fencepost_preload_mutex fencepost_preload_event_mutex-exchange-test_and_set
