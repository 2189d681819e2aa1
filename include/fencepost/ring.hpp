// SPDX-License-Identifier: MIT
//
// Rings: bounded queues between threads, or between processes.
//
//     fencepost::spsc_ring<job> ring(1024);            // one thread pushes, one pops
//     fencepost::mpmc_ring<job> many(1024);            // anybody does either
//
//     ring.push(job);                                  // waits while the ring is full
//     while (auto work = ring.pop()) do_it(*work);     // waits while it is empty, ends when closed
//     ring.close();
//
//     if (!ring.try_push(job)) drop(job);              // never waits
//     if (ring.pop_for(work, 10ms) == fencepost::ring_status::timed_out) beat();
//
// All of them have try_push, try_emplace, push, emplace, push_for, push_until, emplace_until,
// try_pop, pop, pop_for, pop_until, close, closed, capacity, size and empty (ring/operations.hpp);
// an spsc_ring has also try_push_n, push_n, try_pop_n and pop_n. Elements may be move-only.
//
// Guaranteed: an element that was pushed is popped once, or destroyed with the ring. The elements
// of one producer come out in its order. What precedes a push happens before what follows the pop
// of its element; what precedes the pop that makes room, before what follows the push that uses it.
// A thread that waits is woken when it could go on, and when the ring is closed. As long as nobody
// waits, nobody calls the kernel, and waiting costs the others one load of a line that nobody
// writes (ring/waiting_room.hpp). A constructor or assignment of T that throws leaves the ring as
// it was.
//
// Not guaranteed: fairness among those who wait. That a ring may be destroyed by whoever popped the
// last element: the push of it may still be looking whether somebody sleeps.
//
// Between processes: an interprocess_… ring holds everything within itself, so that it can be made
// by one process in memory that several map, at whatever addresses. A process that is killed while
// it waits harms nobody, unless it had just been called: another one that waits for an mpmc_ring
// may then sleep until the next push or pop. One killed within an operation leaves an spsc_ring
// intact (its element may be missing), but what it held in an mpmc_ring stays held:
// docs/library/ring.md.
//
// Sources: Paul Khuong, "Preemption is GC for memory reordering" (2019), whose event count for one
// producer is what a ring is used for there; Dmitry Vyukov, "Bounded MPMC queue".
#pragma once

#include "fencepost/language.hpp"

#include <cstddef>

#include "fencepost/futex.hpp"
#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/mpmc_ring.hpp"
#include "fencepost/ring/spsc_ring.hpp"
#include "fencepost/ring/status.hpp"

namespace fencepost {

/// One producer, one consumer; the capacity is the constructor's argument.
template <class T, ring_tuning Tuning = ring_tuning{}>
using spsc_ring =
    basic_spsc_ring<T, detail::heap_cells<detail::plain_cell<T>>, futex::scope::process, Tuning>;

/// The same with its elements within itself.
template <class T, std::size_t Capacity, ring_tuning Tuning = ring_tuning{}>
using inline_spsc_ring = basic_spsc_ring<T, detail::inline_cells<detail::plain_cell<T>, Capacity>,
                                         futex::scope::process, Tuning>;

/// The same for memory that several processes map. T is trivially copyable.
template <class T, std::size_t Capacity, ring_tuning Tuning = ring_tuning{}>
using interprocess_spsc_ring =
    basic_spsc_ring<T, detail::inline_cells<detail::plain_cell<T>, Capacity>, futex::scope::shared,
                    Tuning>;

/// Many producers, many consumers; at least as many elements as the constructor's argument says.
template <class T, ring_tuning Tuning = ring_tuning{}>
using mpmc_ring = basic_mpmc_ring<T, detail::heap_cells<detail::taken_in_turns<T>>,
                                  futex::scope::process, Tuning>;

template <class T, std::size_t Capacity, ring_tuning Tuning = ring_tuning{}>
using inline_mpmc_ring =
    basic_mpmc_ring<T, detail::inline_cells<detail::taken_in_turns<T>, Capacity>,
                    futex::scope::process, Tuning>;

template <class T, std::size_t Capacity, ring_tuning Tuning = ring_tuning{}>
using interprocess_mpmc_ring =
    basic_mpmc_ring<T, detail::inline_cells<detail::taken_in_turns<T>, Capacity>,
                    futex::scope::shared, Tuning>;

}  // namespace fencepost
