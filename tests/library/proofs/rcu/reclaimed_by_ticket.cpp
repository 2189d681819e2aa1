// SPDX-License-Identifier: MIT
//
// What is read in a region is not reclaimed before it is closed where no heavy fence is executed
// but by interrupts: the reader's processor has one before the region, in it or behind it, and the
// next batch finds the ticket of the first one ready, or not.
#include <atomic>
#include <cassert>
#include <thread>

#include "../barrier_ticket/clock.hpp"
#include "fencepost/rcu.hpp"

namespace {

struct node : fencepost::rcu_obj_base<node> {
  explicit node(int n) : value(n) {}
  int value;
};

std::atomic<node*> shared{nullptr};
std::atomic<int> when{0};

fencepost::rcu_domain& domain() {
  static fencepost::rcu_domain by_tickets(
      reinterpret_cast<const fencepost::interrupt_clock*>(&proof::clock_lines[0]));
  return by_tickets;
}

void look() {
  const int chosen = when.load(std::memory_order_relaxed);
  if (chosen == 0) proof::interrupt();
  {
    const fencepost::rcu_region reading(domain());
    if (chosen == 1) proof::interrupt();
    const node* const seen = shared.load(std::memory_order_acquire);
    if (chosen == 2) proof::interrupt();
    assert(seen->value == 1 || seen->value == 2);
  }
  if (chosen == 3) proof::interrupt();
}

void choose() {
  for (int moment = 1; moment != 4; ++moment) when.store(moment, std::memory_order_relaxed);
}

}  // namespace

int main() {
  fencepost::rcu_batch_size(1, domain());
  shared.store(new node(1), std::memory_order_relaxed);
  std::thread reader(look);
  std::thread chooser(choose);
  std::thread clock([] { proof::time_passes(nullptr); });
  node* const old = shared.exchange(new node(2), std::memory_order_release);
  old->retire({}, domain());
  (new node(3))->retire({}, domain());
  reader.join();
  chooser.join();
  clock.join();
}
