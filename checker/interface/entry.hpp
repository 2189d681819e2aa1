// SPDX-License-Identifier: MIT
// What all entry points share.
#pragma once

#include <cstdint>

#include "program/runtime.hpp"

#define FENCEPOST_PC() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

namespace fencepost::checker {

// Before main and after the last execution, entry points act on memory directly.
inline bool exploring() { return runtime.active; }

inline std::uintptr_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace fencepost::checker
