// SPDX-License-Identifier: MIT
//
// How many operations a second do threads get done on one object of 24 bytes that all of them
// share? No instruction serves it, so each operation goes through the library's locks.
//
// Each library has the object for one window, then the next library. Afterwards the object must
// hold what all successful operations together have made of it.
//
//   load_and_compare_exchange  what a program does that changes an object: load, then try to
//                              replace what was seen
//   exchange                   one lock for each operation, whatever the library does for loads
//
// Counters, for each library: operations_per_second, fairness (the fewest of a thread over the
// most), descheduled (how often an owner of a lock was).
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "descheduling.hpp"
#include "figures.hpp"
#include "library.hpp"
#include "threads.hpp"

namespace {

using bench::library;

/// Three words that belong together: whoever sees two of different operations has seen it torn.
struct three_words {
  std::array<std::uint64_t, 3> word{};

  static three_words of(std::uint64_t n) { return {{n, ~n, n * 3}}; }
  bool is_whole() const { return word[1] == ~word[0] && word[2] == word[0] * 3; }
};
static_assert(sizeof(three_words) == 24);

[[noreturn]] void complain(const library& from, const char* what) {
  std::fprintf(stderr, "contended: %s: %s\n", from.name().c_str(), what);
  std::exit(1);
}

struct alignas(64) shared_object {
  three_words value = three_words::of(0);
};

/// What one thread did.
struct alignas(64) share {
  unsigned long operations = 0;
  std::uint64_t added = 0;  ///< to the first word
  bool torn = false;
};

struct load_and_compare_exchange {
  library::load_type* load;
  library::compare_exchange_type* compare_exchange;
  explicit load_and_compare_exchange(const library& from)
      : load(from.function<library::load_type>("__atomic_load")),
        compare_exchange(
            from.function<library::compare_exchange_type>("__atomic_compare_exchange")) {}

  void operator()(shared_object& object, bench::descheduling& owner, share& mine) const {
    three_words seen;
    owner.decide();
    load(sizeof seen, &object, &seen, __ATOMIC_SEQ_CST);
    mine.torn |= !seen.is_whole();
    const three_words wanted = three_words::of(seen.word[0] + 1);
    owner.decide();
    mine.added +=
        compare_exchange(sizeof seen, &object, &seen, &wanted, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    mine.operations += 2;
  }
};

/// Each thread exchanges the count that it has for the one that is there: none is lost, so their
/// sum stays what it was.
struct exchange {
  library::exchange_type* swap;
  explicit exchange(const library& from)
      : swap(from.function<library::exchange_type>("__atomic_exchange")) {}

  void operator()(shared_object& object, bench::descheduling& owner, share& mine) const {
    const three_words put = three_words::of(mine.added + 1);
    three_words got;
    owner.decide();
    swap(sizeof put, &object, &put, &got, __ATOMIC_SEQ_CST);
    mine.torn |= !got.is_whole();
    mine.added = got.word[0];
    ++mine.operations;
  }
  /// Every operation adds one to what its thread holds or puts into the object.
  static std::uint64_t expected(const std::vector<share>& all, const three_words& left) {
    std::uint64_t operations = 0;
    std::uint64_t held = left.word[0];
    for (const share& one : all) {
      operations += one.operations;
      held += one.added;
    }
    return operations - held;
  }
};

template <class Work>
bench::figures measure(const library& from, const bench::arguments& given) {
  const Work work(from);
  const auto object = std::make_unique<shared_object>();
  std::vector<share> shares(static_cast<std::size_t>(given.threads));
  bench::deschedule_owners_of_mutexes(!from.calls_inject());
  const unsigned long before = bench::descheduled_so_far();
  const double elapsed = bench::run_threads(
      given.threads, std::chrono::duration<double>(given.seconds),
      [&](int n, const bench::stop_word& stop) {
        bench::descheduling owner(given.descheduled, static_cast<unsigned>(n) + 1);
        share mine;
        // Once at least, however late the thread comes: a window without any says nothing.
        do work(*object, owner, mine);
        while (stop.load(std::memory_order_relaxed) == 0);
        shares[static_cast<std::size_t>(n)] = mine;
      });
  std::uint64_t wrong = 0;
  if constexpr (requires { Work::expected(shares, object->value); }) {
    wrong = Work::expected(shares, object->value);
  } else {
    wrong = object->value.word[0];
    for (const share& one : shares) wrong -= one.added;
  }
  const bool torn =
      !object->value.is_whole() ||
      std::any_of(shares.begin(), shares.end(), [](const share& one) { return one.torn; });
  if (torn) complain(from, "an object of 24 bytes was seen half changed");
  if (wrong != 0) complain(from, "changes of an object were lost");

  double operations = 0;
  std::vector<unsigned long> counts;
  for (const share& one : shares) {
    operations += static_cast<double>(one.operations);
    counts.push_back(one.operations);
  }
  const double descheduled = static_cast<double>(bench::descheduled_so_far() - before);
  if (given.descheduled != 0 && descheduled == 0 && operations > 100.0 * given.descheduled) {
    bench::refuse("-f: " + from.name() +
                  " takes its locks by itself and does not say when: it must be built with"
                  " code injection");
  }
  return {{"operations_per_second", operations / elapsed},
          {"fairness", bench::fairness(counts)},
          {"descheduled", descheduled}};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given =
      bench::parse(argc, argv,
                   {"contended", 'w', "[-w WORK]", "NAME=LIBRARY...",
                    "  -w WORK     load_and_compare_exchange (the default) or exchange\n"
                    "Each library, in turn, has one object of 24 bytes that all threads share.\n"});
  bench::prepare_descheduling(given, argv);
  const std::string& work = given.choice;
  if (!work.empty() && work != "load_and_compare_exchange" && work != "exchange") {
    bench::refuse("-w " + work + ": it is load_and_compare_exchange or exchange");
  }
  if (given.rest.empty()) bench::refuse("which library? NAME=/path/to/libatomic.so.1");
  std::vector<std::pair<std::string, bench::figures>> all;
  const std::vector<library> libraries(given.rest.begin(), given.rest.end());
  for (const library& one : libraries) {
    all.emplace_back(one.name(), work == "exchange"
                                     ? measure<exchange>(one, given)
                                     : measure<load_and_compare_exchange>(one, given));
  }
  bench::write_figures("contended", given, given.log.empty() ? "-" : given.log, all);
}
