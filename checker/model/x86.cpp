// SPDX-License-Identifier: MIT
// x86-TSO (Sewell et al., "x86-TSO: A Rigorous and Usable Programmer's Model for x86
// Multiprocessors", CACM 2010) for the code that gcc and clang emit:
//   load, any order               mov
//   store weaker than seq_cst     mov: waits in the store buffer while later loads go ahead
//   store seq_cst                 xchg: locked
//   read-modify-write, any order  locked, also a compare-exchange that fails
//   an attempt that fails to take a read-write lock or a semaphore    mov: glibc looks before it
//                                 tries
//   the signal of a condition variable on which nobody waits          mov, for the same reason
//   fence seq_cst                 mfence (or a locked instruction)
//   other fences                  nothing
// Creating, starting, joining and ending a thread drain the store buffer, as the system calls do.
// To arrive at a std::barrier, or pass it, need not: who comes after that sees what was stored
// before. To count a std::latch down is a locked instruction, to wait for it is not.
#include "model/linearize.hpp"
#include "model/model.hpp"

namespace fencepost::checker {
namespace {

bool is_locked(const Event& e) {
  return (e.flags & (kRmw | kLocked)) != 0 || e.order == Order::seq_cst;
}

bool has_only_looked(const Event& e) {
  enum When { blocked, failed, looked, takes, not_zero };
  switch (e.what) {
#define OPERATION(...)
#define OPERATION_EITHER(what, name, phrase, when, ...) \
  case Operation::what:                                 \
    return (when) == looked && !succeeds(e);
#include "operations.def"
#undef OPERATION
#undef OPERATION_EITHER
    default:
      return false;
  }
}

bool buffered(const Event& e) { return !is_locked(e); }

bool drains(const Event& e) {
  switch (e.kind) {
    case Kind::read:
      return (e.flags & (kRmw | kLocked)) != 0 && !has_only_looked(e);
    case Kind::write:
      return is_locked(e);
    case Kind::fence:
      return e.order == Order::seq_cst;
    case Kind::choice:
      return false;
    case Kind::join:
      return (e.flags & kUnlocked) == 0;
    default:
      return true;
  }
}

bool consistent(Graph& g) { return linearizable(g, buffered, drains); }

}  // namespace

const Model kX86 = {
    "x86",
    consistent,
    "the compiler keeps the order of atomic operations and maps them as gcc and clang "
    "do today (seq_cst store = xchg, every read-modify-write locked)",
    nullptr,
    nullptr,
    true,
    buffered,
    drains};

}  // namespace fencepost::checker
