// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "fencepost/detail/kernel.hpp"
#include "process.hpp"

namespace fencepost::profiler {

namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t whole(std::size_t unit, std::size_t bytes) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// Entries of a table: where nothing limits the file, and how many it has to have at least.
struct extent {
  std::uint32_t entry;
  std::uint32_t most;
  std::uint32_t least;

  [[nodiscard]] constexpr std::uint32_t capacity(unsigned halvings) const noexcept {
    return std::max(most >> halvings, least);
  }
  [[nodiscard]] constexpr std::size_t bytes(unsigned halvings) const noexcept {
    return whole(page, std::size_t{entry} * capacity(halvings));
  }
};

// What has thousands of threads, a hundred thousand locks, and code of hundreds of libraries fits.
constexpr extent modules_of{sizeof(module), most_modules, 64};
constexpr extent sites_of{sizeof(site), 16384, 1024};
constexpr extent locks_of{sizeof(lock), 131072, 1024};
constexpr extent threads_of{sizeof(thread), 8192, 64};
constexpr extent stacks_of{sizeof(stack), 16384, 256};
constexpr unsigned most_halvings = 7;

constexpr std::size_t bytes_of_file(unsigned halvings) noexcept {
  return page + modules_of.bytes(halvings) + sites_of.bytes(halvings) + locks_of.bytes(halvings) +
         threads_of.bytes(halvings) + stacks_of.bytes(halvings);
}

/// Number 0 of each table is none: it takes its room and says nothing.
template <class Entry>
bool begin(table& one, const extent& of, unsigned halvings, std::size_t& offset, Entry*& entries,
           void* memory) noexcept {
  entries = reinterpret_cast<Entry*>(static_cast<std::byte*>(memory) + offset);
  one.offset = offset;
  one.entry = of.entry;
  one.capacity = of.capacity(halvings);
  offset += of.bytes(halvings);
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

/// "DIRECTORY/PID-TIME" and what comes behind it.
struct own_path {
  std::array<char, 512> text;

  own_path(const char* directory, std::uint64_t time, const char* ending) noexcept {
    char* const end = text.data() + text.size();
    char* at = append(text.data(), end, directory);
    at = append(at, end, "/");
    at = append(at, end, static_cast<std::uint64_t>(kernel::call(SYS_getpid)));
    at = append(at, end, "-");
    at = append(at, end, time);
    append(at, end, ending);
  }
};

std::uint64_t limit(int of) noexcept {
  rlimit64 found{};
  const long error = kernel::call(SYS_prlimit64, 0, of, nullptr, &found);
  return error == 0 ? found.rlim_cur : RLIM64_INFINITY;
}

/// Calls the kernel where that might send the signal of a file too large, or of a pipe that nobody
/// reads: an error is enough.
template <class Call>
long without_signals(Call call) noexcept {
  const std::uint64_t fatal = 1UL << (SIGXFSZ - 1) | 1UL << (SIGPIPE - 1);
  std::uint64_t before = 0;
  kernel::call(SYS_rt_sigprocmask, SIG_BLOCK, &fatal, &before, sizeof before);
  const long result = call();
  if (result == -EFBIG || result == -EPIPE) {
    const timespec at_once{};
    kernel::call(SYS_rt_sigtimedwait, &fatal, nullptr, &at_once, sizeof fatal);
  }
  kernel::call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  return result;
}

/// Gives them memory. Touching what a full file system, or a quota, cannot give would end the
/// program; the kernel, asked like this, says so.
bool populate(std::byte* first, std::size_t bytes) noexcept {
  if (kernel::call(SYS_madvise, first, bytes, MADV_POPULATE_WRITE) == 0) return true;
  // So far for Linux 5.14 and later. Any kernel can be made to write there itself.
  for (std::size_t at = 0; at < bytes; at += page) {
    if (kernel::call(SYS_clock_getres, CLOCK_MONOTONIC, first + at) != 0) return false;
    std::memset(first + at, 0, sizeof(timespec));
  }
  return true;
}

/// On standard error, where somebody reads it at once.
void say(const char* text) noexcept {
  pollfd errors{STDERR_FILENO, POLLOUT, 0};
  const timespec at_once{};
  if (kernel::call(SYS_ppoll, &errors, 1, &at_once, nullptr, 0) != 1) return;
  if ((errors.revents & POLLOUT) == 0) return;
  without_signals([&] { return kernel::call(SYS_write, STDERR_FILENO, text, std::strlen(text)); });
}

}  // namespace

std::uint64_t now() noexcept { return nanoseconds(CLOCK_MONOTONIC); }

long fit(unsigned& halvings) noexcept {
  const std::uint64_t largest_file = limit(RLIMIT_FSIZE);
  // Of the address space a sixteenth. The maps from addresses to entries are private memory, a
  // seventh of the file.
  const std::uint64_t most = std::min({largest_file, limit(RLIMIT_AS) / 16, limit(RLIMIT_DATA)});
  for (halvings = 0; halvings <= most_halvings; ++halvings) {
    if (bytes_of_file(halvings) <= most) return 0;
  }
  return bytes_of_file(most_halvings) > largest_file ? EFBIG : ENOMEM;
}

std::size_t room_for_locks(unsigned halvings) noexcept { return locks_of.capacity(halvings); }
std::size_t room_for_sites(unsigned halvings) noexcept { return sites_of.capacity(halvings); }
std::size_t room_for_stacks(unsigned halvings) noexcept { return stacks_of.capacity(halvings); }

long file::open(const char* directory, unsigned halvings, std::uint32_t parent) noexcept {
  if (here.began == 0) here.began = now();
  const std::uint64_t began = here.began;
  const own_path path(directory, began, ".locks");
  // By the kernel alone: open() would be a point where the caller can be cancelled.
  const long descriptor = kernel::call(SYS_openat, AT_FDCWD, path.text.data(),
                                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return -descriptor;
  bytes_ = bytes_of_file(halvings);
  // The limit may have been lowered since it was looked at.
  long error = -without_signals([&] { return kernel::call(SYS_ftruncate, descriptor, bytes_); });
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    static_cast<int>(descriptor), 0);
    if (memory == MAP_FAILED) error = errno;
  }
  kernel::call(SYS_close, descriptor);
  if (error == 0) {
    // Or a disk's file system reads megabytes of nothing ahead of each page, for milliseconds.
    kernel::call(SYS_madvise, memory, bytes_, MADV_RANDOM);
    if (!begin(memory, halvings)) error = ENOSPC;
  }
  if (error != 0) {
    if (memory != MAP_FAILED) ::munmap(memory, bytes_);
    kernel::call(SYS_unlinkat, AT_FDCWD, path.text.data(), 0);
    *this = {};
    return error;
  }
  head->pid = static_cast<std::uint32_t>(kernel::call(SYS_getpid));
  head->parent = parent;
  head->began = began;
  head->began_real = nanoseconds(CLOCK_REALTIME) - (now() - began);
  const char* const behind = ::secure_getenv("FENCEPOST_PROFILER_LOCK");
  append(head->behind.data(), head->behind.data() + head->behind.size(),
         behind != nullptr ? behind : "glibc");
  head->sees_sleeps = std::strcmp(head->behind.data(), "glibc") == 0 ? 0 : 1;
  // release: whoever sees that it is one sees the rest. Pairs with the reader in another process.
  std::atomic_ref(head->magic).store(magic, std::memory_order_release);
  return 0;
}

void file::close() noexcept {
  if (head != nullptr) ::munmap(head, bytes_);
  *this = {};
}

bool file::begin(void* memory, unsigned halvings) noexcept {
  if (!populate(static_cast<std::byte*>(memory), page)) return false;
  head = static_cast<header*>(memory);
  std::size_t offset = page;
  return profiler::begin(head->modules, modules_of, halvings, offset, modules, memory) &&
         profiler::begin(head->sites, sites_of, halvings, offset, sites, memory) &&
         profiler::begin(head->locks, locks_of, halvings, offset, locks, memory) &&
         profiler::begin(head->threads, threads_of, halvings, offset, threads, memory) &&
         profiler::begin(head->stacks, stacks_of, halvings, offset, stacks, memory);
}

bool make_room(table& of, void* entries, std::uint32_t more) noexcept {
  const std::uint32_t used = of.used.load(std::memory_order_relaxed);
  if (of.capacity - used < more) return false;
  if (used + more <= of.ready) return true;
  if (here.is_confined.load(std::memory_order_relaxed)) return false;
  // Room comes in pieces.
  constexpr std::size_t piece = 8 * page;
  const std::size_t have = whole(piece, std::size_t{of.ready} * of.entry);
  const std::size_t all = whole(page, std::size_t{of.capacity} * of.entry);
  const std::size_t want = std::min(all, whole(piece, std::size_t{used + more} * of.entry));
  if (!populate(static_cast<std::byte*>(entries) + have, want - have)) return false;
  of.ready = static_cast<std::uint32_t>(std::min<std::size_t>(want / of.entry, of.capacity));
  return true;
}

void leave_note(const char* directory, long error) noexcept {
  const auto number = static_cast<std::uint64_t>(error);
  char reason[32];
  append(reason, reason + sizeof reason, number);
  const own_path path(directory, now(), ".unrecorded");
  // A link: it takes neither a descriptor nor room on the disk.
  if (kernel::call(SYS_symlinkat, reason, AT_FDCWD, path.text.data()) == 0) return;
  char text[640];
  char* const end = text + sizeof text;
  char* at = append(text, end, "fencepost run: nothing is recorded of this process in ");
  at = append(at, end, directory);
  at = append(at, end, ": error ");
  const char* const name = ::strerrorname_np(static_cast<int>(error));
  at = name != nullptr ? append(at, end, name) : append(at, end, number);
  append(at, end, "\n");
  say(text);
}

}  // namespace fencepost::profiler
