// SPDX-License-Identifier: MIT
#include "graph/storage.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kSmallest = 4;  // 16 bytes
constexpr unsigned kClasses = 44;
constexpr std::size_t kChunk = std::size_t{1} << 20;

struct FreeBlock {
  FreeBlock* next;
};

struct Storage {
  FreeBlock* free_lists[kClasses];
  char* chunk;
  std::size_t chunk_left;
};

FENCEPOST_CHECKER_STATE Storage storage;

unsigned class_of(std::size_t bytes) {
  unsigned c = kSmallest;
  while ((std::size_t{1} << c) < bytes) ++c;
  return c;
}

[[noreturn]] void out_of_memory() {
  constexpr char message[] = "fencepost check: the kernel has no more memory to give\n";
  [[maybe_unused]] const auto written = write(2, message, sizeof message - 1);
  _exit(2);
}

}  // namespace

void* storage_reserve(std::size_t bytes, std::uintptr_t at) {
  void* p = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) out_of_memory();
  return p;
}

void* storage_take(std::size_t bytes) {
  const unsigned c = class_of(bytes);
  if (FreeBlock* block = storage.free_lists[c]) {
    storage.free_lists[c] = block->next;
    return block;
  }
  const std::size_t size = std::size_t{1} << c;
  if (size >= kChunk) return storage_reserve(size);
  if (storage.chunk_left < size) {
    storage.chunk = static_cast<char*>(storage_reserve(kChunk));
    storage.chunk_left = kChunk;
  }
  void* p = storage.chunk;
  storage.chunk += size;
  storage.chunk_left -= size;
  return p;
}

void storage_give(void* block, std::size_t bytes) {
  const unsigned c = class_of(bytes);
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = storage.free_lists[c];
  storage.free_lists[c] = freed;
}

}  // namespace fencepost::checker
