// SPDX-License-Identifier: MIT
//
// The schemes of reclamation that are compared, ours and the peers: each is a box that holds a
// pointer to an object, with a loop of protected reads and one that replaces the object.
// peers/reclamation.h says what the loops do.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "fencepost/hazard_pointer.hpp"
#include "fencepost/rcu.hpp"
#include "fencepost/srcu.hpp"

#if defined(BENCH_URCU) || defined(BENCH_CONCURRENCY_KIT) || defined(BENCH_RUST)
#include "peers/reclamation.h"
#endif

namespace bench {

inline void look_at(std::uint64_t value) { asm volatile("" ::"r"(value)); }

/// What protection is compared with: none. Nothing is reclaimed before the box goes.
class unprotected_box {
 public:
  [[gnu::noinline]] void reads(std::uint64_t count) {
    for (std::uint64_t n = 0; n != count; ++n) look_at(*shared_.load(std::memory_order_acquire));
  }

 private:
  std::uint64_t value_ = 0;
  alignas(64) std::atomic<const std::uint64_t*> shared_{&value_};
};

class hazard_pointer_box {
  struct object : fencepost::hazard_pointer_obj_base<object> {
    explicit object(std::uint64_t n) : value(n) {}
    std::uint64_t value;
  };

 public:
  hazard_pointer_box() = default;
  hazard_pointer_box(const hazard_pointer_box&) = delete;
  hazard_pointer_box& operator=(const hazard_pointer_box&) = delete;
  ~hazard_pointer_box() {
    shared_.load()->retire();
    fencepost::hazard_pointer_clean_up();
  }

  [[gnu::noinline]] void reads(std::uint64_t count) {
    auto hazard = fencepost::make_hazard_pointer();
    for (std::uint64_t n = 0; n != count; ++n) {
      look_at(hazard.protect(shared_)->value);
      hazard.reset_protection();
    }
  }

  [[gnu::noinline]] void replaces(std::uint64_t count) {
    for (std::uint64_t n = 0; n != count; ++n)
      shared_.exchange(new object(n), std::memory_order_acq_rel)->retire();
  }

 private:
  alignas(64) std::atomic<object*> shared_{new object(0)};
};

/// By regions of that kind in the domain that Place has.
template <class Region, class Place>
class rcu_box {
  struct object : fencepost::rcu_obj_base<object> {
    explicit object(std::uint64_t n) : value(n) {}
    std::uint64_t value;
  };

 public:
  rcu_box() = default;
  rcu_box(const rcu_box&) = delete;
  rcu_box& operator=(const rcu_box&) = delete;
  ~rcu_box() {
    shared_.load()->retire({}, place_.domain());
    rcu_barrier(place_.domain());
  }

  [[gnu::noinline]] void reads(std::uint64_t count) {
    for (std::uint64_t n = 0; n != count; ++n) {
      const Region reading(place_.domain());
      look_at(shared_.load(std::memory_order_acquire)->value);
    }
  }

  [[gnu::noinline]] void replaces(std::uint64_t count) {
    for (std::uint64_t n = 0; n != count; ++n) {
      shared_.exchange(new object(n), std::memory_order_acq_rel)->retire({}, place_.domain());
    }
  }

 private:
  [[no_unique_address]] Place place_;
  alignas(64) std::atomic<object*> shared_{new object(0)};
};

struct everybodys_domain {
  static fencepost::rcu_domain& domain() { return fencepost::rcu_default_domain(); }
};

struct sleepable_domain {
  fencepost::srcu_domain& domain() { return own; }
  fencepost::srcu_domain own;
};

/// A peer whose loops are compiled in another language: the functions that belong to it.
template <class Box, Box* New(), void Delete(Box*), void Reads(Box*, std::uint64_t),
          void Replaces(Box*, std::uint64_t)>
class foreign_box {
 public:
  void reads(std::uint64_t count) { Reads(box_.get(), count); }
  void replaces(std::uint64_t count) { Replaces(box_.get(), count); }

 private:
  struct deleter {
    void operator()(Box* box) const { Delete(box); }
  };
  std::unique_ptr<Box, deleter> box_{New()};
};

/// Calls `visit.operator()<Box>(name)` for every scheme.
template <class Visit>
void for_each_scheme(const Visit& visit) {
  visit.template operator()<hazard_pointer_box>("fencepost_hazard_pointer");
  visit.template operator()<rcu_box<fencepost::rcu_region, everybodys_domain>>("fencepost_rcu");
  visit.template operator()<rcu_box<std::scoped_lock<fencepost::rcu_domain>, everybodys_domain>>(
      "fencepost_rcu_scoped_lock");
  visit.template operator()<rcu_box<fencepost::srcu_region, sleepable_domain>>("fencepost_srcu");
#define BENCH_FOREIGN(name)                                                                      \
  visit.template                                                                                 \
  operator()<foreign_box<name##_box, name##_new, name##_delete, name##_reads, name##_replaces>>( \
      #name)
#ifdef BENCH_URCU
  BENCH_FOREIGN(urcu_memb);
  BENCH_FOREIGN(urcu_qsbr);
  BENCH_FOREIGN(urcu_bp);
  BENCH_FOREIGN(urcu_mb);
#endif
#ifdef BENCH_CONCURRENCY_KIT
  BENCH_FOREIGN(ck_epoch);
  BENCH_FOREIGN(ck_hp);
#endif
#ifdef BENCH_RUST
  BENCH_FOREIGN(crossbeam_epoch);
  BENCH_FOREIGN(seize);
  BENCH_FOREIGN(haphazard);
#endif
#undef BENCH_FOREIGN
}

}  // namespace bench
