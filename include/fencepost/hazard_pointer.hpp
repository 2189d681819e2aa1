// SPDX-License-Identifier: MIT
//
// Hazard pointers: readers that follow pointers without a lock, writers that free what they
// unlinked without waiting, and a bound on what is not yet freed whatever the readers do.
//
//     struct node : fencepost::hazard_pointer_obj_base<node> { int value; };
//     std::atomic<node*> shared;
//
//     auto reader = fencepost::make_hazard_pointer();
//     const node* seen = reader.protect(shared);       // is not deleted from here on
//     use(seen->value);
//     reader.reset_protection();                       // until here
//
//     node* old = shared.exchange(new_node);           // unlink, then
//     old->retire();                                   // delete when nobody protects it
//
// The interface is that of C++26, [saferecl.hp] (P2530R3), and two functions more:
// hazard_pointer_clean_up() and hazard_pointer_garbage_limit().
//
// Guaranteed:
// * What protect() returns is not reclaimed while the hazard pointer protects it, if it is retired
//   after it was unlinked from where protect() looked.
// * The accesses of a reader happen before the deleter, and what the writer did before it stored
//   the pointer with release happens before what the reader does with it.
// * Bounded garbage. Let S be how many hazard pointers existed, or were kept by threads, at one
//   time, and L the limit. While no thread is inside retire(), fewer than max(L, 2 S) objects are
//   retired and not reclaimed, however long readers stall. Each thread inside may hold as many
//   again and one for each thread that is inside with it; what deleters retire comes on top until
//   they return. Proofs: bounded_garbage, survivors_are_counted.
// * A thread outside of a protection delays nothing, asleep or gone: what it retired is reclaimed
//   by the others.
// Not guaranteed: when an object is reclaimed and by whom; at the end of the process, that it is.
//
// How it works. A reader publishes the pointer in a slot and then looks whether it is still linked;
// who reclaims unlinks and then looks into the slots. That is the one store-load barrier on either
// side that makes hazard pointers slow; here the reader's is a light fence, and who reclaims pays
// with one heavy fence for a whole batch (asymmetric_fence.hpp). So a protected read is a load, a
// store, a load and a comparison, and for the light fence a load and a branch, or nothing where
// those are free (FENCEPOST_LIGHT_FENCES_ARE_FREE).
//
// Deleters run in a thread that retires or cleans up, without anything being locked. They may
// retire and protect; what they retire is reclaimed after them and not on top of them, so that a
// list of any length may go one node by the other. They must not throw.
//
// fork(): the child goes on with its one thread's hazard pointers. Those that other threads made,
// or moved last, are empty there, and what they protected may be reclaimed. Objects that another
// thread was reclaiming at that moment are not reclaimed in the child.
//
// Sources: M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects" (IEEE TPDS
// 15, 2004). That the reader's fence can be moved to the other side by a barrier that reaches all
// threads: D. Dice, M. Herlihy and A. Kogan, "Fast Non-intrusive Memory Reclamation for
// Highly-Concurrent Data Structures" (ISMM 2016).
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/hazard_pointer/reclaim.hpp"
#include "fencepost/hazard_pointer/slots.hpp"
#include "fencepost/reclamation/deletable.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost {

/// The base of what can be protected: a class T has exactly one such base, public and not virtual,
/// and that is hazard_pointer_obj_base<T, D>. Two words, and the deleter's if it has any. Source:
/// [saferecl.hp.base].
template <class T, class D = std::default_delete<T>>
class hazard_pointer_obj_base : public reclamation::deletable<T, D, reclamation::retired> {
 public:
  /// Has `deleter` called with the object when no hazard pointer protects it any more: now or in a
  /// later call of retire() or hazard_pointer_clean_up(), in whatever thread. The object must have
  /// been unlinked: nobody can newly come by its address. Once for each object; debug builds abort
  /// otherwise. Does not fail, and allocates nothing. What precedes the call happens before the
  /// deleter. Source: [saferecl.hp.base].
  void retire(D deleter = D()) noexcept {
    hazard::process_garbage.retire(this->retired_by("hazard_pointer_obj_base", std::move(deleter)));
  }

 protected:
  hazard_pointer_obj_base() = default;
  hazard_pointer_obj_base(const hazard_pointer_obj_base&) = default;
  hazard_pointer_obj_base(hazard_pointer_obj_base&&) = default;
  hazard_pointer_obj_base& operator=(const hazard_pointer_obj_base&) = default;
  hazard_pointer_obj_base& operator=(hazard_pointer_obj_base&&) = default;
  ~hazard_pointer_obj_base() = default;

 private:
  friend class hazard_pointer;
};

/// Protects one object at a time, or none. It is used by one thread at a time, may be moved to
/// another, and is either empty or owns a slot. Source: [saferecl.hp.holder].
class [[nodiscard]] hazard_pointer {
 public:
  /// Empty: only assigned to, swapped, asked and destroyed.
  hazard_pointer() noexcept = default;

  hazard_pointer(hazard_pointer&& other) noexcept
      : slot_(std::exchange(other.slot_, nullptr)), lease_(other.lease_) {
    now_of_this_thread();
  }

  hazard_pointer& operator=(hazard_pointer&& other) noexcept {
    hazard_pointer(std::move(other)).swap(*this);
    return *this;
  }

  /// Ends the protection.
  ~hazard_pointer() {
    if (empty()) return;
    reset_protection();
    hazard::keep(*slot_);
  }

  /// Whether there is no slot: after the default constructor, after it was moved from, and in the
  /// child of fork() if it was another thread's.
  [[nodiscard]] bool empty() const noexcept { return slot_ == nullptr || slot_->lease != lease_; }

  /// Protects what `source` points to, and returns it: it was there at a moment at which it was
  /// protected already. Ends the protection before. Not for an empty one; debug builds abort.
  /// Lock-free: it repeats while `source` changes. An acquire load of `source`.
  template <class T>
  T* protect(const std::atomic<T*>& source) noexcept {
    // relaxed: a guess, which try_protect() looks at again.
    T* seen = source.load(std::memory_order_relaxed);
    while (!try_protect(seen, source)) continue;
    return seen;
  }

  /// Protects `pointer` if `source` still holds it. Otherwise false, nothing is protected, and
  /// `pointer` is what `source` holds. Ends the protection before. Not for an empty one; debug
  /// builds abort. Wait-free. An acquire load of `source`.
  template <class T>
  bool try_protect(T*& pointer, const std::atomic<T*>& source) noexcept {
    T* const expected = pointer;
    reset_protection(expected);
    // light: `source` is looked at after the slot was written. Pairs with the heavy fence in
    // hazard::garbage::reclaim_once(). Proof: no_access_after_reclamation.
    asymmetric_thread_fence_light();
    // acquire: pairs with the store of the pointer, by which the object was published.
    // Proof: no_access_after_reclamation.
    pointer = source.load(std::memory_order_acquire);
    if (pointer == expected) [[likely]]
      return true;
    reset_protection();
    return false;
  }

  /// Protects `pointer` from being reclaimed by whoever retires it after this call, in the order of
  /// happens-before; from nobody else. Ends the protection before. Not for an empty one; debug
  /// builds abort. Wait-free.
  template <class T>
  void reset_protection(const T* pointer) noexcept {
    publish(part_of<std::remove_cv_t<T>>(pointer));
  }

  /// Ends the protection. Not for an empty one; debug builds abort. Wait-free.
  void reset_protection(std::nullptr_t = nullptr) noexcept { publish(nullptr); }

  /// Exchanges slots, with what they protect.
  void swap(hazard_pointer& other) noexcept {
    std::swap(slot_, other.slot_);
    std::swap(lease_, other.lease_);
    now_of_this_thread();
    other.now_of_this_thread();
  }

  /// Throws std::bad_alloc.
  friend hazard_pointer make_hazard_pointer();

 private:
  explicit hazard_pointer(hazard::slot& slot) noexcept : slot_(&slot), lease_(slot.lease) {}

  template <class T, class D>
  static const reclamation::retired* part_of(const hazard_pointer_obj_base<T, D>* object) noexcept {
    return hazard_pointer_obj_base<T, D>::part_of(object);
  }

  void publish(const reclamation::retired* object) noexcept {
    if constexpr (catch_misuse_by_default) {
      if (empty()) misuse("hazard_pointer", this, "used while it is empty");
    }
    // release: this ends the protection before, whose accesses must be over. Pairs with the look at
    // the slots in hazard::garbage::reclaim_once(). Proof: accesses_precede_reclamation.
    slot_->protects.store(object, std::memory_order_release);
  }

  void now_of_this_thread() noexcept {
    if (!empty()) slot_->thread = &hazard::self;
  }

  hazard::slot* slot_ = nullptr;
  std::uint32_t lease_ = 0;
};

/// A hazard pointer that protects nothing. A thread keeps those that it destroyed for the next
/// ones; when it has none it looks through those that others gave back. Throws std::bad_alloc if
/// there is none and no memory. Source: [saferecl.hp.holder.nonmem].
[[nodiscard]] inline hazard_pointer make_hazard_pointer() { return hazard_pointer(hazard::take()); }

/// As a.swap(b). Source: [saferecl.hp.holder.nonmem].
inline void swap(hazard_pointer& a, hazard_pointer& b) noexcept { a.swap(b); }

/// Reclaims all that was retired before, in the order of happens-before, and is not protected, and
/// what their deleters retire; but not what another thread is reclaiming at this moment, which may
/// be over only after this call. From a deleter it does nothing. Does not fail. At least one heavy
/// fence if anything is retired. Source: P1121R2, "Hazard Pointers: Proposed Interface and Wording
/// for Concurrency TS 2", where it waits for other threads, too; not in C++26.
inline void hazard_pointer_clean_up() noexcept { hazard::process_garbage.reclaim_all(); }

/// How many objects may be retired before some are reclaimed, for the whole process: 1000 unless
/// said, at least 1, and in any case twice the number of hazard pointers. Fewer make the bound on
/// garbage smaller and heavy fences more frequent. May be called at any time; takes effect with the
/// next retirement. Source: this library.
inline void hazard_pointer_garbage_limit(std::size_t objects) noexcept {
  hazard::process_garbage.set_limit(objects);
}

}  // namespace fencepost
