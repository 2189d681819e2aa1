// SPDX-License-Identifier: MIT
//
// A routing table that every request reads and an administrator changes: readers write nothing that
// others read, and an old table is deleted when the requests that use it are through.
#include "fencepost/rcu.hpp"

#include <atomic>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::atomic<int> tables{0};

struct table : fencepost::rcu_obj_base<table> {
  explicit table(std::map<std::string, int> all) : routes(std::move(all)) { ++tables; }
  ~table() { --tables; }
  const std::map<std::string, int> routes;
};

std::atomic<table*> current{nullptr};

/// Where a request goes; of one table, whatever happens meanwhile.
bool is_consistent() {
  const fencepost::rcu_region reading;
  const table* const now = current.load(std::memory_order_acquire);
  return now->routes.at("a") == now->routes.at("b");
}

}  // namespace

int main() {
  current.store(new table({{"a", 0}, {"b", 0}}), std::memory_order_release);
  std::atomic<bool> over{false};
  std::atomic<bool> good{true};
  std::vector<std::thread> requests;
  for (int n = 0; n != 3; ++n) {
    requests.emplace_back([&] {
      while (!over) {
        if (!is_consistent()) good = false;
      }
    });
  }
  constexpr int changes = 3000;
  for (int n = 1; n <= changes; ++n) {
    auto* const changed = new table({{"a", n}, {"b", n}});
    current.exchange(changed, std::memory_order_acq_rel)->retire();
  }
  over = true;
  for (std::thread& request : requests) request.join();
  current.exchange(nullptr)->retire();
  fencepost::rcu_barrier();
  std::printf("%d changes, %d tables left\n", changes, tables.load());
  return good && tables == 0 ? 0 : 1;
}
