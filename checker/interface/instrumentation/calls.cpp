// SPDX-License-Identifier: MIT
// Calls by address. What goes to a library is counted, as the stubs count what they pass on. A
// member function of the C++ library's that is not const uses its object: two threads that call it
// with nothing between them race.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <iterator>

#include "execution/execution.hpp"
#include "execution/loops/unseen_code.hpp"
#include "graph/state_section.hpp"
#include "interface/entry.hpp"
#include "machine/program_code.hpp"

namespace checker = fencepost::checker;

namespace {

struct Known {
  const void* function;
  std::uintptr_t uses;  // what is added to the object's address
  bool changes;
};
FENCEPOST_CHECKER_STATE Known known[64] = {};

bool is_destructor(const char* symbol) {
  for (const char* end : {"D0Ev", "D1Ev", "D2Ev"}) {
    if (std::strstr(symbol, end) != nullptr) return true;
  }
  return false;
}

Known look_up(const void* function) {
  Dl_info found{};
  const char* const symbol =
      dladdr(function, &found) != 0 && found.dli_saddr == function ? found.dli_sname : nullptr;
  const bool changes =
      symbol != nullptr && !is_destructor(symbol) &&
      (std::strncmp(symbol, "_ZNSt", 5) == 0 || std::strncmp(symbol, "_ZNSo", 5) == 0 ||
       std::strncmp(symbol, "_ZNSi", 5) == 0 || std::strncmp(symbol, "_ZNSd", 5) == 0);
  const bool is_buffer = changes && (std::strstr(symbol, "streambuf") != nullptr ||
                                     std::strstr(symbol, "stringbuf") != nullptr ||
                                     std::strstr(symbol, "filebuf") != nullptr);
  return {function, is_buffer ? 0 : std::uintptr_t{kFirstWord}, changes};
}

}  // namespace

extern "C" void __fencepost_calls(const void* function, const void* object) {
  const auto address = checker::address_of(function);
  if (checker::is_program_code(address)) return;
  Known& one = known[address / 16 % std::size(known)];
  if (one.function != function) one = look_up(function);
  const bool uses = one.changes && object != nullptr &&
                    checker::execution.is_program_memory(checker::address_of(object));
  fencepost_noted_calls[fencepost_unseen_calls++ % std::size(fencepost_noted_calls)] = {
      uses ? checker::address_of(object) + one.uses : 0, FENCEPOST_PC()};
}
