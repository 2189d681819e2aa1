// SPDX-License-Identifier: MIT
// What is asked of a synchronisation object about a thread that is blocked at it. Each object
// answers in its own file, and stuck.cpp asks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/threads/thread.hpp"

namespace fencepost::checker {

struct BlockedAt {
  // As the end of "thread 1 ...", where nothing more is asked.
  const char* does;
  // Is it for ever, if nothing else can go on? Not of one that is merely behind the news.
  bool (*is_stuck)(const Thread& t);
  // What the thread waits for, for ever.
  void (*describe)(const Thread& t, char* message, std::size_t size);
  // The threads one of which has to go on first, a bit each; 0 if it is not known who could help.
  std::uint64_t (*holders)(const Thread& t);
};

// Of what nothing that is read in time could end.
inline bool always_stuck(const Thread&) { return true; }
inline std::uint64_t no_known_holders(const Thread&) { return 0; }

}  // namespace fencepost::checker
