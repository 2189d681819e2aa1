#!/bin/bash
# SPDX-License-Identifier: MIT
# build_site.sh: makes build/site from docs/, README.md and the public headers. A link that leads
# nowhere, or a page that is in no shelf of packaging/site/mkdocs.yml, is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/create_venv.sh build/site-tools packaging/site/requirements.txt

# One at a time, as in build.sh, and aside: somebody may be reading the site that is there.
exec {turn}>build/site-tools/lock
flock "$turn"
made=build/site-made
rm -rf "$made"
mkdir "$made"
doxygen packaging/site/Doxyfile
if [[ -s $made/doxygen.log ]]; then
  cat "$made/doxygen.log" >&2
  exit 1
fi
rm -f "$made/doxygen.log"
NO_MKDOCS_2_WARNING=1 build/site-tools/bin/mkdocs build --quiet --dirty -f packaging/site/mkdocs.yml \
  --site-dir "$PWD/$made"
[[ ! -e build/site ]] || mv build/site "$made/old"
mv -T "$made" build/site
rm -rf build/site/old
echo "== build/site/index.html: $(find build/site -name '*.html' | wc -l) pages"
