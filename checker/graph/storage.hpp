// SPDX-License-Identifier: MIT
// Memory for the checker itself.
//
// The checker is linked into the program that it checks and replaces that program's malloc, so it
// must not allocate from it: everything here comes straight from mmap, is kept in power-of-two free
// lists and is never given back. In a steady state nothing is allocated at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fencepost::checker {

// Returns at least `bytes` bytes of zeroed or recycled memory, 16-byte aligned. Ends the process
// with a message when the kernel has no more.
void* storage_take(std::size_t bytes);

// Gives back what storage_take(bytes) returned.
void storage_give(void* block, std::size_t bytes);

// Reserves address space that costs nothing until it is touched; `at` is a wish, 0 for none.
void* storage_reserve(std::size_t bytes, std::uintptr_t at = 0);

// A growable array of trivially copyable elements that keeps its capacity for ever.
template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (data_ != nullptr) storage_give(data_, capacity_ * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void clear() { size_ = 0; }
  void truncate(std::size_t size) { size_ = static_cast<std::uint32_t>(size); }
  void pop_back() { --size_; }

  T& push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;  // which may be an element
      grow(size_ + 1);
      data_[size_] = copy;
    } else {
      data_[size_] = value;
    }
    return data_[size_++];
  }

  // Elements past the old size have unspecified values.
  void resize(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = static_cast<std::uint32_t>(size);
  }

  void insert(std::size_t at, const T& value) {
    const T copy = value;
    resize(size_ + 1);
    std::memmove(data_ + at + 1, data_ + at, (size_ - 1 - at) * sizeof(T));
    data_[at] = copy;
  }

  void erase(std::size_t at) {
    std::memmove(data_ + at, data_ + at + 1, (size_ - at - 1) * sizeof(T));
    --size_;
  }

  void assign(const T* from, std::size_t count) {
    resize(count);
    if (count != 0) std::memcpy(data_, from, count * sizeof(T));
  }

 private:
  void grow(std::size_t wanted) {
    std::size_t capacity = capacity_ == 0 ? 8 : capacity_;
    while (capacity < wanted) capacity *= 2;
    T* fresh = static_cast<T*>(storage_take(capacity * sizeof(T)));
    if (data_ != nullptr) {
      std::memcpy(static_cast<void*>(fresh), data_, size_ * sizeof(T));
      storage_give(data_, capacity_ * sizeof(T));
    }
    data_ = fresh;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace fencepost::checker
