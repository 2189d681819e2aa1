// SPDX-License-Identifier: MIT
//
// A library of atomic operations, ours or the system's, opened while the program runs: so one
// program measures several in turn, calling each through pointers as a program calls it through the
// linker's table. Each keeps its own locks, and no object here is given to two of them at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

class library {
 public:
  using load_type = void(std::size_t, const volatile void*, void*, int);
  using store_type = void(std::size_t, volatile void*, const void*, int);
  using exchange_type = void(std::size_t, volatile void*, const void*, void*, int);
  // Whoever declares bool looks at one byte, and int at four: this reads both alike.
  using compare_exchange_type = bool(std::size_t, volatile void*, void*, const void*, int, int);

  /// Opens "NAME=PATH" or "PATH"; ends the program with a message where that cannot be.
  explicit library(const std::string& named);

  const std::string& name() const { return name_; }

  /// A function by its name, as a pointer to what the caller knows it to be. Ends the program where
  /// there is none.
  template <class Function>
  Function* function(const std::string& symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }

  /// Whether it calls atomic_inject() when it has taken a lock: see descheduling.hpp.
  bool calls_inject() const;

 private:
  void* address(const std::string& symbol) const;

  std::string name_;
  std::string path_;
  void* handle_;
};

}  // namespace bench
