// SPDX-License-Identifier: MIT
//
// The C library's own functions, which those of this library stand before.
//
// They are looked up when they are first needed, not when the library is loaded: the first lock may
// be taken before any constructor has run, by the dynamic linker's or an allocator's own start.
// Most programs never need one. Nothing is allocated here.
#pragma once

#include <atomic>

namespace fencepost::preload {

/// The address of the function `name` behind this library in the search order. Ends the program
/// with a message where there is none, which no C library with threads comes to.
void* look_up(const char* name) noexcept;

class real_function {
 public:
  explicit constexpr real_function(const char* name) noexcept : name_(name) {}

  [[nodiscard]] void* address() const noexcept {
    // relaxed: every thread finds the same address, and what is behind it never changes.
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]] {
      found = look_up(name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  mutable std::atomic<void*> found_{nullptr};
};

}  // namespace fencepost::preload

/// A function `real_NAME` that calls the C library's NAME.
#define FENCEPOST_REAL(name)                                                          \
  constinit const ::fencepost::preload::real_function found_##name{#name};            \
  template <class... Arguments>                                                       \
  auto real_##name(Arguments... arguments) {                                          \
    return reinterpret_cast<decltype(&::name)>(found_##name.address())(arguments...); \
  }                                                                                   \
  static_assert(true)
