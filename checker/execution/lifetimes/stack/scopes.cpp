// SPDX-License-Identifier: MIT
// The scopes of local variables whose address has gone elsewhere, as the compiler announces them
// (compiler/gcc_plugin.cpp).
//
// The end of one is an access to all its bytes that no order makes fit for others: who has
// accessed it and is not known to have done so before races with it, and who comes later finds it
// in `Stack::scopes` of the thread whose variable it was. Only others look there. A thread's own
// code uses the place again as soon as it likes; what it then lets others know of is announced as
// the beginning of a scope. With a thread all its variables end.
#include "execution/lifetimes/stack/scopes.hpp"

#include <algorithm>
#include <cerrno>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/stack/scope_log.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

void ScopeLog::forget() {
  std::uint32_t kept = entries_.size();
  for (std::uint32_t i = entries_.size(); i-- > 0;) {
    const Entry e = entries_[i];
    const auto newer = [&e](const Entry& n) { return n.has_all_of(e); };
    if (!std::any_of(entries_.begin() + kept, entries_.end(), newer)) entries_[--kept] = e;
  }
  const std::uint32_t left = entries_.size() - kept;
  std::copy(entries_.begin() + kept, entries_.end(), entries_.begin());
  entries_.truncate(left);
  if (left > most_ / 2) most_ *= 2;
}

void scope_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  stacks[execution.current->id].scopes.begins(address, size, pc);
}

void scope_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  if (!on_own_stack(*execution.current, address)) return;
  settle_plain_writes();
  must_not_end_locks(address, size, pc);
  look_for_visitors(stacks[execution.current->id].visited.within(address, size), pc,
                    "a local variable's scope ends");
  stacks[execution.current->id].scopes.ends(address, size, execution.current->cursor, pc);
}

namespace {

// Is it in the word of the owner's errno? Each thread has that at the same distance from its thread
// pointer.
bool is_errno(std::uintptr_t address, const Thread& owner) {
  const std::uintptr_t own = reinterpret_cast<std::uintptr_t>(&errno);
  return (address ^ (own - execution.current->thread_pointer + owner.thread_pointer)) < 8;
}

}  // namespace

// The current thread comes to some bytes of a thread's stack, or of its thread-local variables.
void must_be_in_scope(std::uintptr_t address, const char* what, std::uint64_t pc) {
  const unsigned owner = regions::thread_of(address);
  if (owner == execution.current->id) return;
  thread_is_visited(address, 1);
  if (!regions::in_stacks(address) && is_errno(address, execution.threads[owner]))
    execution.counters.errno_reached = 1;
  const auto shown = static_cast<unsigned long>(address);
  const std::uint32_t ended_at = execution.threads[owner].variables_ended_at;
  if (ended_at != 0) {
    execution.violation.highlights = 0;
    clashes_with(PlainAccess::end(ended_at - 1, owner, 0, 0), address);
    execution.violate("memory", pc,
                      "%s of a variable of thread %u, which has ended (address 0x%lx)", what, owner,
                      shown);
  }
  const ScopeLog::Entry* const e = stacks[owner].scopes.end_of(address);
  if (e == nullptr) return;
  execution.violation.highlights = 0;
  clashes_with(PlainAccess::end(e->index, owner, 0, e->pc), address);
  execution.violate("memory", pc,
                    "%s of a local variable of thread %u after its scope (address 0x%lx)", what,
                    owner, shown);
}

}  // namespace fencepost::checker
