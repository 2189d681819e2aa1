#!/bin/bash
# SPDX-License-Identifier: MIT
# create_venv.sh [FOLDER FILE]: creates .venv with the pinned Python packages of requirements.txt, or
# FOLDER with those of FILE, and refuses a package with another hash than there. A stamp holds the
# checksum of what was installed, so the second call does nothing but compile, for .venv, what has
# changed of our own Python: a command starts in half the time, also where PYTHONDONTWRITEBYTECODE is
# set, with which Python compiles all it reads each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place=${1:-.venv} file=${2:-requirements.txt}
wanted=$(sha256sum "$file" | cut -d' ' -f1)
stamp=$place/installed
compile() {
  [[ $place != .venv ]] || .venv/bin/python -m compileall -qq lab bench || true  # it is not needed
}
if [[ -x $place/bin/python && -f $stamp && $(<"$stamp") == "$wanted $PWD" ]]; then
  compile
  exit 0
fi

python=""
for candidate in /usr/bin/python3 python3; do
  if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
  then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "fencepost: needs Python 3.11 or newer with its venv module (Debian: python3-venv)." >&2
  exit 1
fi

echo "== Creating $place with the Python packages of $file"
rm -rf "$place"
"$python" -m venv "$place"
if ! "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    --require-hashes -r "$file" </dev/null; then
  echo "fencepost: pip could not install the packages of $file, and says why above." >&2
  echo "fencepost: where it is the network (PyPI must be reachable), run make again." >&2
  echo "fencepost: where a hash differs, the package is not the one that was reviewed: do not use it." >&2
  exit 1
fi
if [[ $place == .venv ]]; then
  # Its Python finds our own packages, too, so that no program has to say where they are.
  packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$PWD/lab" "$PWD/bench/"{atomics,barriers,checker,findings} >"$packages/fencepost.pth"
fi
echo "$wanted $PWD" >"$stamp"
compile
