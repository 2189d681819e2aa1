// SPDX-License-Identifier: MIT
//
// Forced descheduling: a thread that has just taken a lock gives its processor away, so that the
// others meet a lock whose owner does not run.
//
// Two ways lead into a library. One that is built for it calls atomic_inject() whenever it has
// taken a lock while the thread's variable atomic_faulty is set. One that takes pthread mutexes, as
// GCC's does, calls pthread_mutex_lock(), which can be wrapped. Both functions are in a library of
// their own, descheduling.c: the program starts itself again with it preloaded, and only where -f
// asks for it, so that nothing is wrapped in all other measurements.
#pragma once

#include "arguments.hpp"

namespace bench {

/// Starts the program again with the wrapper preloaded, if -f was given and it is not yet.
void prepare_descheduling(const arguments& given, char** argv);

/// Whether those who take pthread mutexes are descheduled too, from now on: for what does not call
/// atomic_inject() by itself.
void deschedule_owners_of_mutexes(bool also);

/// How often any thread was descheduled so far.
unsigned long descheduled_so_far();

/// What decides for one thread whether its next acquisition is one of those.
class descheduling {
 public:
  /// With probability 1/`rarely`; 0 is never.
  explicit descheduling(unsigned rarely, unsigned seed);

  /// Before each operation.
  void decide() {
    if (rarely_ != 0) [[unlikely]] {
      chosen_ = next() % rarely_ == 0;
      *faulty_ = chosen_;
    }
  }
  /// Where there is no lock, and so nobody calls: between the load and the compare-exchange.
  void here() const {
    if (chosen_) [[unlikely]]
      inject_();
  }

 private:
  unsigned next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  unsigned rarely_;
  unsigned state_;
  bool chosen_ = false;
  unsigned char* faulty_ = nullptr;
  void (*inject_)() = nullptr;
};

}  // namespace bench
