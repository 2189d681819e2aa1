// SPDX-License-Identifier: MIT
// An object ends with its destructor, before its memory does. Who still uses it then, and is not
// ordered with that, is in error: so ends a class whose std::jthread stands before what it uses.
//
// case: variables
// flags: -DVARIABLES
// expect: all=violated:memory at=used
//
// case: variables_in_order
// flags: -DVARIABLES -DIN_ORDER
// expect: all=holds
//
// case: members
// flags: -DMEMBERS
// expect: all=violated:memory at=used says="(an object that main may have destroyed|an object is destroyed)"
//
// case: members_without_optimisation
// flags: -DMEMBERS -O0
// expect: all=violated:memory at=used
//
// case: members_of_which_gcc_is_to_suppose_nothing
// flags: -DMEMBERS -fno-lifetime-dse
// options: --cc gcc
// expect: all=violated:memory at=used
//
// case: members_where_an_attribute_hides_the_end
// flags: -DMEMBERS -DATTRIBUTE=__attribute__((optimize(\"no-lifetime-dse\")))
// options: --cc gcc
// expect: all=refused says="not say that .* ends an object"
//
// case: members_with_clang
// flags: -DMEMBERS
// options: --cc clang-14
// expect: all=violated:memory at=used
//
// case: members_in_order
// flags: -DMEMBERS -DIN_ORDER
// expect: all=holds
//
// case: members_in_order_with_clang
// flags: -DMEMBERS -DIN_ORDER
// options: --cc clang-14
// expect: all=holds
//
// case: on_the_heap
// flags: -DMEMBERS -DHEAP
// expect: all=violated:memory at=used
//
// case: joined_in_the_destructor
// flags: -DMEMBERS -DJOINS
// expect: all=holds
//
// case: of_the_derived_class
// flags: -DDERIVED
// expect: all=violated:memory at=used
//
// case: of_the_base_class
// flags: -DDERIVED -DIN_ORDER
// expect: all=holds
//
// case: an_object_without_members_in_the_same_place
// flags: -DEMPTY
// expect: all=holds
//
// case: an_object_without_members_in_the_same_place_with_clang
// flags: -DEMPTY
// options: --cc clang-14
// expect: all=holds
//
// case: reset
// flags: -DRESET
// expect: all=violated:memory at=used
//
// case: reset_when_it_was_used
// flags: -DRESET_AFTER
// expect: all=violated:memory at=used
//
// case: reset_under_a_lock
// flags: -DRESET -DLOCKED
// expect: all=holds
//
// case: notified_where_it_may_have_ended
// flags: -DNOTIFIED
// expect: all=violated:memory at=used
//
// case: notified_when_it_has_ended
// flags: -DNOTIFIED -DTOO_LATE
// expect: all=violated:memory at=used
//
// case: an_atomic_member_used_before
// flags: -DATOMIC
// expect: all=violated:memory at=used
//
// case: only_notified_before
// flags: -DATOMIC -DONLY_NOTIFIED
// expect: all=violated:memory at=used
//
// case: passed_by_value
// flags: -DBY_VALUE
// expect: all=violated:memory at=used
//
// case: passed_by_value_with_clang
// flags: -DBY_VALUE
// options: --cc clang-14
// expect: all=violated:memory at=used
//
// case: virtual_functions
// flags: -DVIRTUAL
// expect: all=violated:memory at=call
//
// case: virtual_functions_with_clang
// flags: -DVIRTUAL
// options: --cc clang-14
// expect: all=violated:memory at=call
//
// case: the_last_one_deletes
// flags: -DCOUNTED=acq_rel
// options: --leaks
// expect: all=holds
//
// case: the_last_one_deletes_without_order
// flags: -DCOUNTED=relaxed
// expect: all=violated:memory at=used
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#ifndef ATTRIBUTE
#define ATTRIBUTE
#endif

struct used_object {
  int value = 0;
  used_object() = default;
  used_object(const used_object&) = delete;
  used_object& operator=(const used_object&) = delete;
  ATTRIBUTE ~used_object() { static_cast<void>(this); }  // @used
  void use() { ++value; }                                // @used
};

struct gate {
  std::atomic<int> open{0};
  gate() = default;
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { static_cast<void>(this); }  // @used
};

#if defined(VARIABLES)
int main() {
#ifdef IN_ORDER
  used_object used;
  std::jthread thread;
#else
  std::jthread thread;
  used_object used;
#endif
  thread = std::jthread([&used] { used.use(); });
}
#elif defined(MEMBERS)
struct owner {
#ifdef IN_ORDER
  used_object used;
  std::jthread thread{[this] { used.use(); }};
#else
  std::jthread thread;
  used_object used;
#endif
#ifdef JOINS
  ~owner() { thread.join(); }
#endif
};

int main() {
#ifdef HEAP
  auto* const made = new owner;
  made->thread = std::jthread([made] { made->used.use(); });
  delete made;
#else
  owner made;
#ifndef IN_ORDER
  made.thread = std::jthread([&made] { made.used.use(); });
#endif
#endif
}
#elif defined(DERIVED)
struct base {
#ifdef IN_ORDER
  used_object used;
#endif
  std::jthread thread;
};
struct derived : base {
#ifndef IN_ORDER
  used_object used;
#endif
};

int main() {
  derived made;
  made.thread = std::jthread([&made] { made.used.use(); });
}
#elif defined(EMPTY)
struct nothing {
  nothing() = default;
  nothing(const nothing&) = delete;
  nothing& operator=(const nothing&) = delete;
  ~nothing() {}  // NOLINT(modernize-use-equals-default): it is not trivial
};
struct owner {
  int value = 0;
  std::jthread thread;
  [[no_unique_address]] nothing here;
};

int main() {
  owner made;
  made.thread = std::jthread([&made] { made.value = 1; });
}
#elif defined(RESET_AFTER)
int main() {
  std::atomic<bool> done{false};
  std::optional<used_object> maybe;
  maybe.emplace();
  std::thread other([&] {
    maybe->use();
    done.store(true, std::memory_order_relaxed);
  });
  while (!done.load(std::memory_order_relaxed)) {
  }
  maybe.reset();  // @used
  other.join();
}
#elif defined(RESET)
int main() {
  std::optional<used_object> maybe;
  maybe.emplace();
  [[maybe_unused]] std::mutex mutex;
  std::thread other([&] {
#ifdef LOCKED
    const std::lock_guard lock(mutex);
    if (maybe) maybe->use();
#else
    maybe->use();
#endif
  });
  {
#ifdef LOCKED
    const std::lock_guard lock(mutex);
#endif
    maybe.reset();  // @used
  }
  other.join();
}
#elif defined(NOTIFIED)
int main() {
  std::optional<gate> maybe;
  maybe.emplace();
  [[maybe_unused]] std::atomic<bool> gone{false};
  std::thread other([&] {
    auto& open = maybe->open;
    open.store(1);
#ifdef TOO_LATE
    while (!gone.load(std::memory_order_relaxed)) {
    }
#endif
    open.notify_one();  // @used
  });
#ifdef TOO_LATE
  while (maybe->open.load() == 0) {
  }
#else
  maybe->open.wait(0);
#endif
  maybe.reset();  // @used
  gone.store(true, std::memory_order_relaxed);
  other.join();
}
#elif defined(ATOMIC)
int main() {
  std::optional<gate> maybe;
  maybe.emplace();
#ifdef ONLY_NOTIFIED
  std::atomic<int> done{0};
  std::thread other([&] {
    maybe->open.notify_one();
    done.store(1, std::memory_order_relaxed);
  });
#else
  auto& done = maybe->open;
  std::thread other([&] { done.store(1, std::memory_order_relaxed); });
#endif
  while (done.load(std::memory_order_relaxed) == 0) {
  }
  maybe.reset();  // @used
  other.join();
}
#elif defined(BY_VALUE)
struct copied {
  int value = 0;
  copied() = default;
  copied(const copied& other) : value(other.value) {}
  copied& operator=(const copied&) = delete;
  ~copied() {}  // NOLINT(modernize-use-equals-default): it is not trivial
};

std::jthread thread;

void start(copied own) {
  thread = std::jthread([&own] { own.value = 1; });  // @used
}

int main() {
  const copied original;
  start(original);
  thread.join();
}
#elif defined(VIRTUAL)
struct shape {
  virtual int sides() const;
  virtual ~shape();
};
int shape::sides() const { return 0; }
shape::~shape() {}

[[gnu::noinline]] int sides_of(const shape& any) { return any.sides(); }  // @call

int main() {
  auto* const made = new shape;
  std::thread other([made] { static_cast<void>(sides_of(*made)); });
  made->~shape();
  other.join();
  ::operator delete(made);
}
#else
struct counted {  // @used
  used_object used;
  std::atomic<int> owners{2};
  void let_go() {
    if (owners.fetch_sub(1, std::memory_order::COUNTED) == 1) delete this;  // @used
  }
};

int main() {
  auto* const shared = new counted;
  std::thread other([shared] {
    shared->used.use();
    shared->let_go();
  });
  shared->let_go();
  other.join();
}
#endif
