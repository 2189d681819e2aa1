// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) around a std::latch, whose count
// stands before the program, and a colon:
//
//   1 2   count down by as much      0     by nothing       w     wait
//   t     try to wait
//
// With REAL the latch is the C++ library's, whatever the checker puts in its place: its way there
// leads through a folder that the checker has not.
#ifdef REAL
#include <ext/../latch>
#else
#include <latch>
#endif

#include <optional>

#include "spelled_programs.h"

namespace {
std::optional<std::latch> latch;
}

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case '0':
      case '1':
      case '2':
        latch->count_down(*at - '0');
        break;
      case 'w':
        latch->wait();
        break;
#ifdef TRIES
      case 't':
        found_out(&found, latch->try_wait() ? 1 : 0);
        break;
#endif
      default:
        access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '\0') return 1;
  latch.emplace(argv[1][0] - '0');
  run_all(argv[1] + 2);
  return 0;
}
