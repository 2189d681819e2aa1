// SPDX-License-Identifier: MIT
// Calls by address. What goes to a library is counted, as the stubs count what they pass on.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "interface/entry.hpp"
#include "loops/unseen_code.hpp"
#include "machine/program_code.hpp"

extern "C" void __fencepost_calls(const void* function, std::size_t) {
  if (fencepost::checker::is_program_code(fencepost::checker::address_of(function))) return;
  NotedCall& call =
      fencepost_noted_calls[fencepost_unseen_calls++ % std::size(fencepost_noted_calls)];
  call = {0, FENCEPOST_PC()};
}
