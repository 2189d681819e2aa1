// SPDX-License-Identifier: MIT
#include "search/workers/host_fingerprint.hpp"

#include <elf.h>
#include <link.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "machine/machine.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

__attribute__((format(printf, 2, 3))) void add(Bytes* text, const char* format, ...) {
  char piece[512];
  std::va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  if (n > 0) put_bytes(text, piece, std::min(static_cast<std::size_t>(n), sizeof piece - 1));
}

// The linker's name for what it has made; nothing if it gave none.
bool add_build_id(Bytes* text, const dl_phdr_info& library) {
  for (unsigned i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(library.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    const auto round = [&](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* id = name + round(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && id + note.n_descsz <= end &&
          std::memcmp(name, "GNU", 4) == 0) {
        for (unsigned k = 0; k < note.n_descsz; ++k) {
          add(text, "%02x", static_cast<unsigned>(static_cast<unsigned char>(id[k])));
        }
        return true;
      }
      at = id + round(note.n_descsz);
    }
  }
  return false;
}

void add_hash(Bytes* text, const dl_phdr_info& library) {
  Hash hash;
  for (unsigned i = 0; i < library.dlpi_phnum; ++i) {
    const auto& s = library.dlpi_phdr[i];
    if (s.p_type != PT_LOAD || (s.p_flags & PF_W) != 0 || (s.p_flags & PF_R) == 0) continue;
    hash.add(reinterpret_cast<const void*>(library.dlpi_addr + s.p_vaddr), s.p_memsz);
  }
  add(text, "%016lx", hash.value());
}

struct Wanted {
  bool addresses;
  Bytes* text;
};

int add_library(dl_phdr_info* library, std::size_t, void* to) {
  // The executable itself has no name; the kernel's part is seen by nobody, for clocks are
  // modelled.
  const char* path = library->dlpi_name;
  if (*path == '\0' || std::strncmp(path, "linux-vdso", 10) == 0) return 0;
  const char* slash = std::strrchr(path, '/');
  const auto& [addresses, text] = *static_cast<Wanted*>(to);
  add(text, "library %.200s, build ", slash == nullptr ? path : slash + 1);
  if (!add_build_id(text, *library)) add_hash(text, *library);
  if (addresses) add(text, ", at %lx", static_cast<unsigned long>(library->dlpi_addr));
  add(text, "\n");
  return 0;
}

// Where the kernel begins to look for room depends on how large the stack may become.
void limit_stack() {
  constexpr rlim_t kUsual = 8 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur <= kUsual) return;
  limit.rlim_cur = kUsual;
  setrlimit(RLIMIT_STACK, &limit);
}

}  // namespace

bool fix_addresses(char** argv, char** envp) {
  constexpr char kDone[] = "FENCEPOST_FIXED_ADDRESSES";
  constexpr long kAsk = 0xffffffff;
  const long now = kernel::call(SYS_personality, kAsk);
  if (now >= 0 && (now & ADDR_NO_RANDOMIZE) != 0) return true;
  if (now < 0 || std::getenv(kDone) != nullptr) return false;
  if (kernel::call(SYS_personality, now | ADDR_NO_RANDOMIZE) < 0) return false;
  limit_stack();
  Array<char*> environment;
  for (char** e = envp; *e != nullptr; ++e) environment.push_back(*e);
  char done[sizeof kDone + 2];
  std::snprintf(done, sizeof done, "%s=1", kDone);
  environment.push_back(done);
  environment.push_back(nullptr);
  kernel::call(SYS_execve, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(argv),
               reinterpret_cast<long>(environment.data()));
  return false;
}

void describe_host(bool addresses, Bytes* text) {
  std::uint64_t features[4];
  processor_features(features);
  add(text, "processor " FENCEPOST_MACHINE ", features %lx %lx %lx %lx\n",
      static_cast<unsigned long>(features[0]), static_cast<unsigned long>(features[1]),
      static_cast<unsigned long>(features[2]), static_cast<unsigned long>(features[3]));
  Wanted wanted{addresses, text};
  dl_iterate_phdr(add_library, &wanted);
}

const char* first_difference(const Bytes& here, const char* there) {
  FENCEPOST_CHECKER_STATE static char message[1024];
  const char* a = here.data();
  const char* const a_end = a + here.size();
  const char* b = there;
  const char* const b_end = b + std::strlen(b);
  const auto next = [](const char** from, const char* end) {
    const char* line = *from;
    const char* stop = std::find(line, end, '\n');
    *from = stop == end ? end : stop + 1;
    return static_cast<int>(stop - line);
  };
  while (a != a_end || b != b_end) {
    const char* line_a = a;
    const char* line_b = b;
    const int n_a = next(&a, a_end);
    const int n_b = next(&b, b_end);
    if (n_a == n_b && std::memcmp(line_a, line_b, static_cast<std::size_t>(n_a)) == 0) continue;
    const auto at_most = [](int n) { return std::min(n, 400); };
    std::snprintf(message, sizeof message, "here it is \"%.*s\", there \"%.*s\"", at_most(n_a),
                  line_a, at_most(n_b), line_b);
    return message;
  }
  return nullptr;
}

}  // namespace fencepost::checker
