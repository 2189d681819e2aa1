// SPDX-License-Identifier: MIT
// Finds the C library's function for system calls in memory, as a program does that does not want
// the checker to see its calls. It only reads: the executable's header, where its linker's list of
// libraries is, and the symbols of each.
#pragma once

#include <elf.h>
#include <link.h>

typedef long system_call(long number, ...);

static inline int same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

static inline system_call* reach_system_calls(void) {
  const ElfW(Ehdr)* own = (const ElfW(Ehdr)*)0x400000;
  const ElfW(Phdr)* headers = (const ElfW(Phdr)*)((const char*)own + own->e_phoff);
  const ElfW(Dyn)* dynamic = 0;
  for (int i = 0; i < own->e_phnum; ++i) {
    if (headers[i].p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn)*)headers[i].p_vaddr;
  }
  const struct r_debug* linker = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_DEBUG) linker = (const struct r_debug*)dynamic->d_un.d_ptr;
  }
  for (const struct link_map* library = linker->r_map; library != 0; library = library->l_next) {
    const ElfW(Sym)* symbols = 0;
    const char* names = 0;
    for (const ElfW(Dyn)* e = library->l_ld; e->d_tag != DT_NULL; ++e) {
      if (e->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)e->d_un.d_ptr;
      if (e->d_tag == DT_STRTAB) names = (const char*)e->d_un.d_ptr;
    }
    if (library->l_name[0] == '\0' || (ElfW(Addr))symbols < library->l_addr) continue;
    for (const ElfW(Sym)* s = symbols; (const char*)s < names; ++s) {
      if (s->st_shndx != 0 && same(names + s->st_name, "syscall")) {
        return (system_call*)(library->l_addr + s->st_value);
      }
    }
  }
  return 0;
}
