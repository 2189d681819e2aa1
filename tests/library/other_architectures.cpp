// SPDX-License-Identifier: MIT
//
// A little of everything, for the architectures on which nothing else is run: see test_headers.py.
// Exits with the number of the part that failed.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/barrier_ticket.hpp"
#include "fencepost/concurrent_hash_map.hpp"
#include "fencepost/counting_semaphore.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/hazard_pointer.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/once_flag.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/rcu.hpp"
#include "fencepost/ring.hpp"
#include "fencepost/shared_mutex.hpp"
#include "fencepost/spin_mutex.hpp"

namespace {

constexpr int threads = 4;
constexpr int rounds = 2000;

template <class Mutex>
bool excludes() {
  Mutex mutex;
  int counter = 0;
  std::vector<std::thread> all;
  for (int n = 0; n != threads; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round != rounds; ++round) {
        const std::lock_guard in(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return counter == threads * rounds;
}

struct one_permit {
  void lock() { semaphore.acquire(); }
  void unlock() { semaphore.release(); }
  fencepost::binary_semaphore semaphore{1};
};

/// Two threads that wait for each other's increment in turn.
template <class Count>
bool takes_turns() {
  Count there;
  Count back;
  typename Count::version_type last = 0;
  std::thread other([&] {
    for (unsigned round = 0; round != rounds; ++round) {
      there.wait(round);
      back.increment();
    }
  });
  for (unsigned round = 0; round != rounds; ++round) {
    there.increment();
    last = back.wait(round);
  }
  other.join();
  return last == rounds;
}

template <class Ring>
bool keeps_order() {
  Ring ring(4);
  bool in_order = true;
  std::thread consumer([&] {
    unsigned expected = 0;
    while (const auto element = ring.pop()) in_order &= *element == expected++;
    in_order &= expected == rounds;
  });
  for (unsigned n = 0; n != rounds; ++n) ring.push(n);
  ring.close();
  consumer.join();
  return in_order;
}

template <class Scheme>
struct node : Scheme::template base<node<Scheme>> {
  explicit node(int n) : value(n), copy(n) {}
  ~node() { value = -1; }
  int value;
  int copy;
};

struct by_hazard_pointer {
  template <class T>
  using base = fencepost::hazard_pointer_obj_base<T>;
  using object = node<by_hazard_pointer>;
  by_hazard_pointer() { fencepost::hazard_pointer_garbage_limit(1); }
  template <class Use>
  void read(const std::atomic<object*>& shared, Use use) {
    use(hazard.protect(shared));
  }
  fencepost::hazard_pointer hazard = fencepost::make_hazard_pointer();
};

struct by_rcu {
  template <class T>
  using base = fencepost::rcu_obj_base<T>;
  using object = node<by_rcu>;
  by_rcu() { fencepost::rcu_batch_size(1); }
  template <class Use>
  void read(const std::atomic<object*>& shared, Use use) {
    const std::scoped_lock reading(fencepost::rcu_default_domain());
    use(shared.load(std::memory_order_acquire));
  }
};

/// One thread replaces an object that the others look at.
template <class Scheme>
bool keeps_what_is_read() {
  using object = typename Scheme::object;
  std::atomic<object*> shared{new object(0)};
  std::atomic<bool> whole{true};
  std::vector<std::thread> readers;
  for (int n = 1; n != threads; ++n) {
    readers.emplace_back([&] {
      Scheme scheme;
      for (bool over = false; !over;) {
        scheme.read(shared, [&](const object* seen) {
          over = seen == nullptr;
          if (!over && seen->value != seen->copy) whole = false;
        });
      }
    });
  }
  for (int round = 0; round != rounds; ++round) shared.exchange(new object(round))->retire();
  shared.exchange(nullptr)->retire();
  for (std::thread& reader : readers) reader.join();
  return whole;
}

/// One thread makes a map grow and shrink, the others look for what stays.
bool finds_what_stays() {
  fencepost::concurrent_hash_map<int, int> map;
  for (int key = 0; key != threads; ++key) map.insert({key, -key});
  std::atomic<bool> all{true};
  std::atomic<bool> over{false};
  std::vector<std::thread> readers;
  for (int n = 1; n != threads; ++n) {
    readers.emplace_back([&, n] {
      while (!over) {
        if (map.find(n) != -n) all = false;
      }
    });
  }
  for (int key = threads; key != rounds; ++key) map.insert({key, 0});
  for (int key = threads; key != rounds; ++key) map.erase(key);
  map.rehash(0);
  over = true;
  for (std::thread& reader : readers) reader.join();
  return all && map.size() == threads;
}

bool is_done_once() {
  int calls = 0;
  for (int round = 0; round != rounds / threads; ++round) {
    fencepost::once_flag flag;
    const auto need = [&] { fencepost::call_once(flag, [&] { ++calls; }); };
    std::thread other(need);
    need();
    if (calls != round + 1) return false;
    other.join();
  }
  return true;
}

bool redeems_tickets() {
  auto ticket = fencepost::barrier_ticket::begin();
  fencepost::barrier_check_in();
  ticket.wait_for(std::chrono::milliseconds(1));
  return ticket.ready();
}

}  // namespace

int main() {
  namespace protocol = fencepost::protocol;
  const bool good[] = {
      excludes<fencepost::mutex>(),
      excludes<fencepost::futex_mutex>(),
      excludes<fencepost::shared_mutex>(),
      excludes<fencepost::spin_mutex>(),
      excludes<one_permit>(),
      excludes<fencepost::event_mutex<>>(),
      excludes<fencepost::event_mutex<protocol::exchange>>(),
      excludes<fencepost::event_mutex<protocol::asymmetric>>(),
      takes_turns<fencepost::event_count>(),
      takes_turns<fencepost::event_count64>(),
      takes_turns<fencepost::single_producer_event_count>(),
      takes_turns<fencepost::two_word_event_count>(),
      keeps_order<fencepost::spsc_ring<unsigned>>(),
      keeps_order<fencepost::mpmc_ring<unsigned>>(),
      keeps_what_is_read<by_hazard_pointer>(),
      keeps_what_is_read<by_rcu>(),
      finds_what_stays(),
      is_done_once(),
      redeems_tickets(),
  };
  int part = 0;
  for (const bool one : good) {
    ++part;
    if (!one) return part;
  }
  return 0;
}
