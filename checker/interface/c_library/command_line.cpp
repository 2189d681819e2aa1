// SPDX-License-Identifier: MIT
// getopt and its kin, by which programs read what they are started with: the C library's own. What
// it prints nobody reads.
#include <getopt.h>

#include <cstddef>

#include "execution/execution.hpp"
#include "execution/threads/thread.hpp"
#include "interface/c_library/touched.hpp"

using fencepost::checker::execution;
using fencepost::checker::exploring;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::writes;

namespace {

// The program's, as it were: begun anew in each execution.
bool has_begun = false;

// What the library keeps from call to call, beside its variables, is not put back. So it is told to
// begin anew, which is right where the program begins at its first argument; and after the first
// thread, behind which executions go on from a copy, nothing is read any more.
void begin(std::uint64_t pc) {
  if (execution.threads[1].state != fencepost::checker::ThreadState::absent) {
    execution.unsupported(pc, "getopt after the first thread was made: what it keeps is not seen");
  }
  if (!has_begun && optind > 1) {
    execution.unsupported(pc, "getopt begins with argument %d, and not with the first", optind);
  }
  if (!has_begun) optind = 0;
  has_begun = true;
}

// By the library's function, to which `look` hands the arguments on.
template <typename Look>
int next_option(int count, char* const* arguments, const char* letters, std::uint64_t pc,
                const Look& look) {
  if (!exploring()) return look();
  begin(pc);
  reads_string(letters, pc);
  writes(const_cast<char**>(arguments), static_cast<std::size_t>(count) * sizeof *arguments, pc);
  for (int i = 0; i < count; ++i) reads_string(arguments[i], pc);
  const int prints = opterr;
  opterr = 0;
  const int found = look();
  opterr = prints;
  return found;
}

using Library = decltype(getopt_long);

int next_long_option(Library library, int count, char* const* arguments, const char* letters,
                     const option* words, int* which, std::uint64_t pc) {
  int found_word = -1;
  const int found = next_option(count, arguments, letters, pc, [&] {
    return library(count, arguments, letters, words, &found_word);
  });
  if (found_word < 0) return found;
  if (which != nullptr) {
    writes(which, sizeof *which, pc);
    *which = found_word;
  }
  const option& word = words[found_word];
  reads(&word, sizeof word, pc);
  if (found == 0 && word.flag != nullptr) writes(word.flag, sizeof *word.flag, pc);
  return found;
}

}  // namespace

extern "C" {

int fencepost_getopt(int count, char* const* arguments, const char* letters) {
  return next_option(count, arguments, letters, FENCEPOST_PC(),
                     [&] { return getopt(count, arguments, letters); });
}

int fencepost_getopt_long(int count, char* const* arguments, const char* letters,
                          const option* words, int* which) {
  return next_long_option(getopt_long, count, arguments, letters, words, which, FENCEPOST_PC());
}

int fencepost_getopt_long_only(int count, char* const* arguments, const char* letters,
                               const option* words, int* which) {
  return next_long_option(getopt_long_only, count, arguments, letters, words, which,
                          FENCEPOST_PC());
}

}  // extern "C"
