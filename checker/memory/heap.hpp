// SPDX-License-Identifier: MIT
// The heap of the program under test: one bump allocator a thread, so that an address depends only
// on what its thread allocated before. Nothing is reused within an execution but what reuse.cpp
// chooses, so that an access to freed memory is always seen. Before main the startup thread is
// thread 0; what it allocated is kept and put back before every execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/bytes.hpp"
#include "graph/storage.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

class Heap {
 public:
  struct Block {
    std::uintptr_t address;
    std::size_t size;
    std::uint64_t allocated_at;  // pc
    std::uint64_t freed_at;      // pc, 0: live
    std::uint32_t freed_index;   // events of the thread that freed it, before it did
    std::uint32_t
        allocated_index;    // ... of the thread whose heap it is of, before that allocated it
    std::uint8_t freed_by;  // that thread; kMaxThreads: freed before main
    bool startup;
    bool given_again;   // by reuse.cpp, perhaps to another thread
    bool is_exception;  // which the C++ library may hold
    bool reachable;     // set and used by leaks.cpp
    bool is_mapped;     // by mmap(), not malloc()
  };

  // What fresh memory holds: a pattern that is less than 0 as a number, zeros, 1 in each four
  // bytes, or what is large, also as a floating-point number.
  enum class Contents : std::uint8_t { usual, zeros, ones, large };
  static constexpr std::uint8_t kFreshByte = 0xBE;
  static std::uint8_t fresh_byte(Contents contents, std::uintptr_t address) {
    constexpr std::uint8_t kLarge = 0x7F;
    if (contents == Contents::usual) return kFreshByte;
    if (contents == Contents::large) return kLarge;
    return contents == Contents::ones && (address & 3) == 0 ? 1 : 0;
  }
  // From now on fresh memory in this part of the heap holds something else.
  void fill_otherwise(Contents contents, std::uintptr_t begin, std::size_t size) {
    other_contents_ = contents;
    other_begin_ = begin;
    other_size_ = size;
  }

  // What fresh memory holds everywhere, if it is the same everywhere and not the usual.
  bool all_is_otherwise() const {
    return other_contents_ != Contents::usual && other_begin_ == 0 && ~other_size_ == 0;
  }
  Contents other_contents() const { return other_contents_; }

  // What fresh memory holds there.
  std::uint8_t fresh_now(std::uintptr_t address) const {
    const bool otherwise = address - other_begin_ < other_size_;
    return fresh_byte(otherwise ? other_contents_ : Contents::usual, address);
  }
  bool is_fresh(std::uintptr_t address) const {
    return *reinterpret_cast<const std::uint8_t*>(address) == fresh_now(address);
  }
  // Makes fresh memory of this.
  void* fill(std::uintptr_t address, std::size_t size) const;

  // Makes it hold what fresh memory would, where that is not the usual.
  void fill_where_otherwise(std::uintptr_t address, std::size_t size) const;

  // By a thread that has come to so many events. nullptr when its arena is full. The contents are a
  // fixed pattern.
  void* allocate(unsigned thread, std::uint32_t index, std::size_t size, std::size_t alignment,
                 std::uint64_t pc);
  // A block that was freed lives once more.
  void* give_again(Block& block, std::size_t size, std::uint64_t pc);
  // The block that holds this address, or nullptr.
  Block* find(std::uintptr_t address);

  // Everything allocated so far belongs to the state before main.
  void keep_startup();
  // Back to the state before main.
  void reset();
  // The same for the state in which main makes the first thread: prefix.cpp.
  void keep_prefix();
  void resume_prefix();
  const Bytes& prefix() const { return prefix_copy_; }
  // Where the blocks of the thread begin, and where they end so far; 0 if it has none.
  static std::uintptr_t begin(unsigned thread) { return regions::heap(thread) + kLargestGap; }
  std::uintptr_t end(unsigned thread) const { return arenas_[thread].next; }
  std::size_t size(unsigned thread) const {
    return end(thread) == 0 ? 0 : end(thread) - begin(thread);
  }
  const Array<Block>& blocks(unsigned thread) const { return arenas_[thread].blocks; }

 private:
  // What lies around a block and belongs to none: who goes past the end by an element of an array
  // comes there, for no element is larger than its block.
  static constexpr std::size_t kSmallestGap = 16;
  static constexpr std::size_t kLargestGap = 4096;
  static std::size_t gap_behind(std::size_t size);

  struct Arena {
    std::uintptr_t next = 0;
    Array<Block> blocks;
  };
  void clear_arenas();

  Arena arenas_[64];
  Contents other_contents_ = Contents::usual;
  std::uintptr_t other_begin_ = 0;
  std::size_t other_size_ = 0;
  std::uint32_t startup_blocks_ = 0;
  std::uintptr_t startup_end_ = 0;
  void* startup_copy_ = nullptr;
  Array<Block> prefix_blocks_;
  Bytes prefix_copy_;
  std::uint64_t used_ = 0;  // bit t: thread t has allocated in this execution
};

}  // namespace fencepost::checker
