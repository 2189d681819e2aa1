// SPDX-License-Identifier: MIT
//
// To be compiled with FLAGS_NAME, an identifier, for each set of flags that the loops are for.
#include "operation_loops.hpp"

namespace {

using bench::loop_word;
using std::uint32_t;

/// What was read was wanted.
inline void look_at(uint32_t value) { asm volatile("" ::"r"(value)); }

template <std::memory_order Order>
void load(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) look_at(word.load(Order));
}

template <std::memory_order Order>
void store(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) {
    word.store(n + 1, Order);
    // A compiler may make one of several.
    asm volatile("" ::: "memory");
  }
}

template <std::memory_order Order>
void exchange(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) look_at(word.exchange(n + 1, Order));
}

template <std::memory_order Order>
void fetch_add(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) look_at(word.fetch_add(1, Order));
}

template <std::memory_order Order>
void fence(loop_word&, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) {
    std::atomic_thread_fence(Order);
    asm volatile("" ::: "memory");
  }
}

template <std::memory_order Order, std::memory_order Failure>
void succeed(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) {
    uint32_t expected = n;
    look_at(word.compare_exchange_strong(expected, n + 1, Order, Failure));
  }
}

template <std::memory_order Order, std::memory_order Failure>
void fail(loop_word& word, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) {
    uint32_t expected = n + 1;
    look_at(word.compare_exchange_strong(expected, n, Order, Failure));
  }
}

/// What the loop itself takes.
void nothing(loop_word&, uint32_t count) {
  for (uint32_t n = 0; n != count; ++n) asm volatile("" ::: "memory");
}

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

constexpr bench::operation_loop all[] = {
    {"nothing", nothing, false},
    {"load_relaxed", load<relaxed>, false},
    {"load_acquire", load<acquire>, false},
    {"load_seq_cst", load<seq_cst>, false},
    {"store_relaxed", store<relaxed>, true},
    {"store_release", store<release>, true},
    {"store_seq_cst", store<seq_cst>, true},
    {"exchange_relaxed", exchange<relaxed>, true},
    {"exchange_acq_rel", exchange<acq_rel>, true},
    {"exchange_seq_cst", exchange<seq_cst>, true},
    {"fetch_add_relaxed", fetch_add<relaxed>, true},
    {"fetch_add_seq_cst", fetch_add<seq_cst>, true},
    {"fence_acquire", fence<acquire>, false},
    {"fence_release", fence<release>, false},
    {"fence_acq_rel", fence<acq_rel>, false},
    {"fence_seq_cst", fence<seq_cst>, false},
    {"compare_exchange_succeeding_acquire", succeed<acquire, relaxed>, true},
    {"compare_exchange_succeeding_seq_cst", succeed<seq_cst, seq_cst>, true},
    {"compare_exchange_failing_acquire", fail<acquire, relaxed>, false},
    {"compare_exchange_failing_seq_cst", fail<seq_cst, seq_cst>, false},
    {nullptr, nullptr, false},
};

}  // namespace

#define NAMED(name) operations_##name
#define OPERATIONS(name) NAMED(name)
#define QUOTED(name) #name
#define TEXT(name) QUOTED(name)

extern const bench::operation_loops OPERATIONS(FLAGS_NAME);
const bench::operation_loops OPERATIONS(FLAGS_NAME){TEXT(FLAGS_NAME), all};
