// SPDX-License-Identifier: MIT
// What calls of functions without a model are sent to (lab/fencepost/binary/refused_calls.py): who
// comes here ends the search without a verdict.
#include "execution/execution.hpp"
#include "interface/entry.hpp"

extern "C" [[noreturn]] void fencepost_refused_call(const char* what);

void fencepost_refused_call(const char* what) {
  fencepost::checker::execution.unsupported(FENCEPOST_PC(), "%s", what);
}
