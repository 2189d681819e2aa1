// SPDX-License-Identifier: MIT
// Lists and trees, whose nodes the C++ library links in functions of its own, out of line. One
// thread alone finds them as they should be; one that looks while another changes them is a data
// race.
//
// case: one_thread
// flags: -DALONE
// expect: sc=holds executions=1
//
// case: a_map_searched
// flags: -DSEARCHED
// expect: all=data-race
//
// case: a_set_walked_through
// flags: -DWALKED
// expect: all=data-race
//
// case: a_list_walked_through
// flags: -DLIST
// expect: all=data-race
//
// case: a_list_that_is_reversed
// flags: -DREVERSED
// expect: all=data-race
//
// case: under_a_lock
// flags: -DWALKED -DLOCKED
// expect: all=holds
#include <algorithm>
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#ifdef ALONE

using node = std::_Rb_tree_node_base;

// How many black nodes there are on each way down.
static int black_height(const node* n) {
  if (n == nullptr) return 1;
  const bool red = n->_M_color == std::_S_red;
  for (const node* below : {n->_M_left, n->_M_right}) {
    if (below == nullptr) continue;
    assert(below->_M_parent == n);
    assert(!red || below->_M_color == std::_S_black);
  }
  const int height = black_height(n->_M_left);
  assert(height == black_height(n->_M_right));
  return height + (red ? 0 : 1);
}

static void is_as_it_should_be(const std::set<int>& tree, const std::vector<int>& members) {
  assert(std::equal(tree.begin(), tree.end(), members.begin(), members.end()));
  assert(std::equal(tree.rbegin(), tree.rend(), members.rbegin(), members.rend()));
  const node* const header = tree.end()._M_node;
  assert(header->_M_parent == nullptr || header->_M_parent->_M_color == std::_S_black);
  black_height(header->_M_parent);
}

static void trees() {
  unsigned random = 1;
  const auto next = [&](unsigned below) {
    return (random = random * 1103515245 + 12345) / 65536 % below;
  };
  std::set<int> tree;
  std::vector<int> members;
  for (int round = 0; round < 400; ++round) {
    const int value = static_cast<int>(next(40));
    const auto place = std::lower_bound(members.begin(), members.end(), value);
    if (place != members.end() && *place == value) {
      members.erase(place);
      tree.erase(value);
    } else {
      members.insert(place, value);
      tree.insert(value);
    }
    is_as_it_should_be(tree, members);
  }
}

static void lists() {
  std::list<int> one{1, 2, 3};
  std::list<int> another;
  one.swap(another);
  assert(one.empty() && (another == std::list{1, 2, 3}));
  one.swap(another);
  assert((one == std::list{1, 2, 3}) && another.empty());
  another = {7, 8};
  one.swap(another);
  assert((one == std::list{7, 8}) && (another == std::list{1, 2, 3}));
  another.splice(another.begin(), one, one.begin());
  assert((one == std::list{8}) && (another == std::list{7, 1, 2, 3}));
  another.splice(std::next(another.begin()), another, std::prev(another.end()));
  assert((another == std::list{7, 3, 1, 2}));
  another.splice(another.begin(), another, another.begin());
  assert((another == std::list{7, 3, 1, 2}));
  another.reverse();
  assert((another == std::list{2, 1, 3, 7}));
  another.sort();
  assert((another == std::list{1, 2, 3, 7}));
  another.erase(another.begin());
  another.pop_back();
  assert((another == std::list{2, 3}));
  one.merge(another);
  assert((one == std::list{2, 3, 8}) && another.empty());
  std::list<int> none;
  none.reverse();
  none.swap(another);
  assert(none.empty() && another.empty());
}

int main() {
  trees();
  lists();
}

#else

#ifdef LOCKED
static std::mutex mutex;
#define IN_TURN const std::lock_guard in(mutex)
#else
#define IN_TURN
#endif

#if defined(SEARCHED)
static std::map<int, int> shared{{1, 1}, {2, 2}, {3, 3}};
static void change() { shared.emplace(4, 4); }
static int look() { return static_cast<int>(shared.count(4)); }
#elif defined(WALKED)
static std::set<int> shared{1, 2, 3};
static void change() {
  IN_TURN;
  shared.extract(2);
}
static int look() {
  IN_TURN;
  int sum = 0;
  for (const int one : shared) sum += one;
  return sum;
}
#elif defined(LIST)
static std::list<int> shared{1, 2, 3};
static void change() { shared.push_back(4); }
static int look() {
  int sum = 0;
  for (const int one : shared) sum += one;
  return sum;
}
#else
static std::list<int> shared{1, 2, 3};
static void change() { shared.reverse(); }
static int look() { return shared.front(); }
#endif

int main() {
  std::thread other(change);
  static volatile int seen;
  seen = look();
  other.join();
}

#endif
