// SPDX-License-Identifier: MIT
#include "address_map.hpp"

#include <sys/mman.h>

namespace fencepost::profiler {

bool address_map::reserve(std::size_t capacity) noexcept {
  void* const memory = ::mmap(nullptr, capacity * sizeof(slot), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  slots_ = static_cast<slot*>(memory);
  mask_ = capacity - 1;
  used_ = 0;
  return true;
}

void address_map::release() noexcept {
  if (slots_ != nullptr) ::munmap(static_cast<void*>(slots_), (mask_ + 1) * sizeof(slot));
  slots_ = nullptr;
}

}  // namespace fencepost::profiler
