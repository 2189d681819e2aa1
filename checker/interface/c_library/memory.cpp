// SPDX-License-Identifier: MIT
// The C library's heap and the functions that move bytes (strings: strings.cpp).
//
// What libraries allocate for themselves (the C library's buffers, the C++ runtime's emergency
// pool) is not part of the program's state and comes from the checker's own store.
#include <errno.h>
#include <malloc.h>

#include <bit>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/allocations.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/reuse.hpp"
#include "interface/c_library/allocation.hpp"
#include "interface/c_library/printf_arguments.hpp"
#include "interface/c_library/touched.hpp"
#include "machine/program_code.hpp"
#include "memory/regions.hpp"
#include "search/before_main.hpp"

namespace checker = fencepost::checker;
using checker::copies_apart;
using checker::execution;
using checker::program_allocate;
using checker::program_free;
using checker::touched;
using checker::writes;

namespace fencepost::checker {

void* program_allocate(std::size_t size, std::size_t alignment, std::uint64_t pc) {
  const bool is_exploring = exploring();
  if (is_exploring) {
    settle_plain_writes();
    execution.current->effect();
  }
  if (is_exploring) {
    if (void* again = freed_memory.give(size, alignment, pc)) return again;
  }
  const unsigned thread = is_exploring ? execution.current->id : 0;
  const std::uint32_t index = is_exploring ? execution.current->cursor : 0;
  void* p = execution.heap.allocate(thread, index, size, alignment, pc);
  if (p == nullptr) {
    execution.unsupported(pc, "a thread allocates more than %lu MiB in one execution",
                          static_cast<unsigned long>(regions::kHeapSize >> 20));
  }
  return p;
}

void program_free(void* p, std::uint64_t pc) {
  const auto address = address_of(p);
  Heap::Block* b = execution.heap.find(address);
  if (!exploring()) {
    if (fails_before_main() && (b == nullptr || b->address != address)) {
      violate_before_main("memory", pc, "free of what is no allocated block, before main");
    }
    if (fails_before_main() && b->freed_at != 0) {
      violate_before_main("memory", pc, "double free of 0x%lx before main",
                          static_cast<unsigned long>(address));
    }
    if (b != nullptr) b->freed_at = pc;
    return;
  }
  if (b == nullptr || b->address != address) {
    execution.violate("memory", pc, "free of 0x%lx, which is not the start of an allocated block",
                      static_cast<unsigned long>(address));
  }
  if (b->freed_at != 0) {
    execution.violate("memory", pc, "double free of 0x%lx (first freed at pc 0x%lx)",
                      static_cast<unsigned long>(address), static_cast<unsigned long>(b->freed_at));
  }
  must_know_allocation(*b, address, true, "memory is freed: this", pc);
  end_life(address, b->size, pc);
  execution.counters.memory_freed = 1;
  b->freed_at = pc;
  b->freed_by = static_cast<std::uint8_t>(execution.current->id);
  b->freed_index = execution.current->cursor;
  if (!b->startup) freed_memory.add(address, b->size, pc);
}

}  // namespace fencepost::checker

namespace {

// A library's block is preceded by its size.
constexpr std::size_t kHeader = 16;

void* library_allocate(std::size_t size, std::size_t alignment) {
  if (size > (std::size_t{1} << 40)) return nullptr;
  ++execution.library_blocks;
  const std::size_t extra = kHeader + (alignment > 16 ? alignment : 0);
  char* block = static_cast<char*>(checker::storage_take(size + extra));
  auto start = reinterpret_cast<std::uintptr_t>(block) + kHeader;
  if (alignment > 16) start = (start + alignment - 1) & ~(alignment - 1);
  auto* header = reinterpret_cast<std::size_t*>(start - kHeader);
  header[0] = size;
  header[1] = alignment > 16 ? 0 : size + extra;  // over-aligned blocks are not given back
  return reinterpret_cast<void*>(start);
}

std::size_t library_size(void* p) { return static_cast<std::size_t*>(p)[-2]; }

void library_free(void* p) {
  --execution.library_blocks;
  const std::size_t whole = static_cast<std::size_t*>(p)[-1];
  if (whole != 0) checker::storage_give(static_cast<char*>(p) - kHeader, whole);
}

void* allocate(std::size_t size, std::size_t alignment, std::uint64_t pc) {
  return checker::is_program_code(pc) ? program_allocate(size, alignment, pc)
                                      : library_allocate(size, alignment);
}

void release(void* p, std::uint64_t pc) {
  if (p == nullptr) return;
  if (checker::regions::in_heap(checker::address_of(p))) {
    const checker::Heap::Block* b = execution.heap.find(checker::address_of(p));
    if (b != nullptr && b->is_mapped && checker::exploring()) {
      execution.violate("memory", pc, "free of 0x%lx, which mmap() has given",
                        static_cast<unsigned long>(checker::address_of(p)));
    }
    program_free(p, pc);
  } else if (execution.is_program_memory(checker::address_of(p))) {
    if (!checker::exploring()) {
      checker::violate_before_main("memory", pc, "free of what is not on the heap, before main");
    }
    execution.violate("memory", pc, "free of 0x%lx, which is not on the heap",
                      static_cast<unsigned long>(checker::address_of(p)));
  } else {
    library_free(p);
  }
}

std::size_t size_of(void* p) {
  if (!checker::regions::in_heap(checker::address_of(p))) return library_size(p);
  const checker::Heap::Block* b = execution.heap.find(checker::address_of(p));
  return b == nullptr ? 0 : b->size;
}

void* grow(void* old, std::size_t size, std::uint64_t pc) {
  if (old == nullptr) return allocate(size, 16, pc);
  if (size == 0) {  // glibc's way: C17 leaves it open, and in C23 it is undefined
    release(old, pc);
    return nullptr;
  }
  const std::size_t before = size_of(old);
  void* p = checker::regions::in_heap(checker::address_of(old)) ? program_allocate(size, 16, pc)
                                                                : library_allocate(size, 16);
  if (p == nullptr) return nullptr;
  const std::size_t kept = before < size ? before : size;
  touched(old, kept, false, pc);
  touched(p, kept, true, pc);
  std::memcpy(p, old, kept);
  release(old, pc);
  return p;
}

// Room for text that somebody makes, who is to free it.
int print_to_new(char** to, const char* format, std::va_list arguments, std::uint64_t pc) {
  checker::follow_printf(format, arguments, pc);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  writes(to, sizeof *to, pc);
  if (length < 0) return length;
  const auto size = static_cast<std::size_t>(length) + 1;
  auto* text = static_cast<char*>(allocate(size, 16, pc));
  if (text == nullptr) return -1;
  writes(text, size, pc);
  *to = text;
  return std::vsnprintf(text, size, format, arguments);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return allocate(size, 16, FENCEPOST_PC()); }
void free(void* p) { release(p, FENCEPOST_PC()); }

void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* p = allocate(bytes, 16, FENCEPOST_PC());
  if (p == nullptr) return nullptr;
  touched(p, bytes, true, FENCEPOST_PC());
  return std::memset(p, 0, bytes);
}

void* realloc(void* old, std::size_t size) { return grow(old, size, FENCEPOST_PC()); }

void* reallocarray(void* old, std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return grow(old, bytes, FENCEPOST_PC());
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocate(size, alignment, FENCEPOST_PC());
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocate(size, alignment, FENCEPOST_PC());
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (alignment % sizeof(void*) != 0 || !std::has_single_bit(alignment)) return EINVAL;
  writes(p, sizeof *p, pc);
  *p = allocate(size, alignment, pc);
  return 0;
}
std::size_t malloc_usable_size(void* p) { return p == nullptr ? 0 : size_of(p); }

// ---- The program's calls are sent to these (redefined-symbols.txt)

int fencepost_vasprintf(char** to, const char* format, std::va_list list) {
  checker::takes_arguments(list, FENCEPOST_PC());
  return print_to_new(to, format, list, FENCEPOST_PC());
}
int fencepost_asprintf(char** to, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const int length = print_to_new(to, format, list, FENCEPOST_PC());
  va_end(list);
  return length;
}

// The program's own calls are renamed to these when it is compiled for the checker.
void* fencepost_memcpy(void* to, const void* from, std::size_t n) {
  copies_apart(to, from, n, FENCEPOST_PC());
  return std::memcpy(to, from, n);
}
void* fencepost_memmove(void* to, const void* from, std::size_t n) {
  touched(from, n, false, FENCEPOST_PC());
  touched(to, n, true, FENCEPOST_PC());
  return std::memmove(to, from, n);
}
void* fencepost_memset(void* to, int byte, std::size_t n) {
  touched(to, n, true, FENCEPOST_PC());
  return std::memset(to, byte, n);
}
int fencepost_memcmp(const void* a, const void* b, std::size_t n) {
  touched(a, n, false, FENCEPOST_PC());
  touched(b, n, false, FENCEPOST_PC());
  return std::memcmp(a, b, n);
}
int fencepost_bcmp(const void* a, const void* b, std::size_t n)
    __attribute__((alias("fencepost_memcmp")));
void fencepost_bzero(void* to, std::size_t n) {
  touched(to, n, true, FENCEPOST_PC());
  std::memset(to, 0, n);
}
void fencepost_explicit_bzero(void* to, std::size_t n) __attribute__((alias("fencepost_bzero")));
void fencepost_bcopy(const void* from, void* to, std::size_t n) {
  touched(from, n, false, FENCEPOST_PC());
  touched(to, n, true, FENCEPOST_PC());
  std::memmove(to, from, n);
}
void* fencepost_mempcpy(void* to, const void* from, std::size_t n) {
  copies_apart(to, from, n, FENCEPOST_PC());
  return static_cast<char*>(std::memcpy(to, from, n)) + n;
}
// Newer compilers call these themselves.
void* __tsan_memcpy(void* to, const void* from, std::size_t n)
    __attribute__((alias("fencepost_memcpy")));
void* __tsan_memmove(void* to, const void* from, std::size_t n)
    __attribute__((alias("fencepost_memmove")));
void* __tsan_memset(void* to, int byte, std::size_t n) __attribute__((alias("fencepost_memset")));
char* fencepost_strndup(const char* s, std::size_t most) {
  const std::size_t length = checker::reads_string(s, most, FENCEPOST_PC());
  auto* copy = static_cast<char*>(allocate(length + 1, 16, FENCEPOST_PC()));
  touched(copy, length + 1, true, FENCEPOST_PC());
  std::memcpy(copy, s, length);
  copy[length] = '\0';
  return copy;
}
char* fencepost_strdup(const char* s) {
  const std::size_t size = std::strlen(s) + 1;
  touched(s, size, false, FENCEPOST_PC());
  void* copy = allocate(size, 16, FENCEPOST_PC());
  touched(copy, size, true, FENCEPOST_PC());
  return static_cast<char*>(std::memcpy(copy, s, size));
}

}  // extern "C"

// The C++ allocation functions are the program's, whoever calls them: containers of the standard
// library hold the program's data. They have the names that the C++ ABI gives them.
extern "C" {

#define FENCEPOST_NEW(symbol) \
  void* symbol(std::size_t size) { return program_allocate(size, 16, FENCEPOST_PC()); }
#define FENCEPOST_NEW_NOTHROW(symbol) \
  void* symbol(std::size_t size, const void*) { return program_allocate(size, 16, FENCEPOST_PC()); }
#define FENCEPOST_NEW_ALIGNED(symbol)                         \
  void* symbol(std::size_t size, std::size_t alignment) {     \
    return program_allocate(size, alignment, FENCEPOST_PC()); \
  }
#define FENCEPOST_DELETE(symbol) \
  void symbol(void* p) { release(p, FENCEPOST_PC()); }

FENCEPOST_NEW(_Znwm)
FENCEPOST_NEW(_Znam)
FENCEPOST_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
FENCEPOST_NEW_NOTHROW(_ZnamRKSt9nothrow_t)
FENCEPOST_NEW_ALIGNED(_ZnwmSt11align_val_t)
FENCEPOST_NEW_ALIGNED(_ZnamSt11align_val_t)
FENCEPOST_DELETE(_ZdlPv)
FENCEPOST_DELETE(_ZdaPv)
FENCEPOST_DELETE(_ZdlPvm)
FENCEPOST_DELETE(_ZdaPvm)
FENCEPOST_DELETE(_ZdlPvSt11align_val_t)
FENCEPOST_DELETE(_ZdaPvSt11align_val_t)
FENCEPOST_DELETE(_ZdlPvmSt11align_val_t)
FENCEPOST_DELETE(_ZdaPvmSt11align_val_t)
FENCEPOST_DELETE(_ZdlPvRKSt9nothrow_t)
FENCEPOST_DELETE(_ZdaPvRKSt9nothrow_t)

}  // extern "C"
