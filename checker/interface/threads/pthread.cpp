// SPDX-License-Identifier: MIT
// POSIX threads. A pthread_t is the thread's number plus one.
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <cstring>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "execution/loops/loops.hpp"
#include "execution/objects.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/locks/lock_marks.hpp"
#include "interface/threads/threads.hpp"
#include "sync/condition_variables.hpp"
#include "sync/joining.hpp"
#include "sync/locks/mutexes.hpp"
#include "sync/locks/together.hpp"
#include "sync/locks/words.hpp"
#include "sync/misuse.hpp"
#include "sync/queues.hpp"
#include "sync/stuck.hpp"

namespace checker = fencepost::checker;
using checker::execution;
using checker::modelled;
using checker::ObjectKind;

namespace {

enum class Type { normal, recursive, error_checking };

// glibc keeps the type of a mutex in its fourth word, also in static initialisers.
int kind_of(const pthread_mutex_t* m) { return m->__data.__kind; }

Type type_of(const pthread_mutex_t* m, std::uint64_t pc) {
  const int kind = kind_of(m);
  if ((kind & 0x10) != 0) execution.unsupported(pc, "robust mutexes are not supported");
  if ((kind & 0x60) != 0)
    execution.unsupported(pc, "mutexes with a priority protocol are not supported");
  switch (kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE:
      return Type::recursive;
    case PTHREAD_MUTEX_ERRORCHECK:
      return Type::error_checking;
    default:
      return Type::normal;
  }
}

// POSIX has an answer for who unlocks a recursive mutex of another's; of std::recursive_mutex,
// which a static initialiser makes, that is undefined.
constexpr int kMadeByFunction = 0x1000;

bool is_of_cpp_library(const pthread_mutex_t* m, Type type) {
  return type == Type::recursive && (kind_of(m) & kMadeByFunction) == 0 && checker::has_cpp();
}

checker::LockMark mark_of(pthread_mutex_t* m) {
  return {"mutex", m, reinterpret_cast<volatile std::uint32_t*>(&m->__data.__lock)};
}

checker::LockMark mark_of(pthread_cond_t* c) {
  return {"condition variable", c, reinterpret_cast<volatile std::uint32_t*>(c)};
}

// A mutex that is initialised, destroyed or freed while somebody comes to it races with him.
void look_at(pthread_mutex_t* m, std::uint64_t pc) {
  checker::look_at_word(checker::address_of(&m->__data.__kind), sizeof m->__data.__kind, pc);
  const checker::LockMark mark = mark_of(m);
  if (!is_unmarked(mark)) {
    must_be_here(mark, pc);
    return;
  }
  const unsigned holder = checker::known_holder(checker::address_of(m));
  if (holder != checker::kMaxThreads) is_overwritten(mark, holder, "held it", pc);
  mark_as_made(mark);
}

// The same of a condition variable.
void look_at(pthread_cond_t* c, std::uint64_t pc) {
  checker::look_at_word(checker::address_of(c), sizeof(std::uint32_t), pc);
  const checker::LockMark mark = mark_of(c);
  if (!is_unmarked(mark)) {
    must_be_here(mark, pc);
    return;
  }
  const unsigned sleeper = checker::known_sleeper(checker::address_of(c));
  if (sleeper != checker::kMaxThreads) is_overwritten(mark, sleeper, "slept on it", pc);
  mark_as_made(mark);
}

// Both destroying one and making a new one of it.
void must_not_be_held(pthread_mutex_t* m, const char* does, std::uint64_t pc) {
  const unsigned holder = checker::known_holder(checker::address_of(m));
  if (holder == checker::kMaxThreads) return;
  execution.violate("memory", pc, "thread %u %s the mutex at 0x%lx, which thread %u holds",
                    execution.current->id, does, static_cast<unsigned long>(checker::address_of(m)),
                    holder);
}

void must_have_no_sleepers(pthread_cond_t* c, const char* does, std::uint64_t pc) {
  const unsigned sleeper = checker::known_sleeper(checker::address_of(c));
  if (sleeper == checker::kMaxThreads) return;
  execution.violate(
      "memory", pc, "thread %u %s the condition variable at 0x%lx, on which thread %u sleeps",
      execution.current->id, does, static_cast<unsigned long>(checker::address_of(c)), sleeper);
}

// How often the owner of a recursive mutex has locked it: kept in the mutex, only the owner looks.
unsigned depth_of(const pthread_mutex_t* m) { return m->__data.__count; }
void set_depth(pthread_mutex_t* m, unsigned depth) {
  checker::to_memory(checker::address_of(&m->__data.__count), sizeof depth, depth);
}

bool held_by_caller(pthread_mutex_t* m) {
  return checker::mutex_owner(checker::address_of(m)) == execution.current->id + 1;
}

unsigned number(pthread_t t, std::uint64_t pc) {
  if (t == 0 || t > execution.thread_count ||
      execution.threads[t - 1].state == checker::ThreadState::absent) {
    execution.violate("memory", pc, "not a thread: %lu", static_cast<unsigned long>(t));
  }
  return static_cast<unsigned>(t) - 1;
}

void must_be_joinable(const checker::Thread& t, const char* does, std::uint64_t pc) {
  if (!t.detached && !t.joined) return;
  execution.violate("memory", pc, "thread %u %s thread %u, which has been %s",
                    execution.current->id, does, t.id, t.joined ? "joined" : "detached");
}

struct OnceLock {
  pthread_once_t* once;
  std::uint64_t pc;
  bool done = false;
  ~OnceLock() {
    if (done) {
      checker::atomic_store(checker::address_of(once), 4, 2, checker::Order::release, pc);
    }
    checker::unlock_mutex(checker::address_of(once), pc);
  }
};

}  // namespace

namespace fencepost::checker {

unsigned create_thread(const Birth& birth, std::uint64_t pc) {
  if (!exploring()) execution.unsupported(pc, "a thread is created before main");
  for (unsigned i = 1; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    if (t.state == ThreadState::finished && (t.joined || t.detached)) {
      execution.counters.new_identities = 1;
    }
  }
  return execution.spawn(birth, pc).id;
}

void must_be_a_thread(pthread_t thread, std::uint64_t pc) {
  if (!exploring()) return;
  const Thread& t = execution.threads[number(thread, pc)];
  if (!t.joined && !(t.detached && t.state == ThreadState::finished)) return;
  execution.violate("memory", pc, "thread %u uses the number of thread %u, which has been %s",
                    execution.current->id, t.id, t.joined ? "joined" : "detached and has ended");
}

int join_thread(pthread_t thread, void** result, std::uint64_t pc) {
  const unsigned id = number(thread, pc);
  if (id == execution.current->id) return EDEADLK;
  const Thread& t = execution.threads[id];
  must_be_joinable(t, "joins", pc);
  void* const value = join(id, result != nullptr, pc);
  if (result != nullptr) {
    plain_access(address_of(result), sizeof *result, true, pc);
    *result = value;
  }
  return 0;
}

int detach_thread(pthread_t thread, std::uint64_t pc) {
  Thread& t = execution.threads[number(thread, pc)];
  must_be_joinable(t, "detaches", pc);
  if (execution.options.symmetry) execution.symmetry.detaches(t.id, pc);
  t.detached = true;
  return 0;
}

int make_mutex(pthread_mutex_t* m, const pthread_mutexattr_t* attributes, std::uint64_t pc) {
  int type = PTHREAD_MUTEX_NORMAL;
  int protocol = PTHREAD_PRIO_NONE;
  int robust = PTHREAD_MUTEX_STALLED;
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) {
    pthread_mutexattr_gettype(attributes, &type);
    pthread_mutexattr_getprotocol(attributes, &protocol);
    pthread_mutexattr_getrobust(attributes, &robust);
    pthread_mutexattr_getpshared(attributes, &shared);
  }
  note_sharing(shared);
  if (modelled(m)) {
    must_not_be_held(m, "initialises", pc);
    plain_access(address_of(m), sizeof *m, true, pc);
  }
  std::memset(m, 0, sizeof *m);
  m->__data.__kind = type | kMadeByFunction | (robust == PTHREAD_MUTEX_ROBUST ? 0x10 : 0) |
                     (protocol != PTHREAD_PRIO_NONE ? 0x20 : 0);
  if (modelled(m)) {
    set_depth(m, 0);
    initialise_mutex(address_of(m), pc);
  }
  mark_as_made(mark_of(m));
  return 0;
}

int make_condition(pthread_cond_t* c, std::uint64_t pc) {
  if (modelled(c)) {
    must_have_no_sleepers(c, "initialises", pc);
    plain_access(address_of(c), sizeof *c, true, pc);
  }
  std::memset(c, 0, sizeof *c);
  mark_as_made(mark_of(c));
  return 0;
}

int lock_mutex(pthread_mutex_t* m, std::uint64_t pc, bool may_repeat) {
  const LeaveNoTrace clean;
  if (!modelled(m)) return 0;
  look_at(m, pc);
  const Type type = type_of(m, pc);
  if (type != Type::normal && held_by_caller(m)) {
    if (type == Type::error_checking) return EDEADLK;
    set_depth(m, depth_of(m) + 1);
    execution.current->effect();
    return 0;
  }
  lock_mutex(checker::address_of(m), pc, may_repeat);
  if (type == Type::recursive) set_depth(m, 1);
  return 0;
}

int unlock_mutex(pthread_mutex_t* m, std::uint64_t pc) {
  const LeaveNoTrace clean;
  if (!modelled(m)) return 0;
  look_at(m, pc);
  const Type type = type_of(m, pc);
  if (!held_by_caller(m)) {
    if (type != Type::normal && !is_of_cpp_library(m, type)) return EPERM;
    execution.violate("memory", pc,
                      "thread %u unlocks a mutex that it does not hold (address 0x%lx)",
                      execution.current->id, static_cast<unsigned long>(checker::address_of(m)));
  }
  if (type == Type::recursive && depth_of(m) > 1) {
    set_depth(m, depth_of(m) - 1);
    execution.current->effect();
    return 0;
  }
  unlock_mutex(checker::address_of(m), pc);
  return 0;
}

// Running out of time is a choice like that of a timed wait: whoever takes it looks once.
int timed_lock_mutex(pthread_mutex_t* m, const timespec* deadline, std::uint64_t pc) {
  const LeaveNoTrace clean;
  reads(deadline, sizeof *deadline, pc);
  const bool valid = is_valid(deadline);
  if (!modelled(m)) return 0;
  look_at(m, pc);
  const bool fails = type_of(m, pc) == Type::error_checking && held_by_caller(m);
  if (!fails && (!valid || runs_out_of_time(deadline, pc))) {
    const int error = try_lock_mutex(m, pc, false);
    if (error != EBUSY) return error;
    if (!valid) return EINVAL;
    let_time_pass_until(deadline);
    return ETIMEDOUT;
  }
  taken_together.is_tried(checker::address_of(m), pc);
  execution.current->block_timed = true;
  const int error = lock_mutex(m, pc, false);
  execution.current->block_timed = false;
  return error;
}

int try_lock_mutex(pthread_mutex_t* m, std::uint64_t pc, bool may_repeat) {
  const LeaveNoTrace clean;
  if (!modelled(m)) return 0;
  look_at(m, pc);
  const Type type = type_of(m, pc);
  if (type == Type::recursive && held_by_caller(m)) {
    set_depth(m, depth_of(m) + 1);
    execution.current->effect();
    return 0;
  }
  if (!try_lock_mutex(checker::address_of(m), pc, may_repeat)) return EBUSY;
  if (type == Type::recursive) set_depth(m, 1);
  return 0;
}

int wait_on_condition(pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline, bool binds,
                      std::uint64_t pc) {
  const LeaveNoTrace clean;
  look_at(m, pc);
  look_at(c, pc);
  if (deadline != nullptr) {
    reads(deadline, sizeof *deadline, pc);
    if (!is_valid(deadline)) return EINVAL;
  }
  const Type type = type_of(m, pc);
  if (!held_by_caller(m)) {
    if (type == Type::error_checking) return EPERM;
    execution.violate("memory", pc,
                      "thread %u waits on a condition variable without holding the mutex",
                      execution.current->id);
  }
  // Of a recursive mutex one level is given up: locked more than once, it stays locked.
  const unsigned depth = depth_of(m);
  if (type == Type::recursive) set_depth(m, depth - 1);
  const auto limit = deadline == nullptr    ? checker::Limit::none
                     : has_passed(deadline) ? checker::Limit::passed
                                            : checker::Limit::to_come;
  const auto waited =
      condition_wait(checker::address_of(c), checker::address_of(m), binds, depth <= 1, limit, pc);
  if (type == Type::recursive) set_depth(m, depth);
  if (waited != checker::Waited::timed_out) return 0;
  let_time_pass_until(deadline);
  return ETIMEDOUT;
}

int wake_on_condition(pthread_cond_t* c, unsigned count, std::uint64_t pc) {
  if (!exploring()) return 0;
  look_at(c, pc);
  wake_waiters(ObjectKind::condition, address_of(c), count, ~0U, pc);
  return 0;
}

}  // namespace fencepost::checker

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  const std::uint64_t pc = FENCEPOST_PC();
  int detached = PTHREAD_CREATE_JOINABLE;
  std::size_t stack = 0;
  if (attributes != nullptr) {
    checker::reads(attributes, sizeof *attributes, pc);
    pthread_attr_getdetachstate(attributes, &detached);
    pthread_attr_getstacksize(attributes, &stack);
    if (stack < checker::regions::kStackSize) execution.counters.larger_stacks = 1;
  }
  const unsigned id = checker::create_thread({.entry = function,
                                              .argument = argument,
                                              .owned = false,
                                              .detached = detached == PTHREAD_CREATE_DETACHED,
                                              .stack = stack},
                                             pc);
  checker::plain_access(checker::address_of(thread), sizeof *thread, true, pc);
  *thread = id + 1UL;
  return 0;
}

int pthread_join(pthread_t thread, void** result) {
  return checker::join_thread(thread, result, FENCEPOST_PC());
}

int pthread_detach(pthread_t thread) { return checker::detach_thread(thread, FENCEPOST_PC()); }

pthread_t pthread_self() { return checker::own_number(FENCEPOST_PC()) + 1UL; }

int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attributes) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (attributes != nullptr) checker::reads(attributes, sizeof *attributes, pc);
  if (modelled(m)) must_not_be_made_twice(mark_of(m), pc);
  return checker::make_mutex(m, attributes, pc);
}

int pthread_mutex_destroy(pthread_mutex_t* m) {
  if (!modelled(m)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(m, pc);
  must_not_be_held(m, "destroys", pc);
  checker::plain_access(checker::address_of(m), sizeof *m, true, pc);
  mark_as_destroyed(mark_of(m));
  return 0;
}

int fencepost_pthread_mutex_lock(pthread_mutex_t* m) {
  return checker::lock_mutex(m, FENCEPOST_PC(), true);
}

int fencepost_pthread_mutex_trylock(pthread_mutex_t* m) {
  return checker::try_lock_mutex(m, FENCEPOST_PC(), true);
}

int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* deadline) {
  return checker::timed_lock_mutex(m, deadline, FENCEPOST_PC());
}
int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* deadline) {
  if (!checker::is_waited_by(clock)) return EINVAL;
  return checker::timed_lock_mutex(m, deadline, FENCEPOST_PC());
}

int pthread_mutex_unlock(pthread_mutex_t* m) { return checker::unlock_mutex(m, FENCEPOST_PC()); }

int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attributes) {
  const std::uint64_t pc = FENCEPOST_PC();
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) {
    checker::reads(attributes, sizeof *attributes, pc);
    pthread_condattr_getpshared(attributes, &shared);
  }
  checker::note_sharing(shared);
  if (modelled(c)) must_not_be_made_twice(mark_of(c), pc);
  return checker::make_condition(c, pc);
}
int pthread_cond_destroy(pthread_cond_t* c) {
  if (!modelled(c)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(c, pc);
  must_have_no_sleepers(c, "destroys", pc);
  checker::waits_for_last_uses(checker::address_of(c), sizeof *c);
  checker::plain_access(checker::address_of(c), sizeof *c, true, pc);
  mark_as_destroyed(mark_of(c));
  return 0;
}
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  return checker::wait_on_condition(c, m, nullptr, true, FENCEPOST_PC());
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline) {
  return checker::wait_on_condition(c, m, deadline, true, FENCEPOST_PC());
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                           const timespec* deadline) {
  if (!checker::is_waited_by(clock)) return EINVAL;
  return checker::wait_on_condition(c, m, deadline, true, FENCEPOST_PC());
}
int pthread_cond_signal(pthread_cond_t* c) {
  return checker::wake_on_condition(c, 1, FENCEPOST_PC());
}
int pthread_cond_broadcast(pthread_cond_t* c) {
  return checker::wake_on_condition(c, ~0U, FENCEPOST_PC());
}

int pthread_once(pthread_once_t* once, void (*function)()) {
  if (!modelled(once)) {
    if (*once == 0) {
      *once = 2;
      function();
    }
    return 0;
  }
  const std::uint64_t pc = FENCEPOST_PC();
  // As glibc reads it: what nobody has written may look like done.
  constexpr unsigned kDone = 2;
  const auto word = checker::address_of(once);
  if ((checker::atomic_load(word, 4, checker::Order::acquire, pc, false) & kDone) != 0) return 0;
  checker::lock_mutex(checker::address_of(once), pc);
  OnceLock held{once, pc};  // an exception leaves it to the next caller
  if ((checker::atomic_load(word, 4, checker::Order::relaxed, pc, false) & kDone) != 0) return 0;
  function();
  held.done = true;
  return 0;
}

// include/fencepost/instrumentation.h
void fencepost_check_daemon() {
  if (checker::exploring()) execution.current->daemon = true;
}

void fencepost_check_assume(bool condition) {
  if (condition) return;
  const std::uint64_t pc = FENCEPOST_PC();
  if (!checker::exploring())
    execution.unsupported(pc, "what assume() is told before main is false");
  checker::stop_at_assumption(pc);
}

int sched_yield() {
  if (checker::exploring()) checker::idle(FENCEPOST_PC());
  return 0;
}

}  // extern "C"
