#!/bin/bash
# SPDX-License-Identifier: MIT
# build_site.sh: makes build/site from docs/, README.md and the public headers. A link that leads
# nowhere, or a page that is in no shelf of packaging/site/mkdocs.yml, is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/create_venv.sh build/site-tools packaging/site/requirements.txt
rm -rf build/site
mkdir -p build/site
doxygen packaging/site/Doxyfile
if [[ -s build/site/doxygen.log ]]; then
  cat build/site/doxygen.log >&2
  exit 1
fi
rm -f build/site/doxygen.log
NO_MKDOCS_2_WARNING=1 build/site-tools/bin/mkdocs build --quiet --dirty -f packaging/site/mkdocs.yml
echo "== build/site/index.html: $(find build/site -name '*.html' | wc -l) pages"
