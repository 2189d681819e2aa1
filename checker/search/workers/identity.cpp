// SPDX-License-Identifier: MIT
#include "search/workers/identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "memory/hash.hpp"
#include "search/workers/host_fingerprint.hpp"

namespace fencepost::checker {
namespace {

// What is loaded of the executable, the checker included; but not the notes, among them the build
// id, which depends on where it was built.
bool hash_executable(Hash* hash) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about {};
  void* bytes = MAP_FAILED;
  if (fstat(file, &about) == 0) {
    bytes = mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (bytes == MAP_FAILED) return false;
  const auto size = static_cast<std::size_t>(about.st_size);
  const auto* base = static_cast<const char*>(bytes);
  const auto* header = static_cast<const Elf64_Ehdr*>(bytes);
  bool whole = size >= sizeof *header;
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(base + (whole ? header->e_phoff : 0));
  for (unsigned i = 0; whole && i < header->e_phnum; ++i) {
    const Elf64_Phdr& s = segments[i];
    if (s.p_type != PT_LOAD) continue;
    whole = s.p_offset + s.p_filesz <= size;
    std::size_t at = s.p_offset;
    const std::size_t end = s.p_offset + s.p_filesz;
    while (whole && at < end) {
      std::size_t stop = end;  // of what goes in, up to the next note
      std::size_t next = end;
      for (unsigned k = 0; k < header->e_phnum; ++k) {
        const Elf64_Phdr& note = segments[k];
        if (note.p_type != PT_NOTE || note.p_offset < at || note.p_offset >= stop) continue;
        stop = note.p_offset;
        next = note.p_offset + note.p_filesz;
      }
      hash->add(base + at, stop - at);
      at = next > at ? next : end;
    }
  }
  munmap(bytes, size);
  return whole;
}

}  // namespace

void identify(const Options& o, int argc, char** argv, Bytes* text) {
  Hash program;
  if (!hash_executable(&program)) return;
  for (int i = 1; i < argc; ++i) {
    for (const char* p = argv[i]; *p != '\0'; ++p) program.add(p, 1);
    program.add("", 1);
  }
  Bytes host;
  describe_host(false, &host);
  program.add(host.data(), host.size());
  Hash orders;
  if (const char* given = std::getenv("FENCEPOST_ORDERS")) orders.add(given, std::strlen(given));
  char line[512];
  const int n = std::snprintf(
      line, sizeof line,
      "version " FENCEPOST_VERSION
      "\nprogram %016lx\n"
      "rules model=%s all=%d timeouts=%u spurious=%u weak_cas=%u reuse=%u reuse_of=%u reuse_all=%d "
      "no_membarrier=%d leaks=%d "
      "daemons=%d max_events=%u symmetry=%d no_bounded_spins=%d unroll=%u orders=%016lx",
      program.value(), o.model->name, o.all, o.timeouts, o.spurious, o.weak_cas, o.reuse,
      static_cast<unsigned>(o.reuse_of), o.reuse_all, o.no_membarrier, o.leaks, o.daemons,
      o.max_events, o.symmetry, o.no_bounded_spins, o.unroll, orders.value());
  put_bytes(text, line, static_cast<std::size_t>(n));
}

}  // namespace fencepost::checker
