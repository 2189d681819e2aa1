// SPDX-License-Identifier: MIT
//
// This process's file (layout.hpp), mapped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout.hpp"

namespace fencepost::profiler {

/// Entries of the table of modules.
inline constexpr std::uint32_t most_modules = 512;

struct file {
  header* head = nullptr;
  module* modules = nullptr;
  site* sites = nullptr;
  lock* locks = nullptr;
  thread* threads = nullptr;
  stack* stacks = nullptr;

  /// Makes the file in `directory`, its tables halved so often, and maps it. `parent` is the
  /// process that this one was forked off from, or 0. An error number, or 0.
  long open(const char* directory, unsigned halvings, std::uint32_t parent) noexcept;

  void close() noexcept;

 private:
  bool begin(void* memory, unsigned halvings) noexcept;

  std::size_t bytes_ = 0;
};

/// How often the tables have to be halved to keep within the limits that this process has: a file
/// that is larger than RLIMIT_FSIZE ends it by SIGXFSZ, and what is mapped here the program lacks.
/// An error number, or 0.
long fit(unsigned& halvings) noexcept;

/// Entries that the table of locks, sites or stacks has room for.
std::size_t room_for_locks(unsigned halvings) noexcept;
std::size_t room_for_sites(unsigned halvings) noexcept;
std::size_t room_for_stacks(unsigned halvings) noexcept;

/// Makes room for so many entries more in `of`, whose first entry is at `entries`. False where the
/// table is full, or the file system, or nothing may be asked of the kernel any more. An entry is
/// counted only by its maker, once it is complete.
bool make_room(table& of, void* entries, std::uint32_t more = 1) noexcept;

/// Leaves word in `directory` that nothing is recorded of this process, and why.
void leave_note(const char* directory, long error) noexcept;

}  // namespace fencepost::profiler
