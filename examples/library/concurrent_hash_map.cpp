// SPDX-License-Identifier: MIT
//
// Sessions of a server: every request looks its session up and counts itself, some log in or out,
// and now and then somebody walks over all of them. No lookup ever waits.
#include "fencepost/concurrent_hash_map.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

struct session {
  std::string user;
  long requests = 0;
};

fencepost::concurrent_hash_map<int, session> sessions;

constexpr int workers = 3;
constexpr int lasting = 10;  // sessions that nobody ends
constexpr int requests = 3000;

/// Whether a session was there, and was a whole one.
bool is_served(int key) {
  bool is_whole = false;
  sessions.visit(key, [&](const auto& one) {
    is_whole = one.second.user == "user " + std::to_string(one.first);
  });
  return is_whole && sessions.modify(key, [](session& changed) { ++changed.requests; });
}

}  // namespace

int main() {
  for (int key = 0; key != lasting; ++key) {
    sessions.try_emplace(key, session{"user " + std::to_string(key)});
  }
  std::atomic<bool> good{true};
  std::vector<std::thread> all;
  for (int worker = 1; worker <= workers; ++worker) {
    all.emplace_back([&, worker] {
      for (int n = 0; n != requests; ++n) {
        const int own = worker * 100'000 + n;  // makes the map grow under the others
        sessions.insert_or_assign(own, session{"user " + std::to_string(own)});
        if (!is_served(n % lasting) || !is_served(own)) good = false;
        if (n % 2 == 0) sessions.erase(own);
      }
    });
  }
  for (std::thread& worker : all) worker.join();
  long served = 0;
  sessions.for_each(
      [&](const auto& one) { served += one.first < lasting ? one.second.requests : 0; });
  std::printf("%ld requests to %d sessions, %zu others, %zu buckets\n", served, lasting,
              sessions.size() - lasting, sessions.bucket_count());
  return good && served == workers * requests && sessions.size() == lasting + workers * requests / 2
             ? 0
             : 1;
}
