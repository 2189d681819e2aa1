// SPDX-License-Identifier: MIT
#include "memory/static_objects.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/state_section.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker::static_objects {
namespace {

struct Known {
  std::uintptr_t address;
  std::size_t size;
};
FENCEPOST_CHECKER_STATE constinit Array<Known> known;
FENCEPOST_CHECKER_STATE const Elf64_Sym* symbols;
FENCEPOST_CHECKER_STATE std::size_t symbol_count;

// The executable stays mapped: it is looked at once for each object.
void find_symbols() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat about {};
  void* bytes = MAP_FAILED;
  if (fstat(file, &about) == 0) {
    bytes = mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (bytes == MAP_FAILED) return;
  const auto* base = static_cast<const char*>(bytes);
  const auto* header = static_cast<const Elf64_Ehdr*>(bytes);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(base + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    symbols = reinterpret_cast<const Elf64_Sym*>(base + sections[i].sh_offset);
    symbol_count = sections[i].sh_size / sizeof *symbols;
  }
}

}  // namespace

void prepare() {
  if (symbols == nullptr) find_symbols();
}

std::size_t size_of(std::uintptr_t address) {
  for (const Known& k : known) {
    if (k.address == address) return k.size;
  }
  prepare();
  if (symbols == nullptr) return kNoSymbols;
  std::size_t size = 0;
  for (std::size_t i = 0; i < symbol_count; ++i) {
    const Elf64_Sym& s = symbols[i];
    if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_value == address && s.st_size > size) {
      size = s.st_size;
    }
  }
  known.push_back({address, size});
  return size;
}

}  // namespace fencepost::checker::static_objects
