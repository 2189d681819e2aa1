// SPDX-License-Identifier: MIT
//
// The C library's own functions, which those of this library stand before.
//
// All are looked up when this library is initialised, and until then when they are first needed:
// the first lock may be taken before any constructor has run, by the dynamic linker's or an
// allocator's own start. Later is too late. The dynamic linker has a lock of its own, which a
// thread holds in dlopen() while constructors wait for other threads; a signal handler may
// interrupt its holder; and a look-up forgets what dlerror() was to say. Nothing is allocated here.
#pragma once

#include <atomic>

namespace fencepost::preload {

/// The address of the function `name` behind this library in the search order, or null.
void* look_up(const char* name) noexcept;

/// Ends the program with a message: it has called a function that its C library does not have.
[[noreturn]] void is_missing(const char* name) noexcept;

class real_function {
 public:
  explicit constexpr real_function(const char* name) noexcept : name_(name) {}

  [[nodiscard]] void* address() const noexcept {
    // relaxed: every thread finds the same address, and what is behind it never changes.
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]]
      found = find();
    if (found == nullptr) [[unlikely]]
      is_missing(name_);
    return found;
  }

  void* find() const noexcept {
    void* const found = look_up(name_);
    found_.store(found, std::memory_order_relaxed);
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
  [[gnu::constructor]] void find_##name() noexcept { found_##name.find(); }           \
  template <class... Arguments>                                                       \
  auto real_##name(Arguments... arguments) {                                          \
    return reinterpret_cast<decltype(&::name)>(found_##name.address())(arguments...); \
  }                                                                                   \
  static_assert(true)
