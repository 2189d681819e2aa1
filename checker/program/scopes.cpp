// SPDX-License-Identifier: MIT
// The scopes of local variables whose address has gone elsewhere, as the compiler announces them
// (compiler/gcc_plugin.cpp).
//
// The end of one is an access to all its bytes that no order makes fit for others: who has
// accessed it and is not known to have done so before races with it, and who comes later finds it
// in `ended_scopes_` of the thread whose variable it was. Only others look there. A thread's own
// code uses the place again as soon as it likes; what it then lets others know of is announced as
// the beginning of a scope. With a thread all its variables end.
#include "program/regions.hpp"
#include "program/runtime.hpp"

namespace fencepost::checker {

// What has ended is in the list once, at most.
void Runtime::scope_begins(std::uintptr_t address, std::size_t size) {
  Array<EndOfLife>& ended = ended_scopes_[current->id];
  for (std::uint32_t i = ended.size(); i-- > 0;) {
    const EndOfLife e = ended[i];
    if (e.address - address >= size && address - e.address >= e.size) continue;
    ended[i] = ended.back();
    ended.pop_back();
    if (e.address == address && e.size == size) return;
  }
}

void Runtime::scope_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  if (!on_own_stack(*current, address)) return;
  settle_plain_writes();
  if (visited_threads_[current->id]) {
    look_for_users(address, size, pc, "a local variable's scope ends", false);
  }
  scope_begins(address, size);
  ended_scopes_[current->id].push_back({address, size, current->cursor, current->id, pc});
}

// The current thread comes to some bytes of a thread's stack, or of its thread-local variables.
void Runtime::must_be_in_scope(std::uintptr_t address, const char* what, std::uint64_t pc) {
  const unsigned owner = regions::thread_of(address);
  if (owner == current->id) return;
  thread_is_visited(address);
  for (const EndOfLife& e : ended_scopes_[owner]) {
    if (address - e.address >= e.size) continue;
    violation.highlights = 0;
    clashes_with({e.index, static_cast<std::uint8_t>(e.thread), 0, true, true, e.pc}, address);
    const auto shown = static_cast<unsigned long>(address);
    if (e.pc == 0) {
      violate("memory", pc, "%s of a variable of thread %u, which has ended (address 0x%lx)", what,
              owner, shown);
    }
    violate("memory", pc, "%s of a local variable of thread %u after its scope (address 0x%lx)",
            what, owner, shown);
  }
}

}  // namespace fencepost::checker
