// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) around a std::latch, whose count
// stands before the program, and a colon:
//
//   1 2   count down by as much      0     by nothing       w     wait
//   t     try to wait
//
// With COUNTED the latch is an atomic counter that is waited for in a loop, which orders no more
// than the standard says of a latch. (The C++ library's own orders all who wait.)
#include <atomic>
#include <latch>
#include <optional>

#include "spelled_programs.h"

namespace {

#ifdef COUNTED
class latch_used {
 public:
  explicit latch_used(int count) : count_(count) {}
  void count_down(int by) { count_.fetch_sub(by, std::memory_order_release); }
  bool try_wait() const { return count_.load(std::memory_order_acquire) == 0; }
  void wait() const {
    while (!try_wait()) {
    }
  }

 private:
  std::atomic<int> count_;
};
#else
using latch_used = std::latch;
#endif

std::optional<latch_used> latch;

}  // namespace

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
