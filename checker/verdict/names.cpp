// SPDX-License-Identifier: MIT
#include "verdict/names.hpp"

#include "sync/word_event.hpp"

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
  switch (e.what) {
    case What::none:
      return "";
    case What::load:
      return "load";
    case What::store:
      return "store";
    case What::exchange:
      return "exchange";
    case What::fetch_add:
      return "fetch_add";
    case What::fetch_sub:
      return "fetch_sub";
    case What::fetch_and:
      return "fetch_and";
    case What::fetch_or:
      return "fetch_or";
    case What::fetch_xor:
      return "fetch_xor";
    case What::fetch_nand:
      return "fetch_nand";
    case What::compare_exchange:
      return e.kind == Kind::read && !succeeds(e) ? "cas-failed" : "cas";
    case What::fence:
      return "fence";
    case What::light_fence:
      return "light-fence";
    case What::heavy_fence:
      return "heavy-fence";
    case What::nonatomic_fetch_add:
      return "nonatomic-fetch_add";
    case What::membarrier_register:
      return "membarrier-register";
    case What::membarrier_registered:
      return "membarrier-registered";
    case What::plain_write:
      return "plain-write";
    case What::mutex_lock:
      return e.kind == Kind::read && is_blocked(e) ? "mutex-wait" : "mutex-lock";
    case What::mutex_trylock:
      return e.kind == Kind::read && !succeeds(e) ? "mutex-trylock-failed" : "mutex-trylock";
    case What::mutex_unlock:
      return "mutex-unlock";
    case What::mutex_init:
      return "mutex-init";
    case What::spin_lock:
      return e.kind == Kind::read && is_blocked(e) ? "spin-lock-wait" : "spin-lock";
    case What::spin_trylock:
      return e.kind == Kind::read && !succeeds(e) ? "spin-trylock-failed" : "spin-trylock";
    case What::spin_unlock:
      return "spin-unlock";
    case What::spin_init:
      return "spin-init";
    case What::rwlock_read:
      return e.kind == Kind::read && is_blocked(e) ? "rwlock-read-wait" : "rwlock-read";
    case What::rwlock_tryread:
      return e.kind == Kind::read && !succeeds(e) ? "rwlock-tryread-failed" : "rwlock-tryread";
    case What::rwlock_announce:
      return takes_rwlock(e) ? "rwlock-write" : "rwlock-announce";
    case What::rwlock_withdraw:
      return "rwlock-withdraw";
    case What::rwlock_write:
      return e.kind == Kind::read && is_blocked(e) ? "rwlock-write-wait" : "rwlock-write";
    case What::rwlock_trywrite:
      return e.kind == Kind::read && !succeeds(e) ? "rwlock-trywrite-failed" : "rwlock-trywrite";
    case What::rwlock_readers_left:
      return "rwlock-readers-left";
    case What::rwlock_unlock:
      return "rwlock-unlock";
    case What::rwlock_init:
      return "rwlock-init";
    case What::semaphore_wait:
      return e.kind == Kind::read && is_blocked(e) ? "semaphore-wait-blocked" : "semaphore-wait";
    case What::semaphore_trywait:
      return e.kind == Kind::read && !succeeds(e) ? "semaphore-trywait-failed"
                                                  : "semaphore-trywait";
    case What::semaphore_post:
      return "semaphore-post";
    case What::semaphore_value:
      return "semaphore-value";
    case What::semaphore_init:
      return "semaphore-init";
    case What::barrier_arrive:
      return "barrier-arrive";
    case What::barrier_leave:
      return "barrier-leave";
    case What::barrier_serial:
      return "barrier-serial";
    case What::barrier_last:
      return "barrier-last";
    case What::barrier_completed:
      return "barrier-completed";
    case What::barrier_wait:
      return "barrier-wait";
    case What::latch_init:
      return "latch-init";
    case What::latch_count_down:
      return "latch-count-down";
    case What::latch_pass:
      return "latch-pass";
    case What::latch_wait:
      return is_blocked(e) ? "latch-wait-blocked" : "latch-wait";
    case What::latch_try_wait:
      return e.value == 0 ? "latch-try-wait" : "latch-try-wait-failed";
    case What::futex_wait:
      return "futex-wait";
    case What::futex_wake:
      return "futex-wake";
    case What::futex_value:
      return "futex-value";
    case What::futex_timeout:
      return "futex-timeout";
    case What::futex_woken:
      return "futex-woken";
    case What::cond_wait:
      return "cond-wait";
    case What::cond_wake:
      return "cond-signal";
    case What::cond_timeout:
      return "cond-timeout";
    case What::cond_woken:
      return "cond-woken";
    case What::which_waiter:
      return "which-waiter";
    case What::times_out:
      return "times-out";
    case What::deadline_passes:
      return "deadline-passes";
    case What::spurious_wakeup:
      return "spurious-wakeup";
    case What::weak_failure:
      return "weak-failure";
    case What::reuses_memory:
      return "reuses-memory";
    case What::memory_freed:
      return "memory-freed";
    case What::memory_given:
      return "memory-given";
    case What::another_round:
      return "another-round";
    case What::skipped_rounds:
      return "skipped-rounds";
    case What::exit_register:
      return "exit-register";
    case What::exit_take:
      return e.kind == Kind::read && !succeeds(e) ? "exit-take-none" : "exit-take";
    case What::process_end:
      return "process-end";
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
    case Block::memory:
      return "waits for memory to be freed";
    case Block::spin:
      return "spins";
    case Block::violation:
      return "has been stopped";
  }
  return "";
}

}  // namespace fencepost::checker::report
