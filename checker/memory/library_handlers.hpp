// SPDX-License-Identifier: MIT
// What the program may change in the C++ library, whose variables are not put back.
#pragma once

#include <exception>
#include <new>

namespace fencepost::checker {

// Gone from the headers of C++17, but not from the library.
using UnexpectedHandler = void (*)();
UnexpectedHandler set_unexpected(UnexpectedHandler handler) asm("_ZSt14set_unexpectedPFvvE");
UnexpectedHandler get_unexpected() asm("_ZSt14get_unexpectedv");

struct LibraryHandlers {
  std::terminate_handler terminates = nullptr;
  std::new_handler has_no_memory = nullptr;
  UnexpectedHandler unexpected = nullptr;
  void* default_resource = nullptr;  // whose header takes longer to read than all others together

  static LibraryHandlers now();
  bool operator==(const LibraryHandlers&) const = default;
  void put_back() const;
};

}  // namespace fencepost::checker
