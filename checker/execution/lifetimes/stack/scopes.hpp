// SPDX-License-Identifier: MIT
// The scopes of local variables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/lifetimes/stack/scope_log.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

void scope_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc);
void scope_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc);
// The current thread comes to some bytes of a thread's stack, or of its thread-local variables.
void must_be_in_scope(std::uintptr_t address, const char* what, std::uint64_t pc);
// The last beginning or end of a local variable that this byte of a stack belongs to; nullptr if
// none is known.
inline const ScopeLog::Entry* local_at(std::uintptr_t address) {
  return stacks[regions::thread_of(address)].scopes.last_of(address);
}

}  // namespace fencepost::checker
