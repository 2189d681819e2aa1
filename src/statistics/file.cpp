// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fencepost/kernel.hpp"
#include "recording.hpp"

namespace fencepost::statistics {

namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page - 1) / page * page;
}

struct place {
  std::size_t offset;
  std::size_t entry;
  std::size_t capacity;

  [[nodiscard]] constexpr std::size_t end() const noexcept {
    return offset + whole_pages(entry * capacity);
  }
};

// What has thousands of threads, a hundred thousand locks, and code of hundreds of libraries fits.
constexpr place modules_at{page, sizeof(module), 512};
constexpr place sites_at{modules_at.end(), sizeof(site), 16384};
constexpr place locks_at{sites_at.end(), sizeof(lock), 131072};
constexpr place threads_at{locks_at.end(), sizeof(thread), 8192};
constexpr place stacks_at{threads_at.end(), sizeof(stack), 16384};
constexpr std::size_t bytes = stacks_at.end();

/// Number 0 of each table is none: it takes its room and says nothing.
template <class Entry>
bool begin(table& one, const place& where, Entry*& entries, void* memory) noexcept {
  entries = reinterpret_cast<Entry*>(static_cast<std::byte*>(memory) + where.offset);
  one.offset = where.offset;
  one.entry = static_cast<std::uint32_t>(where.entry);
  one.capacity = static_cast<std::uint32_t>(where.capacity);
  if (!make_room(one, entries)) return false;
  one.used.store(1, std::memory_order_relaxed);
  return true;
}

char* append(char* to, char* end, const char* text) noexcept {
  while (*text != 0 && to + 1 < end) *to++ = *text++;
  *to = 0;
  return to;
}

char* append(char* to, char* end, std::uint64_t value) noexcept {
  char digits[21];
  char* first = digits + 20;
  *first = 0;
  do {
    *--first = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return append(to, end, first);
}

std::uint64_t nanoseconds(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void say(const char* text) noexcept {
  kernel::call(SYS_write, STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

std::uint64_t now() noexcept { return nanoseconds(CLOCK_MONOTONIC); }

void complain(const char* what, const char* which, long error) noexcept {
  char text[512];
  char* const end = text + sizeof text;
  char* at = append(text, end, "fencepost run: ");
  at = append(at, end, what);
  at = append(at, end, which);
  if (error != 0) {
    at = append(at, end, ": error ");
    const char* const name = ::strerrorname_np(static_cast<int>(error));
    at = name != nullptr ? append(at, end, name) : append(at, end, std::uint64_t(error));
  }
  append(at, end, "; nothing is recorded of this process\n");
  say(text);
}

bool file::open(std::uint32_t parent) noexcept {
  const char* const directory = ::secure_getenv("FENCEPOST_STATISTICS");
  if (directory == nullptr || *directory == 0) return false;
  const auto pid = static_cast<std::uint32_t>(kernel::call(SYS_getpid));
  const std::uint64_t began = now();
  char path[512];
  char* const end = path + sizeof path;
  char* at = append(path, end, directory);
  at = append(at, end, "/");
  at = append(at, end, pid);
  at = append(at, end, "-");
  at = append(at, end, began);
  append(at, end, ".locks");

  // By the kernel alone: open() would be a point where the caller can be cancelled.
  const long descriptor =
      kernel::call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    complain("cannot make ", path, -descriptor);
    return false;
  }
  long error = -kernel::call(SYS_ftruncate, descriptor, bytes);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    static_cast<int>(descriptor), 0);
    if (memory == MAP_FAILED) error = errno;
  }
  kernel::call(SYS_close, descriptor);
  if (error == 0 && !begin(memory)) error = ENOSPC;
  if (error != 0) {
    if (memory != MAP_FAILED) ::munmap(memory, bytes);
    kernel::call(SYS_unlinkat, AT_FDCWD, path, 0);
    complain("cannot map ", path, error);
    *this = {};
    return false;
  }
  head->pid = pid;
  head->parent = parent;
  head->began = began;
  head->began_real = nanoseconds(CLOCK_REALTIME);
  const char* const behind = ::secure_getenv("FENCEPOST_STATISTICS_LOCK");
  append(head->behind.data(), head->behind.data() + head->behind.size(),
         behind != nullptr ? behind : "glibc");
  head->sees_sleeps = std::strcmp(head->behind.data(), "glibc") == 0 ? 0 : 1;
  // release: whoever sees that it is one sees the rest. Pairs with the reader in another process.
  std::atomic_ref(head->magic).store(magic, std::memory_order_release);
  return true;
}

void file::close() noexcept {
  if (head != nullptr) ::munmap(head, bytes);
  *this = {};
}

bool file::begin(void* memory) noexcept {
  if (!make_room(table{0, page, 1, {0}, 0}, memory)) return false;
  head = static_cast<header*>(memory);
  return statistics::begin(head->modules, modules_at, modules, memory) &&
         statistics::begin(head->sites, sites_at, sites, memory) &&
         statistics::begin(head->locks, locks_at, locks, memory) &&
         statistics::begin(head->threads, threads_at, threads, memory) &&
         statistics::begin(head->stacks, stacks_at, stacks, memory);
}

bool make_room(const table& of, const void* entries) noexcept {
  const std::size_t used = of.used.load(std::memory_order_relaxed);
  if (used >= of.capacity) return false;
  const std::size_t begin = used * of.entry;
  const std::size_t end = begin + of.entry;
  // Room comes in pieces: where an entry reaches into a piece that no entry reached before.
  constexpr std::size_t piece = 8 * page;
  const std::size_t have = begin == 0 ? 0 : (begin + piece - 1) / piece * piece;
  if (end <= have) return true;
  const std::size_t all = whole_pages(std::size_t{of.capacity} * of.entry);
  const std::size_t want = std::min(all, (end + piece - 1) / piece * piece);
  // Touching what a full file system cannot give would kill the program; asked like this the kernel
  // says so. Before Linux 5.14 it cannot be asked, and is trusted.
  auto* const first = static_cast<const std::byte*>(entries) + have;
  const long error = kernel::call(SYS_madvise, first, want - have, MADV_POPULATE_WRITE);
  return error == 0 || error == -EINVAL;
}

}  // namespace fencepost::statistics
