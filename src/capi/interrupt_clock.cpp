// SPDX-License-Identifier: MIT
#include "fencepost/interrupt_clock.hpp"

#include <cstring>

#include "exports.hpp"

using fencepost::interrupt_clock;

bool fencepost_interrupt_clock_alive() noexcept { return interrupt_clock::process() != nullptr; }

std::uint64_t fencepost_interrupt_clock_now() noexcept { return interrupt_clock::now(); }

bool fencepost_interrupt_clock_passed(std::uint64_t since) noexcept {
  const auto* const clock = interrupt_clock::process();
  return clock != nullptr && clock->all_passed(since, ::sched_getcpu(), nullptr);
}

bool fencepost_interrupt_clock_passed_on(std::uint64_t since, const void* processors,
                                         std::size_t size) noexcept {
  if (processors == nullptr) return fencepost_interrupt_clock_passed(since);
  // What the set has no room for is not in it, and what is beyond a cpu_set_t has to pass.
  cpu_set_t set;
  CPU_ZERO(&set);
  std::memcpy(&set, processors, size < sizeof set ? size : sizeof set);
  const auto* const clock = interrupt_clock::process();
  return clock != nullptr && clock->all_passed(since, ::sched_getcpu(), &set);
}

fencepost_virtual_time fencepost_interrupt_clock_virtual_now() noexcept {
  const auto* const clock = interrupt_clock::process();
  return {clock, clock != nullptr ? clock->virtual_now() : 0};
}

bool fencepost_interrupt_clock_passed_virtually(fencepost_virtual_time since) noexcept {
  const auto* const clock = static_cast<const interrupt_clock*>(since.clock);
  return clock != nullptr && clock->all_passed_virtually(since.time, ::sched_getcpu(), nullptr);
}
