// SPDX-License-Identifier: MIT
// The first code of the checker in an executable: the linker keeps the order of files, and the
// program's come before. What moves functions elsewhere is off for all of it (CMakeLists.txt).
#include "machine/program_code.hpp"

extern "C" void fencepost_first_code() {}
