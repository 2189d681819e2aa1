// SPDX-License-Identifier: MIT
#include "execution/lifetimes/mapped.hpp"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"

namespace fencepost::checker {
namespace {

// Pages outside of the program's own memory that were there when somebody came, by their numbers.
constexpr std::size_t kPagesKnown = 256;
FENCEPOST_CHECKER_STATE std::uintptr_t known_pages[kPagesKnown] = {};
FENCEPOST_CHECKER_STATE std::uintptr_t page_size = 0;

}  // namespace

// What is not the program's own memory may be a library's, or nobody's.
void must_exist(std::uintptr_t address, const char* what, std::uint64_t pc) {
  constexpr std::uintptr_t kNeverMapped = 65536;
  constexpr long kNoMemory = -12;
  const auto shown = static_cast<unsigned long>(address);
  if (address < kNeverMapped) {
    execution.violate("memory", pc, "%s through a null pointer (address 0x%lx)", what, shown);
  }
  if (page_size == 0) page_size = getauxval(AT_PAGESZ);
  const std::uintptr_t page = address & ~(page_size - 1);
  std::uintptr_t& known = known_pages[page / page_size % kPagesKnown];
  if (known == page) return;
  unsigned char resident;
  if (kernel::call(SYS_mincore, static_cast<long>(page), 1, reinterpret_cast<long>(&resident)) ==
      kNoMemory) {
    execution.violate("memory", pc, "%s at address 0x%lx, where there is no memory", what, shown);
  }
  known = page;
}

}  // namespace fencepost::checker
