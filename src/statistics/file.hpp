// SPDX-License-Identifier: MIT
//
// This process's file (layout.hpp), mapped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout.hpp"

namespace fencepost::statistics {

struct file {
  header* head = nullptr;
  module* modules = nullptr;
  site* sites = nullptr;
  lock* locks = nullptr;
  thread* threads = nullptr;
  stack* stacks = nullptr;

  /// Makes the file in the directory that FENCEPOST_STATISTICS names, and maps it. Says on standard
  /// error why that could not be. `parent` is the process that this one was forked off from, or 0.
  bool open(std::uint32_t parent) noexcept;

  void close() noexcept;

 private:
  bool begin(void* memory) noexcept;
};

/// Makes room for one entry more in `of`, whose first entry is at `entries`. False where the table
/// is full, or the file system. The entry is counted only by its maker, once it is complete.
bool make_room(const table& of, const void* entries) noexcept;

/// "fencepost run: WHAT: REASON; …" on standard error, of something that goes without recording.
void complain(const char* what, const char* which, long error) noexcept;

}  // namespace fencepost::statistics
