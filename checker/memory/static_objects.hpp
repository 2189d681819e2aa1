// SPDX-License-Identifier: MIT
// How large the program's static objects are, as its symbols say.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker::static_objects {

inline constexpr std::size_t kNoSymbols = ~std::size_t{0};

// Reads the symbols, while files may still be opened.
void prepare();
// Of the object that begins at this address; 0 if none does.
std::size_t size_of(std::uintptr_t address);

}  // namespace fencepost::checker::static_objects
