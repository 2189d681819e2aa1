// SPDX-License-Identifier: MIT
//
// false_clock PATH KIND: pins a map that is nearly a clock, in the way that KIND says.
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "fencepost/interrupt_clock.hpp"

namespace {

long bpf(int command, bpf_attr& attributes) {
  return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

fencepost_clock_line header_for(const std::string& kind) {
  fencepost_clock_line line{};
  fencepost_clock_header& header = line.header;
  header.magic = fencepost_clock_magic + (kind == "foreign" ? 1 : 0);
  header.version = fencepost_clock_version + (kind == "other_version" ? 1 : 0);
  header.line = fencepost_clock_line_size;
  header.first_slot = fencepost_clock_first_slot;
  header.slots = kind == "too_short" ? 1000 : 2;
  header.clock = fencepost_clock_monotonic;
  header.generation = 1;
  static_cast<void>(fencepost::detail::read_boot_id(header.boot_id));
  if (kind == "other_boot") header.boot_id[3] ^= 1;
  return line;
}

int pin(const char* path, const std::string& kind) {
  bpf_attr create{};
  create.map_type = BPF_MAP_TYPE_ARRAY;
  create.key_size = 4;
  create.value_size = fencepost_clock_line_size;
  create.max_entries = fencepost_clock_first_slot + 2;
  create.map_flags = kind == "unmappable" ? 0 : BPF_F_MMAPABLE;
  const long map = bpf(BPF_MAP_CREATE, create);
  if (map < 0) return 1;
  const std::uint32_t key = 0;
  const fencepost_clock_line line = header_for(kind);
  bpf_attr element{};
  element.map_fd = static_cast<std::uint32_t>(map);
  element.key = reinterpret_cast<std::uint64_t>(&key);
  element.value = reinterpret_cast<std::uint64_t>(&line);
  if (bpf(BPF_MAP_UPDATE_ELEM, element) != 0) return 2;
  if (kind != "writable") {
    bpf_attr freeze{};
    freeze.map_fd = static_cast<std::uint32_t>(map);
    if (bpf(BPF_MAP_FREEZE, freeze) != 0) return 3;
  }
  bpf_attr name{};
  name.bpf_fd = static_cast<std::uint32_t>(map);
  name.pathname = reinterpret_cast<std::uint64_t>(path);
  return bpf(BPF_OBJ_PIN, name) == 0 ? 0 : 4;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 5;
  const int failed = pin(words[1], words[2]);
  if (failed != 0) std::perror("false_clock");
  return failed;
}
