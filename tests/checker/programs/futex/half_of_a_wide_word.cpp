// SPDX-License-Identifier: MIT
// A counter of 64 bits whose waiters sleep on 32 of them: the kernel compares no more than that.
//
// case: low
// flags: -DSTEP=1 -DHALF=0
// expect: all=holds
//
// case: high
// flags: -DSTEP=0x100000000 -DHALF=1
// expect: all=holds
//
// case: change_of_the_other_half_does_not_keep_it_awake
// flags: -DSTEP=0x100000000 -DHALF=0 -DLATE
// expect: all=violated:lost-wakeup at=sleep
//
// case: no_wake
// flags: -DSTEP=1 -DHALF=0 -DSILENT
// expect: all=violated:lost-wakeup at=sleep
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace {

std::atomic<std::uint64_t> counter;

std::uint32_t* half() { return reinterpret_cast<std::uint32_t*>(&counter) + HALF; }

}  // namespace

int main() {
  std::thread waiter([] {
    const std::uint64_t seen = counter.load(std::memory_order_acquire);
    if (seen != 0) return;
    syscall(SYS_futex, half(), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
  });
#ifdef LATE
  syscall(SYS_futex, half(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
#endif
  counter.fetch_add(STEP, std::memory_order_release);
#if !defined(LATE) && !defined(SILENT)
  syscall(SYS_futex, half(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
#endif
  waiter.join();
}
