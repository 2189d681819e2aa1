// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) with three mutexes:
//
//   1 2 3   lock the first and the second together, the second and the first, all
//   l m     lock the first, the second      t   try to lock the first
//   u       unlock all that the thread holds
//
// What would be locked twice is left out, and so is, after an attempt that failed, all up to 'u'.
#include <mutex>

#include "spelled_programs.h"

namespace {
std::mutex mutexes[3];
}

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  unsigned held = 0;
  const auto takes = [&](unsigned which) {
    if ((held & which) != 0) return false;
    held |= which;
    return true;
  };
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case '1':
        if (held == 0 && takes(3)) std::lock(mutexes[0], mutexes[1]);
        break;
      case '2':
        if (held == 0 && takes(3)) std::lock(mutexes[1], mutexes[0]);
        break;
      case '3':
        if (held == 0 && takes(7)) std::lock(mutexes[0], mutexes[2], mutexes[1]);
        break;
      case 'l':
        if (takes(1)) mutexes[0].lock();
        break;
      case 'm':
        if (takes(2)) mutexes[1].lock();
        break;
#ifdef TRIES
      case 't':
        if (!takes(1)) break;
        if (mutexes[0].try_lock()) {
          found_out(&found, 1);
          break;
        }
        found_out(&found, 0);
        held &= ~1U;
        while (!is_end(at[1]) && *at != 'u') ++at;
        [[fallthrough]];
#endif
      case 'u':
        for (unsigned i = 0; i < 3; ++i) {
          if ((held >> i & 1) != 0) mutexes[i].unlock();
        }
        held = 0;
        break;
      default:
        access_memory(t, *at, &found);
    }
  }
  for (unsigned i = 0; i < 3; ++i) {
    if ((held >> i & 1) != 0) mutexes[i].unlock();
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  run_all(argv[1]);
  return 0;
}
