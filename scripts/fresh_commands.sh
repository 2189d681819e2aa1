#!/bin/bash
# SPDX-License-Identifier: MIT
# fresh_commands.sh whole|light: run by fresh.sh in the root of a bare Debian, beside the clone.
set -euo pipefail
cd /root/fencepost
form=$1

run() {
  local start=$SECONDS
  printf '\n== $ %s\n' "$*"
  "$@" </dev/null
  printf '== %s: %d:%02d\n' "$*" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
}

if [[ $form == light ]]; then
  # From which set each command would install what.
  for set in build install docs test long bench; do
    printf '== %s: %s\n' "$set" "$(scripts/install_packages.sh --list "$set" | tr '\n' ' ')"
  done
  run make build
  run make quick
  exit
fi

# The two commands, as the README has them; and again, which must be quick.
run make demo
run make demo
run make test
run make test
# Every other documented command that installs something.
run make install PREFIX=/opt/fencepost
run /opt/fencepost/bin/fencepost check examples/checker/latch.cpp
run make package
run apt-get -q install -y --no-install-recommends ./build/package/packages/*.deb
run fencepost check examples/checker/latch.cpp
run make wheel
run make docs
# The steps of the workflow in docs/checker/in_your_project.md, in a project of somebody else's.
mkdir -p /root/project/checks
cp examples/checker/latch.cpp /root/project/checks/
.venv/bin/python tests/packaging/workflow.py >/root/project/workflow.sh
cd /root/project
run env RUNNER_TEMP=/root/runner GITHUB_PATH=/root/path bash -x workflow.sh
cd /root/fencepost
run scripts/install_bench_packages.sh
run make bench BENCH_FLAGS=--list
