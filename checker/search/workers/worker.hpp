// SPDX-License-Identifier: MIT
// A process that explores a part of the search for another one, which shares it out:
// worker_pool.hpp.
//
// It is a fork of that one and explores part after part; or it runs on another computer, for a
// while (Options::part_seconds) and one part only, and nobody speaks to it meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "graph/bytes.hpp"

namespace fencepost::checker {

enum class Request : std::uint32_t {
  none,
  share,  // say what you have counted, give away the older half of what is left, keep the other
  stop,   // say what you have counted and what is left, and do no more
};

// Memory that a worker shares with the process that it works for, so that a request costs nothing
// until there is one.
struct alignas(64) Slot {
  std::atomic<Request> request;
  // Counted since the worker last said so, for those who watch.
  std::atomic<std::uint64_t> executions;
  std::atomic<std::uint64_t> blocked;
  std::atomic<std::uint64_t> probes;
  std::atomic<double> probed_executions;
};

// How many executions all workers of this computer may still see together.
using Allowance = std::atomic<std::int64_t>;

namespace worker {

// Explores what comes over the socket until there is nobody at the other end; stops as if it were
// requested when the allowance is used up, if there is one.
[[noreturn]] void work(int socket, Slot* slot, Allowance* allowance, unsigned number);
// The one part that comes over the socket, in a process that is no fork.
[[noreturn]] void work_elsewhere(int socket);
// A line for whoever reads the results.
void output(const Bytes& line);
// It found a violation, or there can be no verdict for this reason: the exploration is over.
[[noreturn]] void leave(const char* reason, std::uint64_t pc);

}  // namespace worker
}  // namespace fencepost::checker
