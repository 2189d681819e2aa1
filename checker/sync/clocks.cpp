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
#include "sync/clocks.hpp"

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "sync/queues.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint64_t kMillisecond = 1000000;
// Some hundred days. Sixty-four threads that jump ten times each stay within 63 bits.
constexpr std::uint64_t kJump = 10000000000ULL * kMillisecond;
constexpr unsigned kIdleReads = 64;
constexpr unsigned kMostDoublings = 30;

}  // namespace

FENCEPOST_CHECKER_STATE constinit Clocks clocks;

std::uint64_t Clocks::now() {
  std::uint64_t latest = execution.current->clock_ns;
  for (unsigned id = 0; id < execution.thread_count; ++id) {
    if (id == execution.current->id) continue;
    const std::uint32_t known = execution.clock()[id];
    const Array<TimePassed>& there = passed[id];
    for (std::uint32_t i = there.size(); i-- > 0;) {
      if (there[i].index >= known) continue;
      if (there[i].clock_ns > latest) latest = there[i].clock_ns;
      break;
    }
  }
  return latest;
}

void Clocks::advance(std::uint64_t nanoseconds) {
  Thread& t = *execution.current;
  t.clock_ns = now() + nanoseconds;
  Array<TimePassed>& there = passed[t.id];
  if (!there.empty() && there.back().index == t.cursor) {
    there.back().clock_ns = t.clock_ns;
  } else {
    there.push_back({t.cursor, t.clock_ns});
  }
}

std::uint64_t Clocks::read(std::uint64_t pc) {
  Thread& t = *execution.current;
  execution.counters.clocks_read = 1;
  if (t.clock_read && chooses_timeout(pc, Operation::deadline_passes)) advance(kJump);
  t.clock_read = true;
  if (t.clock_read_at != t.cursor) {
    t.clock_read_at = t.cursor;
    t.idle_clock_reads = 0;
  } else if (++t.idle_clock_reads > kIdleReads) {
    const unsigned doublings = t.idle_clock_reads - kIdleReads;
    advance(kMillisecond << (doublings < kMostDoublings ? doublings : kMostDoublings));
  }
  return now();
}

}  // namespace fencepost::checker
