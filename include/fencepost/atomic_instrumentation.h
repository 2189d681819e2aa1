// SPDX-License-Identifier: MIT
//
// What a build of the atomics runtime has for those who test locks. The one that ships has none of
// it: a program that uses a name from here is linked to a library that was built with the option
// of its comment.
#ifndef FENCEPOST_ATOMIC_INSTRUMENTATION_H
#define FENCEPOST_ATOMIC_INSTRUMENTATION_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// With -DFENCEPOST_ATOMIC_STATISTICS=ON: writes to the file descriptor what has happened so far at
/// the locks of the atomic objects that have some, as a table:
///
///     objects                 different addresses of objects that were used, to 1024 a lock
///     acquisitions            of locks; an object of several lines of 64 bytes has several, and
///                             fork() takes all
///     at once                 of these, where the lock was free: the fast path
///     spins                   looks at a lock that was taken
///     waits                   times that a thread slept
///     failed waits            times that one did not, for the lock's word had changed meanwhile
///     loads without a lock    which wrote nothing
///     attempts in vain        by these, since somebody wrote
///
/// of all locks together, and how evenly the 64 locks share that: the least and most of one lock,
/// the mean and the standard deviation. If objects were strewn by chance, the standard deviation
/// would be about the square root of the mean. The locks in use follow, a line each.
///
/// The counts are exact; what they describe is not quite what a library without them does, which
/// is twice as fast. Allocates nothing, takes no lock, and may be called in a signal handler.
void atomic_summary(int file_descriptor);

/// With -DFENCEPOST_ATOMIC_INJECT=ON: whether the calling thread calls atomic_inject() each time
/// that it has taken the locks of an atomic object. False in every thread until it says otherwise.
extern __thread bool atomic_faulty;

/// Called between taking the locks of an object and the access to it, by threads whose
/// `atomic_faulty` is true. The library's own does nothing; a program that defines a function of
/// this name gets the call. It may sleep, yield, stop, raise signals: whatever befalls a thread
/// there. It must not use an atomic object that needs locks, nor fork(), for the thread would wait
/// for itself.
///
/// A load that finds nobody writing takes no lock, and calls nothing.
void atomic_inject(void);

#ifdef __cplusplus
}
#endif

#endif
