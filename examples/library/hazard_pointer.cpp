// SPDX-License-Identifier: MIT
//
// Settings that are read all the time and now and then replaced: readers neither lock nor count,
// and the old ones are deleted when nobody is reading them.
#include "fencepost/hazard_pointer.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::atomic<int> alive{0};

struct settings : fencepost::hazard_pointer_obj_base<settings> {
  settings(int n, std::string text) : version(n), name(std::move(text)) { ++alive; }
  ~settings() { --alive; }
  int version;
  std::string name;
};

std::atomic<settings*> current{nullptr};

/// Reads until it has seen the last version; false if what it read was not whole.
bool read_until(int last) {
  auto reader = fencepost::make_hazard_pointer();
  for (;;) {
    const settings* const now = reader.protect(current);
    if (now->name != "version " + std::to_string(now->version)) return false;
    if (now->version == last) return true;
    reader.reset_protection();
  }
}

}  // namespace

int main() {
  constexpr int last = 10'000;
  current.store(new settings(0, "version 0"), std::memory_order_release);
  std::atomic<bool> all_whole{true};
  std::vector<std::thread> readers;
  for (int n = 0; n != 3; ++n) {
    readers.emplace_back([&] {
      if (!read_until(last)) all_whole = false;
    });
  }
  for (int version = 1; version <= last; ++version) {
    auto* const fresh = new settings(version, "version " + std::to_string(version));
    settings* const old = current.exchange(fresh, std::memory_order_acq_rel);
    old->retire();  // deleted when no reader is on it
  }
  for (std::thread& reader : readers) reader.join();
  current.exchange(nullptr)->retire();
  fencepost::hazard_pointer_clean_up();
  std::printf("%d settings were replaced, %d are left\n", last, alive.load());
  return all_whole && alive == 0 ? 0 : 1;
}
