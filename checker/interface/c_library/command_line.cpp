// SPDX-License-Identifier: MIT
// getopt and its kin, by which programs read what they are started with: the C library's own.
#include <getopt.h>

#include <cstddef>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace {

// The program's, as it were: begun anew in each execution.
bool has_begun = false;

// What the library keeps from call to call, beside its variables, is not put back: it is told to
// begin anew. That is right where the program begins at its first argument.
void looks_at(int count, char* const* arguments, const char* letters, std::uint64_t pc) {
  using namespace fencepost::checker;
  if (beside_others()) execution.unsupported(pc, "getopt while there are several threads");
  if (!exploring()) return;
  reads_string(letters, pc);
  writes(const_cast<char**>(arguments), static_cast<std::size_t>(count) * sizeof *arguments, pc);
  for (int i = 0; i < count; ++i) reads_string(arguments[i], pc);
  if (has_begun || optind == 0) {
    has_begun = true;
    return;
  }
  if (optind != 1) {
    execution.unsupported(pc, "getopt() begins with argument %d, and not with the first", optind);
  }
  has_begun = true;
  optind = 0;
}

}  // namespace

extern "C" {

int fencepost_getopt(int count, char* const* arguments, const char* letters) {
  looks_at(count, arguments, letters, FENCEPOST_PC());
  return getopt(count, arguments, letters);
}

#define FENCEPOST_LONG_OPTIONS(name)                                           \
  int fencepost_##name(int count, char* const* arguments, const char* letters, \
                       const option* words, int* which) {                      \
    looks_at(count, arguments, letters, FENCEPOST_PC());                       \
    const int found = name(count, arguments, letters, words, which);           \
    if (which != nullptr && found != -1)                                       \
      fencepost::checker::writes(which, sizeof *which, FENCEPOST_PC());        \
    return found;                                                              \
  }
FENCEPOST_LONG_OPTIONS(getopt_long)
FENCEPOST_LONG_OPTIONS(getopt_long_only)

}  // extern "C"
