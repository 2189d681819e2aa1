// SPDX-License-Identifier: MIT
//
// An account that knows when it is used for the last time: whoever gives it up last destroys it,
// with the mutex inside, while another may still be returning from unlock().
#include "fencepost/mutex.hpp"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

class account {
 public:
  explicit account(int users) : users_(users) {}

  void deposit(long amount) {
    const std::lock_guard in(door_);
    balance_ += amount;
  }

  /// Somebody may hold the mutex for long: give up after a while.
  bool withdraw(long amount) {
    const std::unique_lock in(door_, 100ms);
    if (!in.owns_lock() || balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }

  /// Returns the balance to the last user, who must destroy the account, and -1 to the others.
  long give_up() {
    const std::lock_guard in(door_);
    return --users_ == 0 ? balance_ : -1;
  }

 private:
  fencepost::mutex door_;  // four bytes
  int users_;
  long balance_ = 0;
};

}  // namespace

int main() {
  constexpr int users = 4;
  auto* const ours = new account(users);
  long last_balance = 0;
  std::vector<std::thread> threads;
  for (int n = 0; n != users; ++n) {
    threads.emplace_back([&] {
      for (int m = 0; m != 1000; ++m) ours->deposit(2);
      for (int m = 0; m != 1000; ++m) {
        while (!ours->withdraw(1)) std::this_thread::yield();
      }
      if (const long balance = ours->give_up(); balance >= 0) {
        last_balance = balance;
        delete ours;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  std::printf("left in the account: %ld\n", last_balance);
  return last_balance == users * 1000 ? 0 : 1;
}
