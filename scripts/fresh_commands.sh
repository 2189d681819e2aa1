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
  for set in build install test long bench; do
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
# The steps of the workflow in docs/in_your_project.md, in a project of somebody else's.
mkdir -p /root/project/checks
cp examples/checker/latch.cpp /root/project/checks/
git clone --quiet . /root/project/fencepost
.venv/bin/python - >/root/project/workflow.sh <<'PYTHON'
import re, yaml
page = open("docs/in_your_project.md").read()
workflow = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
for job in workflow["jobs"].values():
    print("\n".join(step["run"] for step in job["steps"] if "run" in step))
PYTHON
cd /root/project
run bash -euxo pipefail workflow.sh
cd /root/fencepost
run scripts/install_bench_packages.sh
run make bench BENCH_FLAGS=--list
