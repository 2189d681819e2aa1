// SPDX-License-Identifier: MIT
//
// runner PROGRAM [CONDITION]: performs a litmus test on real threads and real atomics. Compiled
// with -fsanitize=thread and linked to the checker it is how the checker explores litmus tests;
// this file is instrumented, the interpreter in litmus.cpp need not be. Aborts if the condition
// holds at the end.
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "fencepost/instrumentation.hpp"
#include "litmus.hpp"

// By its name the comparison finds the locations in the checker's output.
std::atomic<std::uint32_t> litmus_locations[litmus::max_locations];

namespace {

litmus::program program;
litmus::condition forbidden;
litmus::thread_state states[litmus::max_threads];

constexpr auto rlx = std::memory_order_relaxed;
constexpr auto acq = std::memory_order_acquire;
constexpr auto rel = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto sc = std::memory_order_seq_cst;

using location = std::atomic<std::uint32_t>;

// Calls `operation` with the order as a constant where it is inlined.
template <typename Operation>
int at(litmus::order order, Operation operation) {
  switch (order) {
    case litmus::order::relaxed:
      return operation(rlx);
    case litmus::order::acquire:
      return operation(acq);
    case litmus::order::release:
      return operation(rel);
    case litmus::order::acq_rel:
      return operation(acq_rel);
    case litmus::order::seq_cst:
      break;
  }
  return operation(sc);
}

int load(location& x, litmus::order order) {
  if (order == litmus::order::relaxed) return x.load(rlx);
  if (order == litmus::order::acquire) return x.load(acq);
  return x.load(sc);
}

void store(location& x, int value, litmus::order order) {
  if (order == litmus::order::relaxed) return x.store(value, rlx);
  if (order == litmus::order::release) return x.store(value, rel);
  return x.store(value, sc);
}

int compare_exchange(location& x, const litmus::request& what) {
  auto expected = static_cast<std::uint32_t>(what.expected);
  const auto desired = static_cast<std::uint32_t>(what.operand);
  return at(what.success, [&](std::memory_order success) {
    if (what.failure == litmus::order::relaxed) {
      x.compare_exchange_strong(expected, desired, success, rlx);
    } else if (what.failure == litmus::order::acquire) {
      x.compare_exchange_strong(expected, desired, success, acq);
    } else {
      x.compare_exchange_strong(expected, desired, success, sc);
    }
    return static_cast<int>(expected);
  });
}

int perform(const litmus::request& what) {
  if (what.what == litmus::kind::fence) {
    return at(what.success, [](std::memory_order order) {
      std::atomic_thread_fence(order);
      return 0;
    });
  }
  if (what.what == litmus::kind::light_fence) {
    std::atomic_signal_fence(sc);
    return 0;
  }
  if (what.what == litmus::kind::heavy_fence) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0);
    return 0;
  }
  location& x = litmus_locations[what.location];
  const auto n = static_cast<std::uint32_t>(what.operand);
  switch (what.what) {
    case litmus::kind::load:
      return load(x, what.success);
    case litmus::kind::store:
      store(x, n, what.success);
      return 0;
    case litmus::kind::exchange:
      return at(what.success, [&](std::memory_order order) { return x.exchange(n, order); });
    case litmus::kind::fetch_add:
      return at(what.success, [&](std::memory_order order) { return x.fetch_add(n, order); });
    case litmus::kind::fetch_sub:
      return at(what.success, [&](std::memory_order order) { return x.fetch_sub(n, order); });
    case litmus::kind::fetch_and:
      return at(what.success, [&](std::memory_order order) { return x.fetch_and(n, order); });
    case litmus::kind::fetch_or:
      return at(what.success, [&](std::memory_order order) { return x.fetch_or(n, order); });
    case litmus::kind::fetch_xor:
      return at(what.success, [&](std::memory_order order) { return x.fetch_xor(n, order); });
    case litmus::kind::nonatomic_add:
      return static_cast<int>(fencepost::instrumentation::nonatomic_fetch_add(x, n));
    case litmus::kind::compare_exchange:
      return compare_exchange(x, what);
    default:
      return 0;
  }
}

void* run(void* argument) {
  const auto t = reinterpret_cast<std::intptr_t>(argument);
  litmus::thread_state state;
  for (;;) {
    const litmus::request what = litmus::next_request(program.threads[t], state);
    if (!what.any) break;
    litmus::complete(program.threads[t], state, perform(what));
  }
  states[t] = state;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || litmus::parse(argv[1], program) != nullptr) return 3;
  if (argc > 2 && litmus::parse_condition(argv[2], program, forbidden) != nullptr) return 3;
  for (int l = 0; l < program.location_count; ++l) {
    // A write of main's, before any thread starts, where static initialisation does not suffice.
    if (program.initial[l] != 0) litmus_locations[l].store(program.initial[l], rlx);
  }
  pthread_t threads[litmus::max_threads];
  for (std::intptr_t t = 0; t < program.thread_count; ++t) {
    pthread_create(&threads[t], nullptr, run, reinterpret_cast<void*>(t));
  }
  for (int t = 0; t < program.thread_count; ++t) pthread_join(threads[t], nullptr);
  if (argc > 2) {
    int memory[litmus::max_locations] = {};
    for (int l = 0; l < program.location_count; ++l) memory[l] = litmus_locations[l].load(rlx);
    if (litmus::satisfied(forbidden, states, memory)) abort();
  }
  return 0;
}
