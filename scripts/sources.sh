# SPDX-License-Identifier: MIT
# Sourced by lint.sh and format.sh: list_sources prints the C and C++ files of the tree, each ended
# by a zero byte. Deliberately broken inputs of the tests are left as they are.
list_sources() {
  find . \( -path ./build -o -path ./.venv -o -path ./.git -o -name malformed \) -prune -o \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) -type f -print0
}
