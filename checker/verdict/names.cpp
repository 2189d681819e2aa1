// SPDX-License-Identifier: MIT
#include "verdict/names.hpp"

#include "execution/objects.hpp"
#include "sync/locks/read_write_locks.hpp"

namespace fencepost::checker::report {

const char* name(Kind k) {
  switch (k) {
    case Kind::begin:
      return "begin";
    case Kind::end:
      return "end";
    case Kind::create:
      return "create";
    case Kind::join:
      return "join";
    case Kind::read:
      return "R";
    case Kind::write:
      return "W";
    case Kind::fence:
      return "F";
    case Kind::choice:
      return "choice";
  }
  return "?";
}

const char* name(Order o) {
  switch (o) {
    case Order::plain:
      return "na";
    case Order::relaxed:
      return "rlx";
    case Order::acquire:
      return "acq";
    case Order::release:
      return "rel";
    case Order::acq_rel:
      return "acq_rel";
    case Order::seq_cst:
      return "sc";
  }
  return "?";
}

const char* name(ObjectKind k) {
  switch (k) {
    case ObjectKind::atomic:
      return "atomic";
    case ObjectKind::mutex:
      return "mutex";
    case ObjectKind::futex_queue:
      return "futex-queue";
    case ObjectKind::condition:
      return "condition";
    case ObjectKind::membarrier:
      return "membarrier";
    case ObjectKind::spin_lock:
      return "spin-lock";
    case ObjectKind::rwlock:
    case ObjectKind::rwlock_word:
      return "rwlock";
    case ObjectKind::semaphore:
      return "semaphore";
    case ObjectKind::latch:
      return "latch";
    case ObjectKind::exit_handlers:
      return "exit-handlers";
  }
  return "?";
}

const char* name(const Event& e) {
  const bool reads = e.kind == Kind::read;
  const bool blocked = reads && is_blocked(e);
  const bool failed = reads && !succeeds(e);
  const bool looked = failed;
  const bool takes = e.what == Operation::rwlock_announce && takes_rwlock(e);
  const bool not_zero = e.value != 0;
  switch (e.what) {
#define OPERATION(what, name, ...) \
  case Operation::what:            \
    return name;
#define OPERATION_EITHER(what, name, phrase, when, name_then, ...) \
  case Operation::what:                                            \
    return when ? name_then : name;
#include "operations.def"
#undef OPERATION
#undef OPERATION_EITHER
  }
  return "?";
}

const char* why(const Thread& t) {
  switch (t.block) {
    case Block::none:
    case Block::bound:
      return "";
    case Block::join:
      return "waits for a thread to end";
    case Block::futex:
      return "sleeps on a futex";
    case Block::condition:
      return "sleeps on a condition variable";
    case Block::mutex:
      return "waits for a mutex";
    case Block::spin_lock:
      return "waits for a spin lock";
    case Block::read_lock:
      return "waits for a read-write lock, to read";
    case Block::write_lock:
      return "waits for a read-write lock, to write";
    case Block::semaphore:
      return "waits for a semaphore";
    case Block::barrier:
      return "waits at a barrier";
    case Block::latch:
      return "waits for a latch";
    case Block::future:
      return "waits for a future";
    case Block::memory:
      return "waits for memory to be freed";
    case Block::spin:
      return "spins";
    case Block::retry:
      return "tries again";
    case Block::violation:
      return "has been stopped";
    case Block::together:
      return "takes several mutexes";
    case Block::assumption:
      return "stops at assume()";
  }
  return "";
}

}  // namespace fencepost::checker::report
