// SPDX-License-Identifier: MIT
// mmap() of memory that is no file's: a block of zeros on the program's heap, which begins at a
// page and which munmap() frees. The program's calls are sent here (redefined-symbols.txt).
#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "execution/execution.hpp"
#include "interface/c_library/allocation.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

std::size_t page_size() { return static_cast<std::size_t>(getpagesize()); }

// 0: there is no such number of pages.
std::size_t whole_pages(std::size_t size) {
  const std::size_t page = page_size();
  return (size + page - 1) & ~(page - 1);
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

extern "C" {

void* fencepost_mmap(void*, std::size_t size, int protection, int flags, int, off_t) {
  const std::uint64_t pc = FENCEPOST_PC();
  const auto refuse = [&](const char* what) { execution.unsupported(pc, "'mmap()' %s", what); };
  if ((flags & MAP_ANONYMOUS) == 0) refuse("maps a file");
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN)) != 0)
    refuse("chooses where the memory lies");
  if (protection != (PROT_READ | PROT_WRITE))
    refuse("asks for other than memory to read and write");
  const int type = flags & MAP_TYPE;
  if (type == MAP_SHARED) checker::note_sharing(PTHREAD_PROCESS_SHARED);
  if ((type != MAP_SHARED && type != MAP_PRIVATE) || size == 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  const std::size_t bytes = whole_pages(size);
  if (bytes == 0) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const p = checker::program_allocate(bytes, page_size(), pc);
  execution.heap.find(checker::address_of(p))->is_mapped = true;
  checker::writes(p, bytes, pc);
  return std::memset(p, 0, bytes);
}

void* fencepost_mmap64(void*, std::size_t, int, int, int, off_t)
    __attribute__((alias("fencepost_mmap")));

int fencepost_munmap(void* p, std::size_t size) {
  const std::uint64_t pc = FENCEPOST_PC();
  const auto address = checker::address_of(p);
  if (address % page_size() != 0 || size == 0) return fail(EINVAL);
  const checker::Heap::Block* const block = execution.heap.find(address);
  if (block == nullptr || !block->is_mapped)
    execution.unsupported(pc, "'munmap()' of what mmap() has not given");
  if (block->address != address || block->size != whole_pages(size))
    execution.unsupported(pc, "'munmap()' of a part of what mmap() has given");
  checker::program_free(p, pc);
  return 0;
}

// What is advised or locked in memory stays what it is, but for what is thrown away.
int fencepost_madvise(void*, std::size_t, int advice) {
  switch (advice) {
    case MADV_NORMAL:
    case MADV_RANDOM:
    case MADV_SEQUENTIAL:
    case MADV_WILLNEED:
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case MADV_MERGEABLE:
    case MADV_UNMERGEABLE:
    case MADV_DONTDUMP:
    case MADV_DODUMP:
      return 0;
    default:
      execution.unsupported(FENCEPOST_PC(), "'madvise()' with advice %d", advice);
  }
}
int fencepost_mlock(const void*, std::size_t) { return 0; }
int fencepost_munlock(const void*, std::size_t) { return 0; }
int fencepost_mlockall(int) { return 0; }
int fencepost_munlockall() { return 0; }

}  // extern "C"
