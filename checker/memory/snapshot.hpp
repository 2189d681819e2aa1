// SPDX-License-Identifier: MIT
// Puts the program's global and thread-local variables back to what they were when main was called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/storage.hpp"
#include "machine/thread_storage.hpp"
#include "memory/library_handlers.hpp"

namespace fencepost::checker {

class Snapshot {
 public:
  // Finds the executable's writable data and the thread-local storage of all loaded modules.
  void find();
  // Keeps their contents.
  void take();
  void restore();
  // ... what the program has changed in the C++ library.
  void restore_library() const { handlers_.put_back(); }

  // A private copy of the thread-local storage and the thread control block in `area`, which has
  // `size` bytes; returns the thread pointer to use, 0 if it does not fit.
  std::uintptr_t make_thread_storage(std::uintptr_t area, std::size_t size);
  // Puts the thread-local variables of such a copy back.
  void restore_thread_storage(std::uintptr_t thread_pointer);

  // The thread-local variables beside a thread pointer.
  std::uintptr_t variables_begin(std::uintptr_t pointer) const {
    return pointer + static_cast<std::uintptr_t>(variables_.begin);
  }
  std::uintptr_t variables_end(std::uintptr_t pointer) const {
    return pointer + static_cast<std::uintptr_t>(variables_.end);
  }

  // Of these, where the program's own begin, not those of its libraries.
  static std::uintptr_t own_variables_begin(std::uintptr_t pointer) {
    constexpr unsigned kProgram = 1;
    return thread_storage::module_table(pointer)[2 * kProgram];
  }

  // The program's global variables: data without the checker's own.
  unsigned ranges() const { return ranges_.size(); }
  std::uintptr_t range_begin(unsigned i) const { return ranges_[i].begin; }
  std::size_t range_size(unsigned i) const { return ranges_[i].size; }
  bool is_global(std::uintptr_t address) const {
    for (const Range& r : ranges_) {
      if (address - r.begin < r.size) return true;
    }
    return false;
  }
  // A variable of the checker's own.
  static bool is_checkers(std::uintptr_t address);

  // The variables of the C++ library itself, which are not put back: has anything changed them
  // since they were noted?
  void note_library();
  bool has_library_changed() const;

  std::uintptr_t data_begin() const { return data_begin_; }
  std::uintptr_t data_end() const { return data_end_; }

 private:
  struct Range {
    std::uintptr_t begin;
    std::size_t size;
    void* copy;
  };
  void add(std::uintptr_t begin, std::uintptr_t end);

  Array<Range> ranges_;
  Range library_{};
  std::uintptr_t data_begin_ = 0;
  std::uintptr_t data_end_ = 0;
  std::uintptr_t startup_pointer_ =
      0;  // thread pointer of the thread that the process started with
  thread_storage::Extent variables_{};  // thread-local variables beside a thread pointer
  void* variables_copy_ = nullptr;
  LibraryHandlers handlers_;
};

}  // namespace fencepost::checker
