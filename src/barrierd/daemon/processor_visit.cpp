// SPDX-License-Identifier: MIT
#include "daemon/processor_visit.hpp"

#include <sched.h>
#include <time.h>

#include <cstddef>
#include <memory>

namespace barrierd {

void visit_processors() {
  // Machines may have more processors than a cpu_set_t has room for.
  constexpr std::size_t most = 1 << 16;
  const auto free = [](cpu_set_t* set) { CPU_FREE(set); };
  const std::unique_ptr<cpu_set_t, decltype(free)> before(CPU_ALLOC(most), free);
  const std::unique_ptr<cpu_set_t, decltype(free)> one(CPU_ALLOC(most), free);
  const std::size_t size = CPU_ALLOC_SIZE(most);
  if (before == nullptr || one == nullptr) return;
  if (::sched_getaffinity(0, size, before.get()) != 0) return;
  for (std::size_t processor = 0; processor < most; ++processor) {
    if (!CPU_ISSET_S(processor, size, before.get())) continue;
    CPU_ZERO_S(size, one.get());
    CPU_SET_S(processor, size, one.get());
    // The kernel moves the thread before it returns. While it sleeps there, the processor idles if
    // it has nothing else to do, and what wakes the thread is an interrupt of that processor's
    // timer.
    if (::sched_setaffinity(0, size, one.get()) != 0) continue;
    const timespec moment{0, 50'000};
    ::nanosleep(&moment, nullptr);
  }
  static_cast<void>(::sched_setaffinity(0, size, before.get()));
}

}  // namespace barrierd
