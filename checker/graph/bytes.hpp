// SPDX-License-Identifier: MIT
// Plain values as bytes, to send them to another process or to keep them in a file. Nothing is
// converted: whoever reads them is the same program on the same kind of machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graph/storage.hpp"

namespace fencepost::checker {

using Bytes = Array<char>;

inline void put_bytes(Bytes* out, const void* from, std::size_t count) {
  const std::size_t old = out->size();
  out->resize(old + count);
  if (count != 0) std::memcpy(out->data() + old, from, count);
}

template <typename T>
void put(Bytes* out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  put_bytes(out, &value, sizeof value);
}

// Reads what put wrote. Past the end it reads zeros and remembers that it did.
class BytesIn {
 public:
  BytesIn(const char* data, std::size_t size) : at_(data), left_(size) {}

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    take_bytes(&value, sizeof value);
    return value;
  }
  void take_bytes(void* into, std::size_t count) {
    const char* from = skip(count);
    if (from != nullptr && count != 0) std::memcpy(into, from, count);
  }
  // The next `count` bytes where they are; nullptr if there are fewer.
  const char* skip(std::size_t count) {
    if (count > left_) {
      fail();
      return nullptr;
    }
    const char* from = at_;
    at_ += count;
    left_ -= count;
    return from;
  }
  std::size_t left() const { return left_; }
  bool ok() const { return ok_; }
  // What was read makes no sense.
  void fail() {
    ok_ = false;
    left_ = 0;
  }

 private:
  const char* at_;
  std::size_t left_;
  bool ok_ = true;
};

}  // namespace fencepost::checker
