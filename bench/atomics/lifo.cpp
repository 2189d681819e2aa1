// SPDX-License-Identifier: MIT
//
// A stack whose head is an atomic pair, pointer and counter: the test program of J. Gustedt's
// description of <stdatomic.h>. Each thread goes round a loop: it pushes or pops a random number of
// elements. The counter grows with every change, so a head that came back to an old pointer is not
// taken for an old head.
//
// What the 16 bytes are changed by is chosen:
//   locked   the library's functions, which need a lock here: the head lies across a 16-byte
//            boundary, where no instruction serves it
//   called   the library's functions, on an aligned head: they use the processor's instruction
//   inlined  the processor's instruction and no library
//   pthread_mutex  a pthread mutex around a plain head and no library
//
// Elements come from a pool that lives as long as the program, for a thread may look at an element
// that another has just popped. At the end each must be found once: on the stack or with a thread.
//
// Counters: elements_per_second (pushed and popped), operations_per_second (loads and
// compare-exchanges of the head, those that failed too: what a library with a lock for each
// operation locks), failed (compare-exchanges), fairness, descheduled.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "arguments.hpp"
#include "descheduling.hpp"
#include "figures.hpp"
#include "library.hpp"
#include "threads.hpp"

namespace {

constexpr unsigned elements_per_thread = 64;
constexpr unsigned most_at_once = 16;

struct element {
  std::atomic<element*> next{nullptr};
  // Whoever pops it owns it: relaxed, unless two do, and then this shows.
  std::atomic<bool> on_stack{false};
};

struct head {
  element* top = nullptr;
  std::uint64_t changes = 0;
};
static_assert(sizeof(head) == 16);

/// The library's functions for any size, on a head that no instruction serves.
class locked {
 public:
  static constexpr bool has_lock = true;
  explicit locked(const bench::library* from)
      : load_(from->function<bench::library::load_type>("__atomic_load")),
        compare_exchange_(
            from->function<bench::library::compare_exchange_type>("__atomic_compare_exchange")) {}

  head load() {
    head seen;
    load_(sizeof seen, place(), &seen, __ATOMIC_SEQ_CST);
    return seen;
  }
  bool compare_exchange(head& expected, const head& wanted) {
    return compare_exchange_(sizeof wanted, place(), &expected, &wanted, __ATOMIC_SEQ_CST,
                             __ATOMIC_SEQ_CST);
  }

 private:
  unsigned char* place() { return memory_ + 8; }

  bench::library::load_type* load_;
  bench::library::compare_exchange_type* compare_exchange_;
  alignas(64) unsigned char memory_[64]{};
};

__extension__ using word128 = unsigned __int128;

/// The library's functions for 16 aligned bytes.
class called {
 public:
  static constexpr bool has_lock = false;
  explicit called(const bench::library* from)
      : load_(from->function<word128(const void*, int)>("__atomic_load_16")),
        compare_exchange_(
            from->function<bool(void*, void*, word128, int, int)>("__atomic_compare_exchange_16")) {
  }

  head load() { return std::bit_cast<head>(load_(&head_, __ATOMIC_SEQ_CST)); }
  bool compare_exchange(head& expected, const head& wanted) {
    return compare_exchange_(&head_, &expected, std::bit_cast<word128>(wanted), __ATOMIC_SEQ_CST,
                             __ATOMIC_SEQ_CST);
  }

 private:
  word128 (*load_)(const void*, int);
  bool (*compare_exchange_)(void*, void*, word128, int, int);
  alignas(64) head head_;
};

#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
/// The processor's instruction. Its load may be of two halves from different times, as the next
/// compare-exchange finds out.
class inlined {
 public:
  static constexpr bool has_lock = false;
  explicit inlined(const bench::library*) {}

  head load() {
    const auto changes = __atomic_load_n(&words_[1], __ATOMIC_ACQUIRE);
    const auto top = __atomic_load_n(&words_[0], __ATOMIC_ACQUIRE);
    return {std::bit_cast<element*>(top), changes};
  }
  bool compare_exchange(head& expected, const head& wanted) {
    const auto before = std::bit_cast<word128>(expected);
    const word128 seen =
        __sync_val_compare_and_swap(reinterpret_cast<word128*>(static_cast<void*>(words_)), before,
                                    std::bit_cast<word128>(wanted));
    expected = std::bit_cast<head>(seen);
    return seen == before;
  }

 private:
  alignas(64) std::uint64_t words_[2]{};
};
#endif

/// A mutex of the C library.
class pthread_mutex {
 public:
  static constexpr bool has_lock = true;
  explicit pthread_mutex(const bench::library*) {}

  head load() {
    pthread_mutex_lock(&mutex_);
    const head seen = head_;
    pthread_mutex_unlock(&mutex_);
    return seen;
  }
  bool compare_exchange(head& expected, const head& wanted) {
    pthread_mutex_lock(&mutex_);
    const bool equal = head_.top == expected.top && head_.changes == expected.changes;
    if (equal) {
      head_ = wanted;
    } else {
      expected = head_;
    }
    pthread_mutex_unlock(&mutex_);
    return equal;
  }

 private:
  alignas(64) pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  head head_;
};

/// What one thread did.
struct alignas(64) share {
  unsigned long moved = 0;  ///< elements pushed and popped
  unsigned long operations = 0;
  unsigned long failed = 0;
  bool popped_twice = false;
  std::vector<element*> owned{};
};

template <class Head>
class stack {
 public:
  explicit stack(const bench::library* from) : head_(from) {}

  void push(element* one, share& mine, bench::descheduling& owner) {
    if (one->on_stack.load(std::memory_order_relaxed)) mine.popped_twice = true;
    one->on_stack.store(true, std::memory_order_relaxed);
    head seen = load(mine, owner);
    do {
      one->next.store(seen.top, std::memory_order_relaxed);
    } while (!replace(seen, {one, seen.changes + 1}, mine, owner));
    ++mine.moved;
  }

  /// Null where there is none.
  element* pop(share& mine, bench::descheduling& owner) {
    head seen = load(mine, owner);
    do {
      if (seen.top == nullptr) return nullptr;
      // It may be on its way elsewhere by now: then `next` says nothing, and the head has changed.
    } while (!replace(seen, {seen.top->next.load(std::memory_order_relaxed), seen.changes + 1},
                      mine, owner));
    ++mine.moved;
    if (!seen.top->on_stack.load(std::memory_order_relaxed)) mine.popped_twice = true;
    seen.top->on_stack.store(false, std::memory_order_relaxed);
    return seen.top;
  }

 private:
  head load(share& mine, bench::descheduling& owner) {
    owner.decide();
    ++mine.operations;
    return head_.load();
  }
  bool replace(head& seen, const head& wanted, share& mine, bench::descheduling& owner) {
    if constexpr (!Head::has_lock) owner.here();
    owner.decide();
    ++mine.operations;
    const bool done = head_.compare_exchange(seen, wanted);
    mine.failed += !done;
    return done;
  }

  Head head_;
};

template <class Head>
bench::figures measure(const bench::library* from, const bench::arguments& given) {
  const auto common = std::make_unique<stack<Head>>(from);
  const auto threads = static_cast<std::size_t>(given.threads);
  std::vector<element> pool(threads * elements_per_thread);
  std::vector<share> shares(threads);
  for (std::size_t n = 0; n != pool.size(); ++n) {
    shares[n % threads].owned.push_back(&pool[n]);
  }
  bench::deschedule_owners_of_mutexes(from == nullptr || !from->calls_inject());
  const double elapsed = bench::run_threads(
      given.threads, std::chrono::duration<double>(given.seconds),
      [&](int n, const bench::stop_word& stop) {
        bench::descheduling owner(given.descheduled, static_cast<unsigned>(n) + 1);
        std::minstd_rand random(static_cast<unsigned>(n) + 1);
        share mine = std::move(shares[static_cast<std::size_t>(n)]);
        // One element at least, however late the thread comes: a window without any says nothing.
        while (stop.load(std::memory_order_relaxed) == 0 || mine.moved == 0) {
          const auto drawn = random();
          auto count = drawn / 2 % most_at_once + 1;
          if (drawn % 2 == 0) {
            for (; count != 0 && !mine.owned.empty(); --count) {
              common->push(mine.owned.back(), mine, owner);
              mine.owned.pop_back();
            }
          } else {
            for (; count != 0; --count) {
              element* const one = common->pop(mine, owner);
              if (one == nullptr) break;
              mine.owned.push_back(one);
            }
          }
        }
        shares[static_cast<std::size_t>(n)] = std::move(mine);
      });

  std::vector<element*> found;
  share rest;
  bench::descheduling nobody(0, 1);
  while (element* const one = common->pop(rest, nobody)) found.push_back(one);
  double moved = 0, operations = 0, failed = 0;
  std::vector<unsigned long> counts;
  for (const share& one : shares) {
    rest.popped_twice |= one.popped_twice;
    found.insert(found.end(), one.owned.begin(), one.owned.end());
    moved += static_cast<double>(one.moved);
    operations += static_cast<double>(one.operations);
    failed += static_cast<double>(one.failed);
    counts.push_back(one.moved);
  }
  std::sort(found.begin(), found.end());
  const bool twice =
      rest.popped_twice || std::adjacent_find(found.begin(), found.end()) != found.end();
  if (twice || found.size() != pool.size()) {
    std::fprintf(stderr, "lifo: the stack is broken: of %zu elements %zu were found%s\n",
                 pool.size(), found.size(), twice ? ", and some were popped twice" : "");
    std::exit(1);
  }
  const double descheduled = static_cast<double>(bench::descheduled_so_far());
  if (given.descheduled != 0 && descheduled == 0 && operations > 100.0 * given.descheduled) {
    bench::refuse(
        "-f: this library takes its locks by itself and does not say when: it must be"
        " built with code injection");
  }
  return {{"elements_per_second", moved / elapsed},
          {"operations_per_second", operations / elapsed},
          {"failed", failed},
          {"fairness", bench::fairness(counts)},
          {"descheduled", descheduled}};
}

bench::figures measure(const bench::library* from, const bench::arguments& given) {
  const std::string& by = given.choice;
  if (by == "locked") return measure<locked>(from, given);
  if (by == "called") return measure<called>(from, given);
  if (by == "pthread_mutex") return measure<pthread_mutex>(from, given);
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
  return measure<inlined>(from, given);
#else
  bench::refuse("-k inlined: the compiler has no instruction for 16 bytes here");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::arguments given =
      bench::parse(argc, argv,
                   {"lifo", 'k', "[-k HOW]", "[LIBRARY]",
                    "  -k HOW      how the head of the stack is changed: locked (the default) or "
                    "called, by the\n"
                    "              LIBRARY; inlined, by the instruction; pthread_mutex\n"});
  bench::prepare_descheduling(given, argv);
  if (given.choice.empty()) given.choice = "locked";
  const bool by_library = given.choice == "locked" || given.choice == "called";
  if (!by_library && given.choice != "inlined" && given.choice != "pthread_mutex") {
    bench::refuse("-k " + given.choice + ": it is locked, called, inlined or pthread_mutex");
  }
  if (given.rest.size() != (by_library ? 1u : 0u)) {
    bench::refuse(by_library ? "-k " + given.choice + " needs one library: /path/to/libatomic.so.1"
                             : "-k " + given.choice + " needs no library");
  }
  std::vector<bench::library> libraries(given.rest.begin(), given.rest.end());
  const std::string name = by_library ? libraries.front().name() : given.choice;
  const bench::figures found = measure(by_library ? &libraries.front() : nullptr, given);
  std::printf("%s, %d thread%s, %g s: %.4g elements a second pushed and popped\n", name.c_str(),
              given.threads, given.threads == 1 ? "" : "s", given.seconds, found.front().second);
  if (!given.log.empty()) bench::write_figures("lifo", given, given.log, {{name, found}});
}
