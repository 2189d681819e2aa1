// SPDX-License-Identifier: MIT
//
// Read-copy update: readers that do next to nothing, and writers that replace what is read and free
// the old when every reader that may have seen it is through.
//
//     struct node : fencepost::rcu_obj_base<node> { int value; };
//     std::atomic<node*> shared;
//
//     {
//       const fencepost::rcu_region reading;    // or std::scoped_lock of rcu_default_domain()
//       use(shared.load(std::memory_order_acquire)->value);    // and all that is reached from it
//     }
//
//     node* old = shared.exchange(new_node);                   // unlink, then either
//     old->retire();                                           // have it deleted later, or
//     fencepost::rcu_synchronize();                            // wait,
//     delete old;                                              // and delete it now
//
// The interface is that of C++26, [saferecl.rcu] (P2545R4), and three things more: rcu_region,
// which is the quickest way into a region, domains of one's own, and rcu_batch_size(). Regions that
// belong to no thread are in srcu.hpp.
//
// Guaranteed:
// * What was not unlinked yet when a region was opened is not reclaimed before the region is
//   closed; and what was done in the region happens before what waited for it.
// * rcu_synchronize() returns once the regions that were open when it began are closed, though
//   others are opened all the time.
// * A thread outside of all regions delays nothing, asleep or gone.
// Not guaranteed: a bound on what is not yet reclaimed. While nobody is in a region it is seventeen
// batches at most, one where there is no interrupt clock. But a thread that stays in a region keeps
// all that is retired meanwhile, and a processor that is taken from it does the same: where that is
// not bearable, hazard pointers are for you (hazard_pointer.hpp). When an object is reclaimed and
// by whom; at the end of the process, that it is.
//
// How it works. Time goes in periods. A reader writes the period in which it enters a region into a
// word of its own, and takes it back at the end. Who wants to reclaim begins a new period and looks
// at all words: objects that were unlinked before are due when every reader is outside or has
// entered in the new period. Between a reader's word and its accesses there would have to be a
// store-load barrier; it is a light fence, a load and a branch at most, and whoever begins a period
// sees to a heavy one before the words are looked at (asymmetric_fence.hpp).
//
// Objects are gathered until there is a batch of them. Whoever retires the last of a batch begins a
// period and takes a ticket (barrier_ticket.hpp), which is a heavy fence that others' interrupts
// make, or one that is executed at once where nobody counts them. A later retirement finds it ready
// and reclaims what is due: this batch, or the ones before (rcu/reclaimer.hpp). Nobody waits, but
// in rcu_synchronize() and rcu_barrier(), which execute a heavy fence at once, and then yield and
// sleep for times of 20 microseconds to 1 millisecond until the readers are through.
//
// Deleters may retire, and enter regions. They may not call rcu_barrier() on their domain, nor wait
// for somebody who does. They must not throw.
//
// fork(): the child goes on, with the regions that its one thread is in. Objects that another
// thread was reclaiming, and those that waited with them, are not reclaimed in the child.
//
// Sources: K. Fraser, "Practical Lock-Freedom" (technical report UCAM-CL-TR-579, 2004), for epochs;
// M. Desnoyers, P. McKenney, A. Stern, M. Dagenais and J. Walpole, "User-Level Implementations of
// Read-Copy Update" (IEEE TPDS 23, 2012), for periods and nesting in one word and the barrier that
// only writers execute.
#pragma once

#include "fencepost/language.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "fencepost/rcu/domain.hpp"
#include "fencepost/reclamation/deletable.hpp"

namespace fencepost {

/// The base of what retires itself: a class T has exactly one such base, public and not virtual,
/// and that is rcu_obj_base<T, D>. Three words, and the deleter's if it has any. Source:
/// [saferecl.rcu.base].
template <class T, class D = std::default_delete<T>>
class rcu_obj_base : public reclamation::deletable<T, D, rcu::scheduled> {
 public:
  /// Has `deleter` called with the object when the regions of the domain that are open now are
  /// closed: in this call or in a later one of retire(), rcu_retire(), rcu_barrier() or of a hash
  /// map's function, in whatever thread; not while the thread holds a lock of a hash map. The
  /// object must have been unlinked. Once for each object; debug builds abort otherwise. May be
  /// called within regions. Does not fail, allocate or wait. What precedes the call happens before
  /// the deleter. Source: [saferecl.rcu.base].
  void retire(D deleter = D(), rcu_domain& domain = rcu_default_domain()) noexcept {
    domain.schedule(this->retired_by("rcu_obj_base", std::move(deleter)));
  }

  /// The same to a domain of another kind (srcu.hpp).
  template <class Domain>
  void retire(D deleter, Domain& domain) noexcept {
    domain.schedule(this->retired_by("rcu_obj_base", std::move(deleter)));
  }

 protected:
  rcu_obj_base() = default;
  rcu_obj_base(const rcu_obj_base&) = default;
  rcu_obj_base(rcu_obj_base&&) = default;
  rcu_obj_base& operator=(const rcu_obj_base&) = default;
  rcu_obj_base& operator=(rcu_obj_base&&) = default;
  ~rcu_obj_base() = default;
};

namespace rcu {

/// What calls the deleter with the object.
template <class T, class D>
scheduled& call_of(T* object, D deleter) {
  struct call : scheduled {
    call(T* what, D by) : object(what), deleter(std::move(by)) {}
    T* object;
    [[no_unique_address]] D deleter;
  };
  auto* const later = new call(object, std::move(deleter));
  later->end_retired = [](reclamation::retired* one) noexcept {
    const std::unique_ptr<call> now(static_cast<call*>(one));
    now->deleter(now->object);
  };
  return *later;
}

}  // namespace rcu

/// As rcu_obj_base::retire(), for an object of any type; allocates, and throws std::bad_alloc, or
/// what copying the deleter throws, with nothing done. Source: [saferecl.rcu.domain.func].
template <class T, class D>
void rcu_retire(T* object, D deleter, rcu_domain& domain) {
  domain.schedule(rcu::call_of(object, std::move(deleter)));
}

/// The same to a domain of another kind (srcu.hpp).
template <class T, class D, class Domain>
void rcu_retire(T* object, D deleter, Domain& domain) {
  domain.schedule(rcu::call_of(object, std::move(deleter)));
}

/// Waits until all regions of the domain that are open now are closed. What they did happens before
/// the return, and what was unlinked before the call may then be deleted. Not within a region of
/// the domain, which it would wait for; debug builds abort. Does not fail. One heavy fence. Source:
/// [saferecl.rcu.domain.func].
inline void rcu_synchronize(rcu_domain& domain = rcu_default_domain()) noexcept {
  domain.synchronize();
}

/// Waits until the deleters of all that was retired to the domain before the call, in the order of
/// happens-before, have returned; it calls those that nobody else does. What they did happens
/// before the return. Not within a region of the domain nor in a deleter of it, where it would wait
/// for itself; debug builds abort. Source: [saferecl.rcu.domain.func].
inline void rcu_barrier(rcu_domain& domain = rcu_default_domain()) noexcept {
  domain.must_be_outside();
  domain.barrier();
}

/// How many objects are retired to the domain before some are reclaimed: 1000 unless said. May be
/// called at any time. Source: this library.
inline void rcu_batch_size(std::size_t objects,
                           rcu_domain& domain = rcu_default_domain()) noexcept {
  domain.set_batch_size(objects);
}

}  // namespace fencepost
