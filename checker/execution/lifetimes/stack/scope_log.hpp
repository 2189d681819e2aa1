// SPDX-License-Identifier: MIT
// The beginnings and ends of a thread's local variables, in their order (scopes.cpp).
//
// They come by the million and are looked at hardly ever, so they are only written down. Of each
// byte the last entry counts; from time to time those that no byte has as its last one go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/storage.hpp"

namespace fencepost::checker {

class ScopeLog {
 public:
  struct Entry {
    std::uintptr_t address;
    std::size_t size;
    std::uint64_t pc;
    std::uint32_t index;  // events of the thread before it
    bool ends;

    bool has(std::uintptr_t byte) const { return byte - address < size; }
    bool has_all_of(const Entry& other) const {
      return other.address >= address && other.address + other.size <= address + size;
    }
  };

  void begins(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
    add({address, size, pc, 0, false});
  }
  void ends(std::uintptr_t address, std::size_t size, std::uint32_t index, std::uint64_t pc) {
    add({address, size, pc, index, true});
    ++changes_;
  }
  void clear() {
    entries_.clear();
    ++changes_;
  }

  // From now on it is what the other one is.
  void assign(const ScopeLog& other) {
    entries_.assign(other.entries_.data(), other.entries_.size());
    ++changes_;
  }

  // What began or ended last and has this byte.
  const Entry* last_of(std::uintptr_t byte) const {
    for (std::uint32_t i = entries_.size(); i-- > 0;) {
      if (entries_[i].has(byte)) return &entries_[i];
    }
    return nullptr;
  }

  // The end of what this byte belonged to, nullptr where it may be accessed.
  const Entry* end_of(std::uintptr_t byte) {
    Looked& looked = looked_[byte / 8 % kLooked];
    if (looked.byte == byte && looked.changes == changes_) return nullptr;
    for (std::uint32_t i = entries_.size(); i-- > 0;) {
      if (!entries_[i].has(byte)) continue;
      if (entries_[i].ends) return &entries_[i];
      break;
    }
    looked = {byte, changes_};
    return nullptr;
  }

 private:
  // Bytes that might be accessed, and still may if nothing has ended since.
  static constexpr unsigned kLooked = 8;
  struct Looked {
    std::uintptr_t byte;
    std::uint64_t changes;
  };

  void add(const Entry& entry) {
    if (entries_.size() >= most_) forget();
    entries_.push_back(entry);
  }
  void forget();

  Array<Entry> entries_;
  std::uint64_t changes_ = 1;
  std::uint32_t most_ = 64;
  Looked looked_[kLooked] = {};
};

}  // namespace fencepost::checker
