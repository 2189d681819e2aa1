// SPDX-License-Identifier: MIT
// Time, of which there is one for all clocks. It stands still but for what threads sleep, and:
//
// - what a thread has slept a thread that knows of it by happens-before finds in its clocks, so
// that
//   no clock goes back;
// - with --timeouts a thread that reads a clock again may find that any deadline has passed, as
//   often as it may time out;
// - a thread that only reads a clock, again and again, waits for it: time passes for it, faster and
//   faster.
#include "execution/runtime.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint64_t kMillisecond = 1000000;
// Some hundred days. Sixty-four threads that jump ten times each stay within 63 bits.
constexpr std::uint64_t kJump = 10000000000ULL * kMillisecond;
constexpr unsigned kIdleReads = 64;
constexpr unsigned kMostDoublings = 30;

}  // namespace

std::uint64_t Runtime::time() {
  std::uint64_t latest = current->clock_ns;
  for (unsigned id = 0; id < thread_count_; ++id) {
    if (id == current->id) continue;
    const std::uint32_t known = clock()[id];
    const Array<TimePassed>& passed = time_passed_[id];
    for (std::uint32_t i = passed.size(); i-- > 0;) {
      if (passed[i].index >= known) continue;
      if (passed[i].clock_ns > latest) latest = passed[i].clock_ns;
      break;
    }
  }
  return latest;
}

void Runtime::let_time_pass(std::uint64_t nanoseconds) {
  Thread& t = *current;
  t.clock_ns = time() + nanoseconds;
  Array<TimePassed>& passed = time_passed_[t.id];
  if (!passed.empty() && passed.back().index == t.cursor) {
    passed.back().clock_ns = t.clock_ns;
  } else {
    passed.push_back({t.cursor, t.clock_ns});
  }
}

std::uint64_t Runtime::read_clock(std::uint64_t pc) {
  Thread& t = *current;
  counters.clocks_read = 1;
  if (t.clock_read && chooses_timeout(pc, Operation::deadline_passes)) let_time_pass(kJump);
  t.clock_read = true;
  if (t.clock_read_at != t.cursor) {
    t.clock_read_at = t.cursor;
    t.idle_clock_reads = 0;
  } else if (++t.idle_clock_reads > kIdleReads) {
    const unsigned doublings = t.idle_clock_reads - kIdleReads;
    let_time_pass(kMillisecond << (doublings < kMostDoublings ? doublings : kMostDoublings));
  }
  return time();
}

}  // namespace fencepost::checker
