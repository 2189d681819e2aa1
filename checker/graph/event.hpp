// SPDX-License-Identifier: MIT
// One event of an execution graph.
#pragma once

#include <cstdint>

namespace fencepost::checker {

inline constexpr unsigned kMaxThreads = 64;
inline constexpr unsigned kMaxEventsPerThread = 60000;

enum class Kind : std::uint8_t {
  begin,   // first event of every thread
  end,     // last event of a thread that returned or ended the process
  create,  // operand: the thread created
  join,    // operand: the thread joined; or what else waits for an event of another thread
  read,
  write,
  fence,
  choice,  // value: the option taken, operand: how many there are
};

enum class Order : std::uint8_t { plain, relaxed, acquire, release, acq_rel, seq_cst };

constexpr bool is_acquire(Order o) {
  return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst;
}
constexpr bool is_release(Order o) {
  return o == Order::release || o == Order::acq_rel || o == Order::seq_cst;
}

// What the program called; for models that look at instructions and for people who read traces.
enum class Operation : std::uint8_t {
#define OPERATION(what, ...) what,
#define OPERATION_EITHER(what, ...) what,
#include "operations.def"
#undef OPERATION
#undef OPERATION_EITHER
};

enum Flag : std::uint16_t {
  kRmw = 1,         // read or write half of an atomic read-modify-write
  kCompare = 2,     // a read that is followed by its write only if its value fits `operand`
  kAwait = 4,       // a compare that blocks its thread while it does not
  kForced = 8,      // a read without a choice: its source follows from the rest of the graph
  kNonatomic = 16,  // read or write of an addition that is no read-modify-write, but no heavy fence
                    // falls between the two: docs/checker/models.md
  kSilent = 32,     // a write that stores the value that was there already
  kLocked = 64,     // x86: a locked instruction, also where it only reads
  kLight = 128,     // a fence that orders only as seen by heavy fences
  kHeavy = 256,     // a seq_cst fence that light fences and non-atomic additions take part in
  kIfClear = 512,   // a compare that asks for a value with none of the bits of `operand`
  kIfAny = 1024,    // ... with at least one of them
  kUnfit = 2048,    // a compare whose value does not fit, beyond the first eight bytes
  kUnlocked = 4096,  // x86: of a join, one that leaves the store buffer as it is
  kTwin =
      8192,  // the thread and its twin have done the same up to and with this event: symmetry.hpp
  kOvertook = 16384,  // a read that took a lock before one that was there: explore/overtaking.cpp
};

// Thread and index packed in a word. `initial` stands for a location's initial value.
struct EventId {
  std::uint32_t raw;

  constexpr unsigned thread() const { return raw >> 16; }
  constexpr unsigned index() const { return raw & 0xffffU; }
  friend constexpr bool operator==(EventId, EventId) = default;
};

constexpr EventId event_id(unsigned thread, unsigned index) { return {thread << 16 | index}; }
inline constexpr EventId kInitial{0xffffffffU};

using LocationId = std::uint32_t;

struct Event {
  Kind kind;
  Order order;             // of this half of the operation, as it happened
  Order order_failed : 4;  // of a compare whose value does not fit
  Order order_done : 4;    // of the read half when it succeeds
  Operation what;
  std::uint8_t size;
  std::uint8_t more;  // locations that it accesses besides the first; see graph/mixed_size.hpp
  std::uint16_t flags;
  std::uint32_t stamp;          // position in the order in which events were added
  LocationId location;          // reads and writes: the first
  EventId from;                 // reads: the write read; begin: the create; join: what it is after
  std::uint32_t mo;             // writes: position in the modification order; `more`: its pieces
  std::uint16_t release_fence;  // index + 1 of the last release fence at or before this event
  std::uint16_t rmw_read;       // write half: index of its read half; another_round: of its begin
  std::uint32_t effects;        // number of effects of the thread before this event
  std::uint64_t value;          // create: the thread whose twin is created, 0: of none
  std::uint64_t operand;
  std::uint64_t pc;
  std::uint64_t state;  // hash of the thread's private state when it arrived here; 0: not taken
};

// Does this write let go of a lock?
constexpr bool ends_section(Operation what) {
  return what == Operation::mutex_unlock || what == Operation::spin_unlock ||
         what == Operation::rwlock_unlock;
}

// Is this the point of its thread that heavy fences come before or after: a light fence, or a
// non-atomic addition as a whole, which its read stands for?
constexpr bool is_light(const Event& e) {
  return (e.flags & (kLight | kNonatomic)) != 0 && e.kind != Kind::write;
}

// Is this value the one that a compare asks for?
constexpr bool fits(const Event& compare, std::uint64_t value) {
  if ((compare.flags & kIfClear) != 0) return (value & compare.operand) == 0;
  if ((compare.flags & kIfAny) != 0) return (value & compare.operand) != 0;
  if ((compare.flags & kUnfit) != 0) return false;
  return value == compare.operand;
}
// Does this read pair with a write half?
constexpr bool succeeds(const Event& e) {
  return (e.flags & kRmw) != 0 && ((e.flags & kCompare) == 0 || fits(e, e.value));
}
// Does the thread's next event belong to the same operation as this one?
constexpr bool is_first_half(const Event& e) {
  return e.kind == Kind::read && (succeeds(e) || (e.flags & kNonatomic) != 0);
}
// After this event the operation that it is part of goes on: nothing comes between.
constexpr bool is_unfinished(const Event& e) {
  return is_first_half(e) || (e.kind == Kind::read && e.what == Operation::futex_value) ||
         (e.kind == Kind::choice && e.what == Operation::which_waiter);
}
// Does this read take a lock for which its thread waits until it is free, before the event is
// added?
constexpr bool takes_its_turn(const Event& e) {
  return e.kind == Kind::read &&
         (e.what == Operation::mutex_lock || e.what == Operation::spin_lock);
}
constexpr bool is_blocked(const Event& e) { return (e.flags & kAwait) != 0 && !fits(e, e.value); }

}  // namespace fencepost::checker
