// SPDX-License-Identifier: MIT
//
// Two threads that take two locks in different orders, and what the diagnostics say of it. The
// second try is timed, so that the program ends.
#include "fencepost/diagnostics.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "fencepost/mutex.hpp"

namespace {

using namespace std::chrono_literals;
using mutex = fencepost::basic_mutex<fencepost::diagnostics::recorded>;

mutex accounts;
mutex journal;
std::atomic<int> holding{0};
std::atomic<bool> found{false};

void transfer(mutex& first, mutex& second) {
  first.lock();
  ++holding;
  while (holding < 2) std::this_thread::yield();
  bool both = false;
  while (!both && !found) both = second.try_lock_for(50ms);
  if (both) second.unlock();
  first.unlock();
}

}  // namespace

int main() {
  namespace diagnostics = fencepost::diagnostics;
  diagnostics::name(&accounts, "accounts");
  diagnostics::name(&journal, "journal");

  std::thread one(transfer, std::ref(accounts), std::ref(journal));
  std::thread other(transfer, std::ref(journal), std::ref(accounts));
  while (diagnostics::deadlocks().empty()) std::this_thread::sleep_for(1ms);
  diagnostics::write(stdout);
  found = true;
  one.join();
  other.join();
  return 0;
}
