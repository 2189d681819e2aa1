// SPDX-License-Identifier: MIT
//
// Loops of one atomic operation each. They are compiled once for each set of compiler flags that
// single_operations compares.
#pragma once

#include <atomic>
#include <cstdint>

namespace bench {

using loop_word = std::atomic<std::uint32_t>;

/// Operation `name`, `count` times on `word`, which is 0; what the word holds then is `count` if
/// `counts`, else 0.
struct operation_loop {
  const char* name;
  void (*run)(loop_word& word, std::uint32_t count);
  bool counts;
};

/// All of them, as compiled with one set of flags. The last one has no name.
struct operation_loops {
  const char* flags;
  const operation_loop* loops;
};

}  // namespace bench
