// SPDX-License-Identifier: MIT
#include "memory/snapshot.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "machine/machine.hpp"
#include "memory/few_bytes.hpp"

extern "C" {
extern char __start_fencepost_checker_state[];
extern char __stop_fencepost_checker_state[];
}

namespace fencepost::checker {
namespace {

struct Segment {
  std::uintptr_t begin;
  std::uintptr_t end;
};

struct Found {
  // Of the executable, what the loader makes writable, in the order of addresses: two where a
  // variable is aligned to more than a page, and nothing lies between them.
  Array<Segment> segments;
  std::uintptr_t relro_begin = 0;
  std::uintptr_t relro_end = 0;
  std::uintptr_t library_begin = 0;
  std::size_t library_size = 0;
  thread_storage::Extent variables{};
  bool first = true;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& found = *static_cast<Found*>(argument);
  const bool is_library = std::strstr(info->dlpi_name, "/libstdc++.so") != nullptr;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + p.p_vaddr;
    if (found.first && p.p_type == PT_LOAD && (p.p_flags & PF_W) != 0) {
      found.segments.push_back({begin, begin + p.p_memsz});
    }
    if (is_library && p.p_type == PT_LOAD && (p.p_flags & PF_W) != 0) {
      found.library_begin = begin;
      found.library_size = p.p_memsz;
    }
    if (found.first && p.p_type == PT_GNU_RELRO) {
      found.relro_begin = begin;
      found.relro_end = begin + p.p_memsz;
    }
    if (p.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      const auto offset = static_cast<std::intptr_t>(
          reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data) - thread_pointer());
      const thread_storage::Extent own{offset, offset + static_cast<std::intptr_t>(p.p_memsz)};
      if (!thread_storage::beside(own)) continue;
      const bool any = found.variables.size() != 0;
      found.variables.begin = any ? std::min(found.variables.begin, own.begin) : own.begin;
      found.variables.end = any ? std::max(found.variables.end, own.end) : own.end;
    }
  }
  found.first = false;
  return 0;
}

void* at(std::uintptr_t thread_pointer, std::intptr_t offset) {
  return reinterpret_cast<void*>(thread_pointer + static_cast<std::uintptr_t>(offset));
}

}  // namespace

void Snapshot::add(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end) return;
  ranges_.push_back({begin, end - begin, storage_take(end - begin)});
}

void Snapshot::find() {
  Found found;
  dl_iterate_phdr(visit, &found);
  startup_pointer_ = thread_pointer();
  const auto own_begin = reinterpret_cast<std::uintptr_t>(__start_fencepost_checker_state);
  const auto own_end = reinterpret_cast<std::uintptr_t>(__stop_fencepost_checker_state);
  const std::uintptr_t relro_end = (found.relro_end + 4095) & ~std::uintptr_t{4095};
  data_begin_ = found.segments[0].begin;
  data_end_ = found.segments.back().end;
  for (const Segment& segment : found.segments) {
    const std::uintptr_t begin = std::max(segment.begin, relro_end);
    if (own_begin < begin || own_begin >= segment.end) {
      add(begin, segment.end);
    } else {
      add(begin, own_begin);
      add(own_end, segment.end);
    }
  }
  library_ = {found.library_begin, found.library_size, storage_take(found.library_size + 1)};
  variables_ = found.variables;
  if (variables_.size() != 0) variables_copy_ = storage_take(variables_.size());
}

bool Snapshot::is_checkers(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(__start_fencepost_checker_state) &&
         address < reinterpret_cast<std::uintptr_t>(__stop_fencepost_checker_state);
}

void Snapshot::take() {
  handlers_ = LibraryHandlers::now();
  for (Range& r : ranges_) std::memcpy(r.copy, reinterpret_cast<void*>(r.begin), r.size);
  if (variables_.size() == 0) return;
  std::memcpy(variables_copy_, at(startup_pointer_, variables_.begin), variables_.size());
}

void Snapshot::restore() {
  for (const Range& r : ranges_) std::memcpy(reinterpret_cast<void*>(r.begin), r.copy, r.size);
}

void Snapshot::note_library() {
  std::memcpy(library_.copy, reinterpret_cast<void*>(library_.begin), library_.size);
}

bool Snapshot::has_library_changed() const {
  return std::memcmp(library_.copy, reinterpret_cast<void*>(library_.begin), library_.size) != 0;
}

std::uintptr_t Snapshot::make_thread_storage(std::uintptr_t area, std::size_t size) {
  const std::uintptr_t own = startup_pointer_;
  const thread_storage::Extent descriptor = thread_storage::descriptor();
  const std::uintptr_t* table = thread_storage::module_table(own);
  const std::size_t modules = table[-2];
  const std::size_t table_size = 2 * (modules + 2) * sizeof(std::uintptr_t);
  const std::intptr_t below = std::min({descriptor.begin, variables_.begin, std::intptr_t{0}});
  const std::intptr_t above = std::max(descriptor.end, variables_.end);
  std::uintptr_t pointer = area + table_size - static_cast<std::uintptr_t>(below);
  // Keep the alignment that the thread-local variables were given.
  pointer = ((pointer + 4095) & ~std::uintptr_t{4095}) + (own & 4095);
  if (pointer + static_cast<std::uintptr_t>(above) > area + size) return 0;

  std::memcpy(at(pointer, descriptor.begin), at(own, descriptor.begin), descriptor.size());
  thread_storage::refer_to_itself(pointer);
  auto* copy = reinterpret_cast<std::uintptr_t*>(area) + 2;
  std::memcpy(copy - 2, table - 2, table_size);
  thread_storage::module_table(pointer) = copy;
  for (std::size_t m = 1; m <= modules; ++m) {
    std::uintptr_t& address = copy[2 * m];
    if (variables_.holds(static_cast<std::intptr_t>(address - own))) address += pointer - own;
  }
  return pointer;
}

void Snapshot::restore_thread_storage(std::uintptr_t pointer) {
  copy_few(at(pointer, variables_.begin), variables_copy_, variables_.size());
}

}  // namespace fencepost::checker
