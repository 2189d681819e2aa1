// SPDX-License-Identifier: MIT
// The functions that code compiled with -fsanitize=thread calls.
#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/fences.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/accesses/replay.hpp"
#include "execution/accesses/values.hpp"
#include "execution/call_sites.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/stack/scopes.hpp"
#include "execution/lifetimes/stack/stack_blocks.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/loops/retries.hpp"
#include "execution/loops/turns.hpp"
#include "execution/loops/unroll.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/entry.hpp"
#include "search/before_main.hpp"

namespace fencepost::checker {
namespace {

// The order that a call gets.
Order order_at(std::uint64_t pc, Operation what, unsigned size, Order asked,
               Order* failure = nullptr) {
  const Order order = call_sites.order(pc, what, size, asked, failure);
  if (!orders_nothing(pc)) return order;
  if (failure != nullptr) *failure = Order::relaxed;
  return Order::relaxed;
}

// gcc's flag for a __sync_* builtin: a full barrier before and after, which the C++ models do not
// say of a read-modify-write alone (compiler/sync_builtins.hpp).
constexpr int kFullBarrier = 1 << 15;

void full_barrier(int asked, Order wanted, std::uint64_t pc) {
  if ((asked & kFullBarrier) == 0 || wanted != Order::seq_cst) return;
  const SavedRegisters registers = fencepost_saved_registers;
  atomic_fence(Order::seq_cst, pc);
  fencepost_saved_registers = registers;
}

bool library_is_trusted() { return exploring() && !execution.options.model->as_compiled; }

static_assert(kPassingUses == 192);

// Before main there is one thread, and nothing is atomic that has to be.
template <typename T>
T load(const volatile T* p, int order, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (!exploring()) return *p;
  const Order wanted = order_at(pc, Operation::load, sizeof(T), order_of(order));
  if (call_sites.writing()) call_sites.loads_from(pc, address_of(p));
  return static_cast<T>(atomic_load(address_of(p), sizeof(T), wanted, pc, true));
}

template <typename T>
[[gnu::noinline]] void store(volatile T* p, T value, int order, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (!exploring()) {
    *p = value;
    return;
  }
  const Order wanted = order_at(pc, Operation::store, sizeof(T), order_of(order));
  atomic_store(address_of(p), sizeof(T), value, wanted, pc);
}

template <typename T>
T modify(Operation what, volatile T* p, T operand, int order, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (exploring()) {
    const Order wanted = order_at(pc, what, sizeof(T), order_of(order));
    full_barrier(order, wanted, pc);
    const Value old = atomic_modify(what, address_of(p), sizeof(T), operand, wanted, pc);
    full_barrier(order, wanted, pc);
    return static_cast<T>(old);
  }
  const T old = *p;
  *p = static_cast<T>(result_of(what, old, operand));
  return old;
}

template <typename T>
T nonatomic_fetch_add(T* p, T operand, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (!exploring()) return __atomic_fetch_add(p, operand, __ATOMIC_SEQ_CST);
  return static_cast<T>(fetch_add_nonatomic(address_of(p), sizeof(T), operand, pc));
}

// gcc leaves it to the function to read and write the value that is expected; clang announces both.
template <typename T>
[[gnu::always_inline]] inline void reads_expected(const T* expected, std::uintptr_t stack,
                                                  std::uint64_t pc) {
  if (!exploring()) return;
  check_stack(expected, stack, pc);
  if (plain_access(address_of(expected), sizeof(T), false, pc)) wipe_stack(kAccessUses);
}

template <typename T>
[[gnu::always_inline]] inline void writes_found(T* expected, T found, std::uint64_t pc) {
  if (plain_access(address_of(expected), sizeof(T), true, pc)) wipe_stack(kAccessUses);
  *expected = found;
}

template <typename T>
bool compare_exchange(volatile T* p, T* expected, T desired, int success, int failure, bool weak,
                      bool writes_expected, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (!exploring()) {
    const T old = *p;
    const bool equal = old == *expected;
    *p = equal ? desired : old;
    *expected = old;
    return equal;
  }
  Order otherwise = order_of(failure);
  const Order wanted =
      order_at(pc, Operation::compare_exchange, sizeof(T), order_of(success), &otherwise);
  T found = *expected;
  full_barrier(success, wanted, pc);
  const bool done = atomic_compare_exchange(address_of(p), sizeof(T), &found, desired, wanted,
                                            otherwise, weak, pc);
  full_barrier(success, wanted, pc);
  if (done) return true;
  if (writes_expected) {
    writes_found(expected, found, pc);
  } else {
    *expected = found;
  }
  return false;
}

[[gnu::noinline]] void fence(int order, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (exploring()) atomic_fence(order_at(pc, Operation::fence, 0, order_of(order)), pc);
}

[[gnu::noinline]] void enter_call(std::uint64_t pc) {
  if (!exploring()) return;
  const LeaveNoTrace clean;
  if (orders_nothing(pc)) ++execution.current->unordered_depth;
}

[[gnu::noinline]] void leave_call() {
  if (exploring() && execution.current->unordered_depth != 0) --execution.current->unordered_depth;
}

}  // namespace
}  // namespace fencepost::checker

using fencepost::checker::Operation;
namespace checker = fencepost::checker;

// An entry point: returns at once what the graph has, or goes on to look (tsan_entries.hpp).
#define FENCEPOST_MODIFY(bits, type, operation)                                            \
  type fencepost_saving_atomic##bits##_##operation(volatile type* p, type v, int order);   \
  type __tsan_atomic##bits##_##operation(volatile type* p, type v, int order) {            \
    type old;                                                                              \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                            \
    if (checker::replay_modify<Operation::operation>(p, v, order, FENCEPOST_PC(), &old)) { \
      return checker::passed(old);                                                         \
    }                                                                                      \
    return fencepost_saving_atomic##bits##_##operation(p, v, order);                       \
  }                                                                                        \
  type fencepost_atomic##bits##_##operation(volatile type* p, type v, int order) {         \
    return checker::modify<type>(Operation::operation, p, v, order, FENCEPOST_PC());       \
  }

#define FENCEPOST_COMPARE_EXCHANGE(bits, type, strength, weak)                                    \
  int fencepost_saving_atomic##bits##_compare_exchange_##strength(volatile type* p, type* e,      \
                                                                  type v, int s, int f);          \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* p, type* e, type v, int s, \
                                                        int f) {                                  \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                                   \
    checker::reads_expected(e, FENCEPOST_STACK(), FENCEPOST_PC());                                \
    type found;                                                                                   \
    const checker::Attempt attempt =                                                              \
        checker::replay_compare_exchange(p, *e, v, s, f, weak, FENCEPOST_PC(), &found);           \
    if (attempt == checker::Attempt::succeeded) return checker::passed(1);                        \
    if (attempt == checker::Attempt::failed) {                                                    \
      checker::writes_found(e, found, FENCEPOST_PC());                                            \
      return checker::passed(0);                                                                  \
    }                                                                                             \
    return fencepost_saving_atomic##bits##_compare_exchange_##strength(p, e, v, s, f);            \
  }                                                                                               \
  int fencepost_atomic##bits##_compare_exchange_##strength(volatile type* p, type* e, type v,     \
                                                           int s, int f) {                        \
    return checker::compare_exchange<type>(p, e, v, s, f, weak, true, FENCEPOST_PC());            \
  }

#define FENCEPOST_ATOMIC(bits, type)                                                          \
  type fencepost_saving_atomic##bits##_load(const volatile type* p, int order);               \
  type __tsan_atomic##bits##_load(const volatile type* p, int order) {                        \
    type value;                                                                               \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                               \
    if (checker::replay_load(p, order, FENCEPOST_PC(), &value)) {                             \
      return checker::passed(value);                                                          \
    }                                                                                         \
    return fencepost_saving_atomic##bits##_load(p, order);                                    \
  }                                                                                           \
  type fencepost_atomic##bits##_load(const volatile type* p, int order) {                     \
    return checker::load<type>(p, order, FENCEPOST_PC());                                     \
  }                                                                                           \
  void __tsan_atomic##bits##_store(volatile type* p, type v, int order) {                     \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                               \
    if (checker::replay_store(p, v, order, FENCEPOST_PC())) {                                 \
      checker::passed(0);                                                                     \
      return;                                                                                 \
    }                                                                                         \
    checker::store<type>(p, v, order, FENCEPOST_PC());                                        \
    checker::leave_no_result();                                                               \
  }                                                                                           \
  FENCEPOST_MODIFY(bits, type, exchange)                                                      \
  FENCEPOST_MODIFY(bits, type, fetch_add)                                                     \
  FENCEPOST_MODIFY(bits, type, fetch_sub)                                                     \
  FENCEPOST_MODIFY(bits, type, fetch_and)                                                     \
  FENCEPOST_MODIFY(bits, type, fetch_or)                                                      \
  FENCEPOST_MODIFY(bits, type, fetch_xor)                                                     \
  FENCEPOST_MODIFY(bits, type, fetch_nand)                                                    \
  FENCEPOST_COMPARE_EXCHANGE(bits, type, strong, false)                                       \
  FENCEPOST_COMPARE_EXCHANGE(bits, type, weak, true)                                          \
  type fencepost_saving_atomic##bits##_compare_exchange_val(volatile type* p, type e, type v, \
                                                            int s, int f);                    \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type e, type v, int s,    \
                                                  int f) {                                    \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                               \
    type found = e;                                                                           \
    if (checker::replay_compare_exchange(p, e, v, s, f, false, FENCEPOST_PC(), &found) !=     \
        checker::Attempt::unknown) {                                                          \
      return checker::passed(found);                                                          \
    }                                                                                         \
    return fencepost_saving_atomic##bits##_compare_exchange_val(p, e, v, s, f);               \
  }                                                                                           \
  type fencepost_atomic##bits##_compare_exchange_val(volatile type* p, type e, type v, int s, \
                                                     int f) {                                 \
    checker::compare_exchange<type>(p, &e, v, s, f, false, false, FENCEPOST_PC());            \
    return e;                                                                                 \
  }

// The C++ library counts the waiters of std::atomic::wait and looks at the count before it wakes.
// Calls from there are sent here, unless the library is to be judged as written: counted with a
// fence after, looked at with a fence before; not under a model that says what the compiled code
// does, for there are no such fences in it.
#define FENCEPOST_LIBRARY(bits, type)                                                      \
  type fencepost_fenced_load##bits(const volatile type* p, int order) {                    \
    const std::uint64_t pc = FENCEPOST_PC();                                               \
    const checker::SavedRegisters registers = checker::fencepost_saved_registers;          \
    if (checker::library_is_trusted()) {                                                   \
      checker::execution.counters.library_trusted = 1;                                     \
      checker::atomic_fence(checker::Order::seq_cst, pc);                                  \
    }                                                                                      \
    checker::fencepost_saved_registers = registers;                                        \
    return checker::load<type>(p, order, pc);                                              \
  }                                                                                        \
  type fencepost_fenced_fetch_add##bits(volatile type* p, type v, int order) {             \
    const std::uint64_t pc = FENCEPOST_PC();                                               \
    const type old = checker::modify<type>(Operation::fetch_add, p, v, order, pc);         \
    if (checker::library_is_trusted()) checker::atomic_fence(checker::Order::seq_cst, pc); \
    return old;                                                                            \
  }

// Defined by the link of a program that is not optimised. Functions that are not inlined have gaps
// in their frames, where loops.cpp would take for the program's what the checker leaves there.
extern "C" const char fencepost_unoptimised[] __attribute__((weak));
constexpr std::uint32_t kPlainUses = 192;

// What a plain access left on the stack.
[[gnu::always_inline]] static inline void leave_nothing(bool has_gone_deep) {
  if (has_gone_deep) {
    checker::wipe_stack(checker::kAccessUses);
  } else if (fencepost_unoptimised != nullptr) {
    checker::wipe_stack(kPlainUses);
  }
}

#define FENCEPOST_PLAIN(name, bytes, write)                                                     \
  void __tsan_##name(void* p) {                                                                 \
    if (!checker::exploring()) return;                                                          \
    checker::check_stack(p, FENCEPOST_STACK(), FENCEPOST_PC());                                 \
    leave_nothing(checker::plain_access(checker::address_of(p), bytes, write, FENCEPOST_PC())); \
    checker::leave_no_result();                                                                 \
  }

extern "C" {

FENCEPOST_ATOMIC(8, std::uint8_t)
FENCEPOST_ATOMIC(16, std::uint16_t)
FENCEPOST_ATOMIC(32, std::uint32_t)
FENCEPOST_ATOMIC(64, std::uint64_t)
FENCEPOST_ATOMIC(128, checker::Value)

FENCEPOST_LIBRARY(32, std::uint32_t)
FENCEPOST_LIBRARY(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
  if (checker::replay_fence(checker::order_of(order), FENCEPOST_PC())) {
    checker::passed(0);
    return;
  }
  checker::fence(order, FENCEPOST_PC());
  checker::leave_no_result();
}
// It keeps the compiler from reordering, which is all that a light fence does.
void __tsan_atomic_signal_fence(int order) {
  const checker::LeaveNoTrace clean;
  if (!checker::exploring() || checker::order_of(order) != checker::Order::seq_cst) return;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Order wanted =
      checker::order_at(pc, Operation::light_fence, 0, checker::Order::seq_cst);
  if (wanted == checker::Order::seq_cst) checker::light_fence(pc);
}

// include/fencepost/instrumentation.hpp
std::uint32_t fencepost_check_nonatomic_fetch_add32(void* word, std::uint32_t n) noexcept {
  return checker::nonatomic_fetch_add(static_cast<std::uint32_t*>(word), n, FENCEPOST_PC());
}
std::uint64_t fencepost_check_nonatomic_fetch_add64(void* word, std::uint64_t n) noexcept {
  return checker::nonatomic_fetch_add(static_cast<std::uint64_t*>(word), n, FENCEPOST_PC());
}

FENCEPOST_PLAIN(read1, 1, false)
FENCEPOST_PLAIN(read2, 2, false)
FENCEPOST_PLAIN(read4, 4, false)
FENCEPOST_PLAIN(read8, 8, false)
FENCEPOST_PLAIN(read16, 16, false)
FENCEPOST_PLAIN(write1, 1, true)
FENCEPOST_PLAIN(write2, 2, true)
FENCEPOST_PLAIN(write4, 4, true)
FENCEPOST_PLAIN(write8, 8, true)
FENCEPOST_PLAIN(write16, 16, true)
FENCEPOST_PLAIN(unaligned_read2, 2, false)
FENCEPOST_PLAIN(unaligned_read4, 4, false)
FENCEPOST_PLAIN(unaligned_read8, 8, false)
FENCEPOST_PLAIN(unaligned_read16, 16, false)
FENCEPOST_PLAIN(unaligned_write2, 2, true)
FENCEPOST_PLAIN(unaligned_write4, 4, true)
FENCEPOST_PLAIN(unaligned_write8, 8, true)
FENCEPOST_PLAIN(unaligned_write16, 16, true)
FENCEPOST_PLAIN(read_write1, 1, true)
FENCEPOST_PLAIN(read_write2, 2, true)
FENCEPOST_PLAIN(read_write4, 4, true)
FENCEPOST_PLAIN(read_write8, 8, true)
FENCEPOST_PLAIN(read_write16, 16, true)
FENCEPOST_PLAIN(volatile_read1, 1, false)
FENCEPOST_PLAIN(volatile_read2, 2, false)
FENCEPOST_PLAIN(volatile_read4, 4, false)
FENCEPOST_PLAIN(volatile_read8, 8, false)
FENCEPOST_PLAIN(volatile_read16, 16, false)
FENCEPOST_PLAIN(volatile_write1, 1, true)
FENCEPOST_PLAIN(volatile_write2, 2, true)
FENCEPOST_PLAIN(volatile_write4, 4, true)
FENCEPOST_PLAIN(volatile_write8, 8, true)
FENCEPOST_PLAIN(volatile_write16, 16, true)
FENCEPOST_PLAIN(vptr_read, 8, false)

#define FENCEPOST_RANGE(name, write)                  \
  void __tsan_##name(void* p, unsigned long size) {   \
    checker::touched(p, size, write, FENCEPOST_PC()); \
    checker::wipe_stack(checker::kAccessUses);        \
    checker::leave_no_result();                       \
  }
FENCEPOST_RANGE(read_range, false)
FENCEPOST_RANGE(write_range, true)
// By gcc_plugin.cpp and early_instrumentation.py.
void __fencepost_padding(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::padding_access(checker::address_of(p), size, FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_no_result();
}
// Storing the same table again is what destructors of a class without heirs do: nobody can tell it
// from a read.
void __tsan_vptr_update(void** p, void* value) {
  if (checker::exploring()) {
    checker::plain_access(checker::address_of(p), 8, *p != value, FENCEPOST_PC());
  }
}

// By gcc_plugin.cpp and, for clang, by early_scopes.py.
void __fencepost_scope_begins(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::scope_begins(checker::address_of(p), size, FENCEPOST_PC());
  checker::wipe_stack(kPlainUses);
  checker::leave_no_result();
}
void __fencepost_scope_ends(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::scope_ends(checker::address_of(p), size, FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_no_result();
}

void __fencepost_object_ends(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::end_object(checker::address_of(p), size, FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_no_result();
}

void __fencepost_returns() {
  constexpr const char* kReturns = "a function returns that is said not to";
  const std::uint64_t pc = FENCEPOST_PC();
  if (checker::fails_before_main()) {
    checker::violate_before_main("memory", pc, "%s", kReturns);
  }
  checker::execution.violate("memory", pc, "%s", kReturns);
}

void __fencepost_unwritten(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::uninitialised.local_is_unwritten(checker::address_of(p), size);
  checker::wipe_stack(kPlainUses);
  checker::leave_no_result();
}
std::uint64_t __fencepost_unwritten_word() {
  if (!checker::exploring()) return 0;
  const std::uint64_t word = checker::uninitialised.unwritten_word(FENCEPOST_PC());
  checker::wipe_stack(kPlainUses);
  return word;
}

void __fencepost_stack_saved(void* stack) {
  if (!checker::exploring()) return;
  checker::stack_saved(checker::address_of(stack));
  checker::wipe_stack(kPlainUses);
  checker::leave_no_result();
}
void __fencepost_block_begins(void* p, unsigned long size) {
  if (!checker::exploring()) return;
  checker::block_begins(checker::address_of(p), size, FENCEPOST_PC());
  checker::wipe_stack(kPlainUses);
  checker::leave_no_result();
}
void __fencepost_stack_restored(void* stack) {
  if (!checker::exploring()) return;
  checker::stack_restored(checker::address_of(stack), FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_no_result();
}
void __fencepost_stack_unwound() {
  if (!checker::exploring()) return;
  checker::stack_unwound(FENCEPOST_STACK(), FENCEPOST_PC(),
                         "an exception ends a local variable's scope");
  checker::wipe_stack(checker::kUnwindingUses);
  checker::leave_no_result();
}

void __fencepost_spin_turns() {
  if (checker::exploring()) checker::spin_turns();
}
void __fencepost_spin_begins() {
  if (checker::exploring()) checker::spin_begins();
}
void __fencepost_spin_ends() {
  if (checker::exploring()) checker::spin_ends();
}
void __fencepost_loop_begins(void* frame, unsigned number) {
  if (!checker::exploring()) return;
  checker::loop_begins(checker::address_of(frame), number, FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_nothing();
}
void __fencepost_loop_turns(void* frame, unsigned number) {
  if (!checker::exploring()) return;
  checker::loop_turns(checker::address_of(frame), number, FENCEPOST_PC());
  checker::wipe_stack(checker::kAccessUses);
  checker::leave_nothing();
}
void __fencepost_retry_begins(int loop, int how) {
  if (!checker::exploring()) return;
  checker::retry_begins(loop, (how & 1) != 0, static_cast<checker::RetryWay>(how >> 1));
}
void __fencepost_retry_turns(int loop, int is_loaded) {
  if (checker::exploring()) checker::retry_turns(loop, is_loaded != 0);
}

void __tsan_init() {}
// Only where calls are watched.
void __tsan_func_entry(void* caller) {
  if (checker::call_sites.watching()) checker::enter_call(checker::address_of(caller));
  checker::leave_no_result();
}
void __tsan_func_exit() {
  if (checker::call_sites.watching()) checker::leave_call();
  checker::leave_no_result();
}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

}  // extern "C"
