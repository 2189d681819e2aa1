// SPDX-License-Identifier: MIT
//
// From the name of a pinned map to memory that can be believed.
//
// Who writes to an interrupt clock decides when memory is freed in other processes. So nothing is
// believed but a map of the kernel that nobody can write to from outside (frozen), whose header
// says what it is, of this boot, by the clock that this process sees. That the name itself is
// trusted is up to the folder, which belongs to root or to the daemon's user.
#pragma once

#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/interrupt_clock/layout.h"
#include "fencepost/interrupt_clock/processors.hpp"

namespace fencepost {

/// Why there is no interrupt clock to be had.
enum class interrupt_clock_trouble : unsigned char {
  none,
  absent,          ///< nothing has that name
  not_bpf,         ///< something has that name, but not on a BPF file system
  refused,         ///< the kernel or a sandbox does not let this process open the map
  unmappable,      ///< it could be opened, but not mapped
  writable,        ///< the map is not frozen: anybody could write times into it
  foreign,         ///< not an interrupt clock
  other_version,   ///< an interrupt clock of another layout
  malformed,       ///< its header contradicts itself
  other_boot,      ///< of an earlier boot, or this process cannot see which boot this is
  time_namespace,  ///< CLOCK_MONOTONIC is another one in this process
  dead             ///< nothing has been written for a while
};

inline const char* to_string(interrupt_clock_trouble trouble) noexcept {
  switch (trouble) {
    case interrupt_clock_trouble::none:
      return "none";
    case interrupt_clock_trouble::absent:
      return "there is no such file: is fencepost-barrierd running?";
    case interrupt_clock_trouble::not_bpf:
      return "not on a BPF file system";
    case interrupt_clock_trouble::refused:
      return "this process may not open it: a sandbox that forbids bpf(2), or the file's "
             "permissions";
    case interrupt_clock_trouble::unmappable:
      return "it cannot be mapped";
    case interrupt_clock_trouble::writable:
      return "the map is not frozen, so others could write to it";
    case interrupt_clock_trouble::foreign:
      return "not an interrupt clock";
    case interrupt_clock_trouble::other_version:
      return "an interrupt clock of another version";
    case interrupt_clock_trouble::malformed:
      return "an interrupt clock whose header contradicts itself";
    case interrupt_clock_trouble::other_boot:
      return "of another boot than this one (or /proc/sys/kernel/random/boot_id cannot be read)";
    case interrupt_clock_trouble::time_namespace:
      return "this process is in a time namespace whose monotonic clock differs";
    case interrupt_clock_trouble::dead:
      return "no longer written to: the daemon has ended, or its links were detached";
  }
  return "unknown";
}

namespace detail {

/// The boot's identity in 16 bytes, as in the header. False: it cannot be read.
inline bool read_boot_id(unsigned char (&id)[16]) noexcept {
  char text[64];
  const long length = processors::read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
  int digits = 0;
  for (long i = 0; i < length && digits < 32; ++i) {
    const char c = text[i];
    if (c == '-') continue;
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0) return false;
    unsigned char& byte = id[digits / 2];
    byte = static_cast<unsigned char>(digits % 2 == 0 ? value << 4 : byte | value);
    ++digits;
  }
  return digits == 32;
}

/// Is the monotonic clock of this process the kernel's own? A kernel without time namespaces has no
/// such file. A process that cannot see it is caught by times that lie in the future or long ago.
inline bool own_monotonic_clock() noexcept {
  char text[256];
  const long length = processors::read_file("/proc/self/timens_offsets", text, sizeof text - 1);
  if (length <= 0) return true;
  text[length] = '\0';
  const char* at = std::strstr(text, "monotonic");
  if (at == nullptr) return false;
  for (at += std::strlen("monotonic"); *at != '\0' && *at != '\n'; ++at) {
    if (*at != ' ' && *at != '\t' && *at != '0') return false;
  }
  return true;
}

/// Is this the header of a clock that this process can read, in `bytes` of memory?
inline interrupt_clock_trouble judge(const fencepost_clock_header& header) noexcept {
  using enum interrupt_clock_trouble;
  if (header.magic != fencepost_clock_magic) return foreign;
  if (header.version != fencepost_clock_version) return other_version;
  if (header.line != fencepost_clock_line_size || header.first_slot != fencepost_clock_first_slot ||
      header.clock != fencepost_clock_monotonic || header.slots == 0 ||
      header.slots > fencepost_clock_most_slots || header.generation == 0) {
    return malformed;
  }
  unsigned char boot_id[16];
  if (!read_boot_id(boot_id) || std::memcmp(boot_id, header.boot_id, sizeof boot_id) != 0) {
    return other_boot;
  }
  return own_monotonic_clock() ? none : time_namespace;
}

static_assert(sizeof(fencepost_clock_line) == fencepost_clock_line_size);

/// Bytes of a clock with so many slots.
inline std::size_t clock_size(std::uint32_t slots) noexcept {
  return std::size_t{fencepost_clock_line_size} * (fencepost_clock_first_slot + std::size_t{slots});
}

struct clock_mapping {
  const void* memory = nullptr;
  std::size_t size = 0;
  interrupt_clock_trouble trouble = interrupt_clock_trouble::none;
};

/// Maps what the open map holds.
inline clock_mapping map_clock(int map) noexcept {
  using enum interrupt_clock_trouble;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // That a map is frozen is known by what cannot be done with it.
  if (void* const memory = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
      memory != MAP_FAILED) {
    ::munmap(memory, page);
    return {nullptr, 0, writable};
  }
  if (errno != EPERM) return {nullptr, 0, unmappable};
  void* const first = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, map, 0);
  if (first == MAP_FAILED) return {nullptr, 0, unmappable};
  const auto header = *static_cast<const fencepost_clock_header*>(first);
  ::munmap(first, page);
  if (const auto trouble = judge(header); trouble != none) return {nullptr, 0, trouble};
  const std::size_t size = clock_size(header.slots);
  // Larger than the map is: refused by the kernel.
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, map, 0);
  if (memory == MAP_FAILED) return {nullptr, 0, malformed};
  return {memory, size, none};
}

/// Opens the pinned map of that name: a descriptor, or -1 and why.
inline int open_map(const char* path, interrupt_clock_trouble& trouble) noexcept {
  using enum interrupt_clock_trouble;
  trouble = absent;
  if (path == nullptr) return -1;
  // First what no sandbox kills a process for.
  struct statfs system {};
  constexpr unsigned long bpf_file_system = 0xcafe4a11;
  if (::statfs(path, &system) != 0) {
    trouble = errno == ENOENT || errno == ENOTDIR ? absent : refused;
    return -1;
  }
  if (static_cast<unsigned long>(system.f_type) != bpf_file_system) {
    trouble = not_bpf;
    return -1;
  }
  bpf_attr attributes{};
  attributes.pathname = reinterpret_cast<std::uint64_t>(path);
  const long map = kernel::call(SYS_bpf, BPF_OBJ_GET, &attributes, sizeof attributes);
  trouble = map < 0 ? refused : none;
  return map < 0 ? -1 : static_cast<int>(map);
}

/// Opens and maps the pinned clock of that name; leaves errno as it was.
inline clock_mapping open_clock(const char* path) noexcept {
  const int before = errno;
  clock_mapping mapping;
  if (const int map = open_map(path, mapping.trouble); map >= 0) {
    mapping = map_clock(map);
    kernel::close(map);
  }
  errno = before;
  return mapping;
}

/// The same for the map in which waiters say that they wait; null: there is none.
inline void* map_waiters(const char* path) noexcept {
  interrupt_clock_trouble trouble{};
  const int map = open_map(path, trouble);
  if (map < 0) return nullptr;
  void* const memory =
      ::mmap(nullptr, sizeof(fencepost_clock_waiters), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  kernel::close(map);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace detail
}  // namespace fencepost
