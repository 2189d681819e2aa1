// SPDX-License-Identifier: MIT
//
// Threads and processes, from their beginning to their end.
#include "process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::profiler {

thread_local constinit current_thread current{};

constinit process here;

namespace {

void name_this_thread(thread& entry) noexcept {
  if (here.is_confined.load(std::memory_order_relaxed)) return;
  kernel::call(SYS_prctl, PR_GET_NAME, entry.name.data());
}

/// When the calling thread began; now, where nobody has seen that.
std::uint64_t this_began() noexcept {
  if (current.began != 0) return current.began;
  header& head = *here.kept.head;
  if (preload::kernel_number() == head.pid) return head.began;
  head.late_threads.fetch_add(1, std::memory_order_relaxed);
  return now();
}

std::uint32_t free_thread() noexcept {
  table& all = here.kept.head->threads;
  const std::uint32_t used = all.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < used; ++at) {
    // acquire: pairs with the release of the thread that it was, at its end.
    if (here.kept.threads[at].tid.load(std::memory_order_acquire) == 0) return at;
  }
  return make_room(all, here.kept.threads) ? count(all) : 0;
}

thread* make_thread() noexcept {
  const std::uint32_t place = free_thread();
  if (place == 0) {
    here.kept.head->lost_threads.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  thread& made = here.kept.threads[place];
  std::memset(static_cast<void*>(&made), 0, sizeof made);
  made.handle = static_cast<std::uint64_t>(::pthread_self());
  made.began = this_began();
  made.serial = ++here.threads_made;
  name_this_thread(made);
  made.tid.store(preload::kernel_number(), std::memory_order_release);
  return &made;
}

void thread_ends(void* entry) noexcept {
  auto& own = *static_cast<thread*>(entry);
  current.entry = nullptr;
  name_this_thread(own);
  // It may use a lock once more.
  current.began = now();
  here.kept.head->thread_time.fetch_add(current.began - own.began, std::memory_order_relaxed);
  // release: pairs with free_thread().
  own.tid.store(0, std::memory_order_release);
}

bool reserve_maps(unsigned halvings) noexcept {
  return here.sites.reserve(4 * room_for_sites(halvings)) &&
         here.locks.reserve(2 * room_for_locks(halvings)) &&
         here.stacks.reserve(4 * room_for_stacks(halvings)) &&
         here.lost.reserve(4 * room_for_locks(halvings));
}

void release_maps() noexcept {
  here.sites.release();
  here.locks.release();
  here.stacks.release();
  here.lost.release();
}

/// Where the parent's file can say it, nothing has to be asked of the kernel.
void is_not_recorded(const char* directory, long error) noexcept {
  if (here.inherited.head == nullptr) {
    leave_note(directory, error);
    return;
  }
  header& parent = *here.inherited.head;
  parent.lost_children_error.store(static_cast<std::uint32_t>(error), std::memory_order_relaxed);
  parent.lost_children.fetch_add(1, std::memory_order_relaxed);
  if (error != ENOSYS) here.inherited.close();
}

bool begin() noexcept {
  if (here.is_confined.load(std::memory_order_relaxed)) {
    is_not_recorded(nullptr, ENOSYS);
    return false;
  }
  const char* const directory = ::secure_getenv("FENCEPOST_PROFILER");
  if (directory == nullptr || *directory == 0) return false;
  const file inherited = here.inherited;
  unsigned halvings = 0;
  long error = fit(halvings);
  if (error == 0 && !reserve_maps(halvings)) error = ENOMEM;
  if (error == 0) {
    error =
        here.kept.open(directory, halvings, inherited.head != nullptr ? inherited.head->pid : 0);
  }
  if (error != 0) {
    release_maps();
    is_not_recorded(directory, error);
    return false;
  }
  kernel::call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", here.program.data(),
               here.program.size() - 1);
  here.wants_stacks = ::secure_getenv("FENCEPOST_PROFILER_STACKS") != nullptr;
  for (std::uint32_t number = 1; number <= kinds; ++number) {
    here.kept.locks[number].kind = number;
    count(here.kept.head->locks);
  }
  if (inherited.head == nullptr) return true;
  // The child's locks are those that its parent had at the fork(), with nothing counted yet.
  for (std::uint32_t at = kinds + 1; at < here.inherited_locks; ++at) {
    const lock& old = inherited.locks[at];
    if (old.ended.load(std::memory_order_relaxed) != 0) continue;
    const std::uint64_t from = inherited.sites[old.site].address.load(std::memory_order_relaxed);
    make_lock(reinterpret_cast<const void*>(old.address.load(std::memory_order_relaxed)),
              static_cast<kind>(old.kind), reinterpret_cast<const void*>(from),
              old.initialised != 0);
  }
  here.inherited.close();
  return true;
}

/// A lock that the thread which calls fork() has at that moment.
struct inherited_holding {
  std::uint64_t lock;     // its address,
  std::uint64_t made_at;  // where it was initialised, or first used,
  std::uint64_t taken_at;
  std::uint64_t since;
  kind what;
  bool is_initialised;
  std::uint32_t mode;
  std::uint32_t depth;
};

/// Of the calling thread, for its child: the file goes on with the parent, and is shared with it.
struct at_fork {
  std::uint32_t locks;  // entries of the table
  std::uint32_t holds;
  std::array<inherited_holding, std::tuple_size_v<decltype(thread::held)>> held;
};

thread_local constinit at_fork mine_at_fork{};

/// A thread without an entry still has what it had at the last fork(), of which it is the child.
void before_fork() noexcept {
  current.forks = preload::kernel_number();
  if (here.now.load(std::memory_order_acquire) != state::recording) return;
  const file& own = here.kept;
  // acquire: pairs with the release in count(): the entries before their number.
  mine_at_fork.locks = own.head->locks.used.load(std::memory_order_acquire);
  if (current.entry == nullptr) return;
  const auto address = [&](std::uint32_t site) {
    return own.sites[site].address.load(std::memory_order_relaxed);
  };
  mine_at_fork.holds = current.entry->holds.load(std::memory_order_relaxed);
  for (std::uint32_t at = 0; at < mine_at_fork.holds; ++at) {
    const holding& one = current.entry->held[at];
    const lock& of = own.locks[one.lock.load(std::memory_order_relaxed)];
    mine_at_fork.held[at] = {of.address.load(std::memory_order_relaxed),
                             address(of.site),
                             address(one.site),
                             one.since,
                             static_cast<kind>(of.kind),
                             of.initialised != 0,
                             one.mode,
                             one.depth};
  }
}

void in_parent() noexcept {
  current.forks = 0;
  if (current.entry != nullptr) mine_at_fork.holds = 0;
}

/// What the thread that called fork() held it holds in the child as well.
void inherit(thread& own) noexcept {
  std::uint32_t kept = 0;
  for (std::uint32_t at = 0; at < mine_at_fork.holds; ++at) {
    const inherited_holding& old = mine_at_fork.held[at];
    // The parent may have destroyed its own since.
    const std::uint32_t known = here.locks.find(old.lock);
    const std::uint32_t number =
        known != 0 ? known
                   : make_lock(reinterpret_cast<const void*>(old.lock), old.what,
                               reinterpret_cast<const void*>(old.made_at), old.is_initialised);
    if (number <= kinds) continue;
    holding& one = own.held[kept++];
    one.lock.store(number, std::memory_order_relaxed);
    one.site = make_site(old.taken_at);
    one.since = old.since;
    one.mode = old.mode;
    one.depth = old.depth;
    if (old.mode == static_cast<std::uint32_t>(mode::alone)) {
      here.kept.locks[number].last.store(own.serial, std::memory_order_relaxed);
    }
  }
  own.holds.store(kept, std::memory_order_release);  // pairs with the reader's, as in acquired()
  mine_at_fork.holds = 0;
}

/// The thread that called fork() goes on in the child, with the locks that it had.
void in_child() noexcept {
  current = {};
  current.began = here.began = now();
  // Whoever had it is not in the child.
  ::new (static_cast<void*>(&here.making)) fencepost::mutex;
  if (here.now.load(std::memory_order_relaxed) != state::recording) return;
  if (!here.is_confined.load(std::memory_order_relaxed)) {
    release_maps();
    if (here.inherited.head != nullptr) here.inherited.close();
  }
  here.inherited = here.kept;
  here.kept = {};
  here.inherited_locks = mine_at_fork.locks;
  here.now.store(state::unknown, std::memory_order_relaxed);
}

[[gnu::constructor]] void prepare() noexcept {
  if (here.began == 0) here.began = now();
  if (::pthread_key_create(&here.at_thread_exit, thread_ends) == 0) here.is_prepared = true;
  ::pthread_atfork(before_fork, in_parent, in_child);
}

[[gnu::destructor]] void end() noexcept {
  if (here.now.load(std::memory_order_acquire) != state::recording) return;
  here.kept.head->ended.store(now(), std::memory_order_release);
}

}  // namespace

thread* this_thread_slowly() noexcept {
  if (current.is_left_out || here.now.load(std::memory_order_acquire) == state::off) return nullptr;
  const maker mine;
  if (!mine.is_mine()) return nullptr;
  if (here.now.load(std::memory_order_relaxed) == state::unknown) {
    // release: pairs with the acquire above: what begin() made.
    here.now.store(begin() ? state::recording : state::off, std::memory_order_release);
  }
  if (here.now.load(std::memory_order_relaxed) == state::off) return nullptr;
  thread* const made = make_thread();
  if (made == nullptr) {
    current.is_left_out = true;
    return nullptr;
  }
  if (mine_at_fork.holds != 0) inherit(*made);
  if (here.is_prepared) ::pthread_setspecific(here.at_thread_exit, made);
  current.entry = made;
  return made;
}

std::uint32_t number_of(const thread& one) noexcept {
  return static_cast<std::uint32_t>(&one - here.kept.threads);
}

}  // namespace fencepost::profiler
