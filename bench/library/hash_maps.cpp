// SPDX-License-Identifier: MIT
//
// How many operations a second do 1, 2, 4 and 8 threads get done on one hash map, when all of them
// look up, when 5 in 100 change the map, and when half do?
//
// Keys and values are numbers of 64 bits. Of 131,072 keys half are in the map, and as many stay on
// average; each operation is of a key drawn at random, so half of the lookups find something. Maps
// have room from the start. All hash in the same way (peers/hash_map.h). Readers of liburcu's qsbr
// flavour announce their quiet moments every 64 operations; papaya_pinned has one guard for as
// many, where the others protect each operation; and fencepost_concurrent_hash_map_64_at_a_time
// looks up together what of 64 operations are lookups. Thread n runs on processor n, round and
// round.
//
// Two more say how quick lookups can be, and nothing may change meanwhile: with unsynchronised_absl
// it is absl::flat_hash_map, of which no thread knows of the others; no_map is what it costs to
// draw a key, to hash it and to take a jump that nobody can foresee.
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#ifdef BENCH_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif

#include "fencepost/concurrent_hash_map.hpp"
#include "peers/hash_map.h"
#include "resources.hpp"
#include "subject.hpp"
#include "threads.hpp"

namespace {

constexpr std::uint64_t keys = 1 << 17;

struct hash_of_number {
  std::size_t operator()(std::uint64_t key) const noexcept { return hash_of_key(key); }
};

void look_at(std::uint64_t value) { asm volatile("" ::"r"(value)); }

/// A map of C++: Map has lookup(key), insert(key) and erase(key). Each thread has a View of it.
template <class Map, class View = Map&>
class loops {
 public:
  loops() {
    for (std::uint64_t key = 0; key < keys; key += 2) map_.insert(key);
  }

  [[gnu::noinline]] std::uint64_t work(const bench::stop_word& stop, std::uint64_t seed,
                                       std::uint64_t lookups) {
    View map(map_);
    std::uint64_t done = 0;
    while (stop.load(std::memory_order_relaxed) == 0) {
      for (int n = 0; n != 64; ++n) {
        seed ^= seed >> 12;
        seed ^= seed << 25;
        seed ^= seed >> 27;
        const std::uint64_t drawn = seed * UINT64_C(0x2545F4914F6CDD1D);
        const std::uint64_t key = (drawn >> 32) * keys >> 32;
        if ((drawn & 1023) < lookups) {
          map.lookup(key);
        } else if ((drawn & 1024) != 0) {
          map.insert(key);
        } else {
          map.erase(key);
        }
      }
      if constexpr (requires { map.look_up_those(); }) map.look_up_those();
      done += 64;
    }
    return done;
  }

 private:
  Map map_;
};

struct ours {
  fencepost::concurrent_hash_map<std::uint64_t, std::uint64_t, hash_of_number> map{keys / 2};
  void lookup(std::uint64_t key) const {
    map.visit(key, [](const auto& one) { look_at(one.second); });
  }
  void insert(std::uint64_t key) { map.try_emplace(key, key); }
  void erase(std::uint64_t key) { map.erase(key); }
};

/// For one thread: what is looked up is looked up when 64 operations have been drawn.
class ours_64_at_a_time {
 public:
  explicit ours_64_at_a_time(ours& map) : map_(map) {}
  void lookup(std::uint64_t key) { keys_[count_++] = key; }
  void insert(std::uint64_t key) { map_.insert(key); }
  void erase(std::uint64_t key) { map_.erase(key); }
  void look_up_those() {
    map_.map.visit(keys_, keys_ + count_, [](const auto& one) { look_at(one.second); });
    count_ = 0;
  }

 private:
  ours& map_;
  std::size_t count_ = 0;
  std::uint64_t keys_[64];
};

struct no_map {
  void lookup(std::uint64_t key) const {
    if (const std::uint64_t hash = hash_of_key(key); (hash & 1) != 0) look_at(hash);
  }
  void insert(std::uint64_t) {}
  void erase(std::uint64_t) {}
};

#ifdef BENCH_ABSEIL
struct unsynchronised_absl {
  absl::flat_hash_map<std::uint64_t, std::uint64_t, hash_of_number> map{keys / 2};
  void lookup(std::uint64_t key) const {
    const auto found = map.find(key);
    if (found != map.end()) look_at(found->second);
  }
  void insert(std::uint64_t key) { map.try_emplace(key, key); }
  void erase(std::uint64_t key) { map.erase(key); }
};
#endif

struct under_shared_mutex {
  std::unordered_map<std::uint64_t, std::uint64_t, hash_of_number> map{keys / 2};
  mutable std::shared_mutex mutex;
  void lookup(std::uint64_t key) const {
    const std::shared_lock in(mutex);
    const auto found = map.find(key);
    if (found != map.end()) look_at(found->second);
  }
  void insert(std::uint64_t key) {
    const std::lock_guard in(mutex);
    map.try_emplace(key, key);
  }
  void erase(std::uint64_t key) {
    const std::lock_guard in(mutex);
    map.erase(key);
  }
};

/// A peer whose loop is compiled in another language: the functions that belong to it.
template <class Map, Map* New(std::uint64_t), void Delete(Map*),
          std::uint64_t Work(Map*, const std::uint32_t*, std::uint64_t, std::uint64_t,
                             std::uint64_t)>
class foreign_loops {
 public:
  std::uint64_t work(const bench::stop_word& stop, std::uint64_t seed, std::uint64_t lookups) {
    return Work(map_.get(), reinterpret_cast<const std::uint32_t*>(&stop), seed, keys, lookups);
  }

 private:
  struct deleter {
    void operator()(Map* map) const { Delete(map); }
  };
  std::unique_ptr<Map, deleter> map_{New(keys)};
};

template <class Contestant>
double work(benchmark::State& state, int threads, std::uint64_t lookups) {
  const auto contestant = std::make_unique<Contestant>();
  std::vector<std::uint64_t> done(static_cast<std::size_t>(threads));
  const bench::resources used;
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        const auto number = static_cast<std::uint64_t>(n);
        done[number] = contestant->work(stop, hash_of_key(number + 1), lookups);
      });
  state.counters["operations_per_second"] = used.report(state, done) / elapsed;
  return elapsed;
}

struct mix {
  const char* name;
  std::uint64_t lookups;  // of 1024
};
constexpr mix mixes[] = {{"lookups_100", 1024}, {"lookups_95", 973}, {"lookups_50", 512}};

template <class Contestant>
void contend(const std::string& name, bool may_change = true) {
  for (const mix& one : mixes) {
    if (!may_change && one.lookups != 1024) continue;
    for (const int threads : {1, 2, 4, 8}) {
      bench::register_window(
          std::string(one.name) + "/threads:" + std::to_string(threads) + "/" + name,
          [=](benchmark::State& state) { return work<Contestant>(state, threads, one.lookups); });
    }
  }
}

}  // namespace

void bench::register_benchmarks() {
  contend<loops<ours>>("fencepost_concurrent_hash_map");
  contend<loops<ours, ours_64_at_a_time>>("fencepost_concurrent_hash_map_64_at_a_time");
  contend<loops<under_shared_mutex>>("std_shared_mutex");
  contend<loops<no_map>>("no_map", false);
#ifdef BENCH_ABSEIL
  contend<loops<unsynchronised_absl>>("unsynchronised_absl", false);
#endif
#define BENCH_FOREIGN(name) \
  contend<foreign_loops<name##_map, name##_new, name##_delete, name##_work>>(#name)
#ifdef BENCH_URCU
  BENCH_FOREIGN(urcu_memb_lfht);
  BENCH_FOREIGN(urcu_qsbr_lfht);
#endif
#ifdef BENCH_RUST
  BENCH_FOREIGN(dashmap);
  BENCH_FOREIGN(papaya);
  BENCH_FOREIGN(papaya_pinned);
  BENCH_FOREIGN(scc_hash_index);
#endif
#undef BENCH_FOREIGN
}
