// SPDX-License-Identifier: MIT
// Accesses that race with plain ones, or come after the end of what they access.
#include "execution/accesses/races.hpp"

#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

// What is accessed has been freed or destroyed, or lies behind the end of its block.
void comes_too_late(const PlainAccess& end, const PlainAccess& access, std::uintptr_t address,
                    const char* now, std::uint64_t pc) {
  for (std::uintptr_t a = address; regions::in_heap(a) && a - address < 8; ++a) {
    if ((byte_mask(a & 7, 1) & end.mask() & access.mask()) != 0) heap_block(a, now, pc);
  }
  clashes_with(end, address);
  const bool heap = regions::in_heap(address);
  execution.violate("memory", pc, "%s of %s that thread %u %s (address 0x%lx)", now,
                    heap ? "memory" : "a static object", end.thread(), heap ? "freed" : "destroyed",
                    static_cast<unsigned long>(address));
}

void race(const Cell* cell, const PlainAccess& access, std::uintptr_t address, const char* now,
          std::uint64_t pc) {
  execution.violation.highlights = 0;
  execution.shadow.each_conflict(cell, access, execution.clock(), [&](const PlainAccess& earlier) {
    if (earlier.free()) comes_too_late(earlier, access, address, now, pc);
    if (earlier.ends_object()) {
      suspect("memory", earlier, access, false, address, pc,
              "%s of an object that thread %u may have destroyed (address 0x%lx)", now,
              earlier.thread(), static_cast<unsigned long>(address));
      return;
    }
    suspect("data-race", earlier, access, false, address, pc,
            "%s races with a plain %s by thread %u (address 0x%lx, other pc 0x%lx)", now,
            earlier.write() ? "write" : "read", earlier.thread(),
            static_cast<unsigned long>(address), static_cast<unsigned long>(earlier.pc));
  });
}

}  // namespace fencepost::checker
