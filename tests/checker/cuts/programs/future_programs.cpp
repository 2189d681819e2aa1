// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) around one promise, and one object
// of which each thread has a std::shared_ptr:
//
//   s     keep the promise, which one thread does once at most
//   w     wait for its future       o     ask whether that is ready      l     wait with a limit
//   u     read the object           v     write it
//   d     let go of it: whoever is the last reads it, and stores in x
#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <optional>

#include "spelled_programs.h"

namespace {

struct Object {
  int value = 0;
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { __atomic_store_n(&places[0], 5 + value % 2, __ATOMIC_RELAXED); }
};

std::promise<void> promise;
std::optional<std::shared_future<void>> future;
std::shared_ptr<Object> owners[MOST];

}  // namespace

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case 's':
        promise.set_value();
        break;
      case 'w':
        future->wait();
        break;
      case 'o':
      case 'l': {
        const std::chrono::seconds limit(*at == 'o' ? 0 : 1);
        found_out(&found, future->wait_for(limit) == std::future_status::ready ? 1 : 0);
        break;
      }
      case 'u':
        if (owners[t]) found_out(&found, static_cast<unsigned long>(owners[t]->value));
        break;
      case 'v':
        if (owners[t]) owners[t]->value = t + 1;
        break;
      case 'd':
        owners[t].reset();
        break;
      default:
        access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  future.emplace(promise.get_future());
  const auto threads = 1 + std::count(argv[1], argv[1] + std::strlen(argv[1]), '/');
  std::fill_n(owners, threads, std::make_shared<Object>());
  run_all(argv[1]);
  return 0;
}
