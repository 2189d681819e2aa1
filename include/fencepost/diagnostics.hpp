// SPDX-License-Identifier: MIT
//
// Who waits for what, since when, and who holds it.
//
//     fencepost::basic_mutex<fencepost::diagnostics::recorded> orders;
//     fencepost::diagnostics::name(&orders, "orders");
//     fencepost::diagnostics::watchdog watching;     // warns on standard error from now on
//     …
//     fencepost::diagnostics::write(stderr);         // counts per lock, and every wait there is
//
// A lock whose Observer is `recorded` tells this header what happens to it; others tell nothing and
// cost nothing. Counted are acquisitions, contention, spins, sleeps, wake-ups and hand-overs. Known
// at any moment are the holder of each lock and the threads that wait for it.
//
// Two things are concluded from that, neither of them by the clock:
//
// * deadlocks(): cycles of threads of which each sleeps for a lock that the next one holds. It is
//   looked at twice, and counts only if no thread of the cycle has moved in between: then all of
//   them slept at one moment, and a thread that sleeps releases nothing.
// * lost_wakeups(): threads that sleep for a lock that nobody holds, nobody is about to take or
//   release, and whose sleepers are every one asleep inside the kernel, on a word that has not
//   changed. With a sound lock there is no such moment, so that whatever is found is a bug.
//
// The watchdog reports both, and waits that go on for longer than a limit, once each.
//
// Deadlocks among locks of which some are not recorded are not found; nor is the lack of a wake-up
// from anything but a lock. A timed wait that takes part in a cycle is reported as any other.
//
// Limits: about 4,000 locks and 1,024 threads at a time; what is beyond is counted as not recorded.
// Memory is static, 700 KB of it, touched as it is needed; only the functions that return vectors
// allocate. A lock costs two clock readings and a few uncontended atomic operations more than it
// did. After fork() the child starts with its own thread alone.
#pragma once

#include "fencepost/language.hpp"

#include "fencepost/diagnostics/findings.hpp"
#include "fencepost/diagnostics/recorded.hpp"
#include "fencepost/diagnostics/reports.hpp"
#include "fencepost/diagnostics/watchdog.hpp"
