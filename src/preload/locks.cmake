# SPDX-License-Identifier: MIT
# The locks that `fencepost run` can put in place of the C library's, a line each:
#     name | header | type
# or, of the event mutex, whose name is built from its parts:
#     event_mutex | protocol | try-lock
# Only what loses no wake-up is here; the checker proves each (tests/library/proofs). The line that
# `fencepost run --list` shows for each is in lab/fencepost/run/locks.py.
set(preloaded_locks
  "mutex|fencepost/mutex.hpp|fencepost::mutex"
  "futex_mutex|fencepost/futex_mutex.hpp|fencepost::futex_mutex"
  "spin_mutex|fencepost/spin_mutex.hpp|fencepost::spin_mutex"
  "event_mutex|seq_cst|compare_exchange_seq_cst"
  "event_mutex|seq_cst|test_and_set"
  "event_mutex|exchange|compare_exchange_acquire"
  "event_mutex|exchange|compare_exchange_seq_cst"
  "event_mutex|exchange|test_and_set"
  "event_mutex|lock_exchange|test_and_set"
  "event_mutex|asymmetric|compare_exchange_acquire"
  "event_mutex|asymmetric|compare_exchange_seq_cst"
  "event_mutex|asymmetric|test_and_set")
