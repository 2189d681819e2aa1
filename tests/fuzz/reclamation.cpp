// SPDX-License-Identifier: MIT
// Hazard pointers, RCU and SRCU, by one thread: nothing is reclaimed that is protected, nothing
// twice, and in the end all is.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "choices.hpp"
#include "fencepost/hazard_pointer.hpp"
#include "fencepost/rcu.hpp"
#include "fencepost/srcu.hpp"

namespace {

using fuzz::choices;
using fuzz::expect;

constexpr unsigned places = 4;

/// What is known of the objects that were made in this run.
struct record {
  std::vector<bool> is_reclaimed;
  std::size_t reclaimed = 0;

  std::size_t enter() {
    is_reclaimed.push_back(false);
    return is_reclaimed.size() - 1;
  }
  void reclaim(std::size_t number) {
    expect(!is_reclaimed[number]);
    is_reclaimed[number] = true;
    ++reclaimed;
  }
};

// ---- Hazard pointers.

struct hazard_node;
struct hazard_deleter {
  record* all = nullptr;
  hazard_node* last = nullptr;  // retired by the deleter
  void operator()(hazard_node* node) const noexcept;
};
struct hazard_node : fencepost::hazard_pointer_obj_base<hazard_node, hazard_deleter> {
  explicit hazard_node(record& all) : number(all.enter()) {}
  std::size_t number;
};
void hazard_deleter::operator()(hazard_node* node) const noexcept {
  all->reclaim(node->number);
  delete node;
  if (last != nullptr) last->retire({all, nullptr});
}

void with_hazard_pointers(choices& input) {
  record all;
  fencepost::hazard_pointer_garbage_limit(1 + input.below(8));
  {
    std::array<std::atomic<hazard_node*>, places> shared{};
    struct holder {
      fencepost::hazard_pointer pointer;
      hazard_node* protects = nullptr;
    };
    std::array<holder, places> held;
    const auto is_there = [&](const holder& one) {
      if (one.protects != nullptr) expect(!all.is_reclaimed[one.protects->number]);
    };
    while (input.more()) {
      const unsigned what = input.byte();
      holder& one = held[what / 16 % places];
      holder& other = held[what / 64 % places];
      std::atomic<hazard_node*>& place = shared[input.below(places)];
      switch (what % 16) {
        case 0:
        case 1:
        case 2: {
          hazard_node* const old = place.exchange(new hazard_node(all));
          if (old != nullptr) old->retire({&all, nullptr});
          break;
        }
        case 3: {
          hazard_node* const old = place.exchange(nullptr);
          if (old != nullptr) old->retire({&all, new hazard_node(all)});
          break;
        }
        case 4:
          one = {fencepost::make_hazard_pointer(), nullptr};
          break;
        case 5:
        case 6:
          if (!one.pointer.empty()) one.protects = one.pointer.protect(place);
          break;
        case 7:
          if (!one.pointer.empty()) {
            hazard_node* seen = other.protects;
            const bool is_the_same = seen == place.load();
            expect(one.pointer.try_protect(seen, place) == is_the_same);
            expect(seen == place.load());
            one.protects = is_the_same ? seen : nullptr;
          }
          break;
        case 8:
          if (!one.pointer.empty()) {
            one.pointer.reset_protection();
            one.protects = nullptr;
          }
          break;
        case 9:
          if (!one.pointer.empty()) {
            // It is protected by the other one, or not retired yet.
            hazard_node* const what_it_may = other.protects;
            one.pointer.reset_protection(what_it_may);
            one.protects = what_it_may;
          }
          break;
        case 10:
          one.pointer.swap(other.pointer);
          std::swap(one.protects, other.protects);
          break;
        case 11:
          if (&one != &other) {
            one.pointer = std::move(other.pointer);
            one.protects = std::exchange(other.protects, nullptr);
            expect(other.pointer.empty());
          }
          break;
        case 12:
          one = {};
          break;
        case 13:
          fencepost::hazard_pointer_garbage_limit(input.extreme<std::size_t>());
          break;
        default:
          fencepost::hazard_pointer_clean_up();
      }
      for (const holder& each : held) is_there(each);
    }
    for (std::atomic<hazard_node*>& place : shared) {
      if (hazard_node* const left = place.load()) left->retire({&all, nullptr});
    }
    fencepost::hazard_pointer_clean_up();
    for (const holder& each : held) is_there(each);
  }
  fencepost::hazard_pointer_clean_up();
  expect(all.reclaimed == all.is_reclaimed.size());
}

// ---- RCU and SRCU.

template <class Domain>
struct region_of {
  using type = fencepost::rcu_region;
};
template <>
struct region_of<fencepost::srcu_domain> {
  using type = fencepost::srcu_region;
};

struct node;
struct deleter {
  record* all = nullptr;
  void operator()(node* one) const noexcept;
};
struct node : fencepost::rcu_obj_base<node, deleter> {
  explicit node(record& all) : number(all.enter()) {}
  std::size_t number;
};
void deleter::operator()(node* one) const noexcept {
  all->reclaim(one->number);
  delete one;
}

template <class Domain>
void with_regions(choices& input) {
  record all;
  {
    Domain domain(nullptr);
    fencepost::rcu_batch_size(1 + input.below(8), domain);
    // The regions, and how many objects there were when each was opened. Of RCU, one lies in the
    // other.
    struct region {
      std::unique_ptr<typename region_of<Domain>::type> open;
      std::size_t retired_before;
    };
    std::deque<region> regions;
    const auto is_protected = [&] {
      for (const region& one : regions) {
        for (std::size_t n = one.retired_before; n < all.is_reclaimed.size(); ++n) {
          expect(!all.is_reclaimed[n]);
        }
      }
    };
    while (input.more()) {
      const unsigned what = input.byte();
      switch (what % 8) {
        case 0:
        case 1:
          if (regions.size() < 100) {
            regions.push_back({std::make_unique<typename region_of<Domain>::type>(domain),
                               all.is_reclaimed.size()});
          }
          break;
        case 2:
          if (!regions.empty()) regions.pop_back();
          break;
        case 3: {
          auto* const one = new node(all);
          fencepost::rcu_retire(one, deleter{&all}, domain);
          break;
        }
        case 4:
          for (unsigned n = input.below(8); n != 0; --n) {
            (new node(all))->retire(deleter{&all}, domain);
          }
          break;
        case 5:
          if (regions.empty()) {
            fencepost::rcu_barrier(domain);
            expect(all.reclaimed == all.is_reclaimed.size());
          }
          break;
        case 6:
          if (regions.empty()) fencepost::rcu_synchronize(domain);
          break;
        default:
          fencepost::rcu_batch_size(input.extreme<std::size_t>(), domain);
      }
      is_protected();
    }
    while (!regions.empty()) regions.pop_back();
  }
  expect(all.reclaimed == all.is_reclaimed.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  choices input(data, size);
  switch (input.below(3)) {
    case 0:
      with_hazard_pointers(input);
      break;
    case 1:
      with_regions<fencepost::rcu_domain>(input);
      break;
    default:
      with_regions<fencepost::srcu_domain>(input);
  }
  return 0;
}
