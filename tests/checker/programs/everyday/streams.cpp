// SPDX-License-Identifier: MIT
// A stream is no better protected than any object: two threads that use one race. The input and
// output of the standard ones does not, but their formatting does ([iostream.objects.overview]).
// What a stream does happens in the C++ library, unseen.
//
// case: both_write
// flags: -DBOTH_WRITE
// expect: all=data-race at=use
//
// case: both_read
// flags: -DBOTH_READ
// expect: all=data-race at=use
//
// case: both_look
// flags: -DBOTH_LOOK
// expect: all=holds
//
// case: under_a_lock
// flags: -DBOTH_WRITE -DLOCKED
// expect: all=holds
//
// case: each_its_own
// flags: -DOWN
// expect: all=holds
//
// case: standard_output
// flags: -DSTANDARD
// expect: all=holds
//
// Not synchronised with C's, they are streams like others.
// case: unsynchronised_standard_output
// flags: -DSTANDARD -DUNSYNCHRONISED
// expect: all=data-race at=use
//
// case: unsynchronised_standard_output_locked
// flags: -DSTANDARD -DUNSYNCHRONISED -DLOCKED
// expect: all=holds
//
// case: standard_output_formatted
// flags: -DFORMATTED
// expect: all=data-race at=use
//
// case: standard_output_formatted_by_code_that_may_move
// flags: -DFORMATTED -fPIC
// expect: all=data-race at=use
//
// case: standard_output_formatted_in_the_large_model
// flags: -DFORMATTED -mcmodel=large
// expect: all=data-race at=use
//
// case: standard_output_formatted_with_clang
// flags: -DFORMATTED
// options: --cc clang-14
// expect: all=data-race at=use
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

#if defined(BOTH_READ)
static std::istringstream shared("1 2 3");
#else
static std::ostringstream shared;
#endif
static std::mutex mutex;

static void use(int number) {
#ifdef LOCKED
  const std::lock_guard in(mutex);
#endif
#if defined(BOTH_WRITE)
  shared << number << " and more";  // @use
#elif defined(BOTH_READ)
  shared >> number;  // @use
#elif defined(BOTH_LOOK)
  if (!shared.str().empty()) ++number;
#elif defined(OWN)
  std::ostringstream own;
  own << number;
#elif defined(STANDARD)
  std::cout << number << " from a thread" << std::endl;  // @use
  std::cerr << number;
#else
  std::cout << std::setw(5) << number << std::hex << '\n';  // @use
#endif
}

int main() {
#ifdef UNSYNCHRONISED
  if (!std::ios_base::sync_with_stdio(false) || std::ios_base::sync_with_stdio(true)) return 1;
#endif
  std::thread other(use, 1);
  use(2);
  other.join();
}
