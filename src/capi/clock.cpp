// SPDX-License-Identifier: MIT
//
// The functions that the headers call and that are in libstdc++ itself, for programs without it.
// Weak and hidden: where libstdc++ is linked as well there is no conflict, and the two do the same.
#include <time.h>

#include <chrono>

namespace std::chrono {
inline namespace _V2 {

[[gnu::weak]] steady_clock::time_point steady_clock::now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return time_point{seconds{now.tv_sec} + nanoseconds{now.tv_nsec}};
}

[[gnu::weak]] system_clock::time_point system_clock::now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return time_point{seconds{now.tv_sec} + nanoseconds{now.tv_nsec}};
}

}  // namespace _V2
}  // namespace std::chrono

// The header that declares them makes everything of its namespace visible.
asm(".hidden _ZNSt6chrono3_V212steady_clock3nowEv");
asm(".hidden _ZNSt6chrono3_V212system_clock3nowEv");
