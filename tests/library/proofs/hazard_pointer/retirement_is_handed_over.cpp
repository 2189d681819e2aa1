// SPDX-License-Identifier: MIT
//
// What one thread retires another reclaims: it sees the object as it was left, and all of the list.
//
// expect: c++20,c++14,x86,sc=holds
#include <cassert>
#include <thread>

#include "fencepost/hazard_pointer.hpp"

namespace {

struct node : fencepost::hazard_pointer_obj_base<node> {
  explicit node(int n) : value(n) {}
  ~node() { sum += value; }
  int value;
  static int sum;
};
int node::sum = 0;

}  // namespace

int main() {
  std::thread other([] {
    (new node(1))->retire();
    (new node(2))->retire();
  });
  fencepost::hazard_pointer_clean_up();
  other.join();
  fencepost::hazard_pointer_clean_up();
  assert(node::sum == 3);
}
