// SPDX-License-Identifier: MIT
#include "program/snapshot.hpp"

#include <link.h>

#include <cstring>

#include "program/machine.hpp"

extern "C" {
extern char __start_fencepost_checker_state[];
extern char __stop_fencepost_checker_state[];
}

namespace fencepost::checker {
namespace {

struct Found {
  std::uintptr_t data_begin = 0;
  std::uintptr_t data_end = 0;
  std::uintptr_t relro_begin = 0;
  std::uintptr_t relro_end = 0;
  std::uintptr_t tls_begin = 0;
  bool first = true;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& found = *static_cast<Found*>(argument);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + p.p_vaddr;
    if (found.first && p.p_type == PT_LOAD && (p.p_flags & PF_W) != 0) {
      if (found.data_begin == 0 || begin < found.data_begin) found.data_begin = begin;
      if (begin + p.p_memsz > found.data_end) found.data_end = begin + p.p_memsz;
    }
    if (found.first && p.p_type == PT_GNU_RELRO) {
      found.relro_begin = begin;
      found.relro_end = begin + p.p_memsz;
    }
    if (p.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      const auto tls = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
      // Only blocks beside the thread pointer: those exist in every thread from its start.
      const std::uintptr_t distance = thread_pointer() - tls;
      if (distance < (std::uintptr_t{1} << 15) && (found.tls_begin == 0 || tls < found.tls_begin)) {
        found.tls_begin = tls;
      }
    }
  }
  found.first = false;
  return 0;
}

// The thread control block of glibc on x86-64 and what of it must be private.
struct ControlBlock {
  std::uintptr_t self;
  std::uintptr_t* dtv;  // pairs (address, to free); pair -1 holds the capacity
  std::uintptr_t descriptor;
};
constexpr std::size_t kDescriptorSize = 4096;  // struct pthread has 2304 bytes in glibc 2.36

}  // namespace

void Snapshot::add(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end) return;
  ranges_.push_back({begin, end - begin, storage_take(end - begin)});
}

void Snapshot::find() {
  Found found;
  dl_iterate_phdr(visit, &found);
  startup_pointer_ = thread_pointer();
  data_begin_ = found.data_begin;
  data_end_ = found.data_end;
  const auto own_begin = reinterpret_cast<std::uintptr_t>(__start_fencepost_checker_state);
  const auto own_end = reinterpret_cast<std::uintptr_t>(__stop_fencepost_checker_state);
  const std::uintptr_t begin =
      found.relro_end > data_begin_ ? (found.relro_end + 4095) & ~std::uintptr_t{4095} : data_begin_;
  if (own_begin < begin || own_begin >= data_end_) {
    add(begin, data_end_);
  } else {
    add(begin, own_begin);
    add(own_end, data_end_);
  }
  if (found.tls_begin != 0) {
    tls_begin_ = found.tls_begin;
    tls_size_ = thread_pointer() - found.tls_begin;
    tls_copy_ = storage_take(tls_size_);
  }
}

void Snapshot::take() {
  for (Range& r : ranges_) std::memcpy(r.copy, reinterpret_cast<void*>(r.begin), r.size);
  if (tls_size_ != 0) std::memcpy(tls_copy_, reinterpret_cast<void*>(tls_begin_), tls_size_);
}

void Snapshot::restore() {
  for (const Range& r : ranges_) std::memcpy(reinterpret_cast<void*>(r.begin), r.copy, r.size);
}

std::uintptr_t Snapshot::make_thread_storage(std::uintptr_t area, std::size_t size) {
  const std::uintptr_t own = startup_pointer_;
  const auto* block = reinterpret_cast<const ControlBlock*>(own);
  const std::size_t capacity = block->dtv[-2];
  const std::size_t dtv_words = 2 * (capacity + 2);
  const std::uintptr_t dtv = area;
  std::uintptr_t pointer = area + dtv_words * sizeof(std::uintptr_t) + tls_size_;
  // Keep the alignment that the thread-local variables were given.
  pointer = ((pointer + 4095) & ~std::uintptr_t{4095}) + (own & 4095);
  if (pointer + kDescriptorSize > area + size) return 0;

  std::memcpy(reinterpret_cast<void*>(pointer), block, 2304);
  std::memcpy(reinterpret_cast<void*>(dtv), block->dtv - 2, dtv_words * sizeof(std::uintptr_t));
  auto* copy = reinterpret_cast<ControlBlock*>(pointer);
  copy->self = pointer;
  copy->descriptor = pointer;
  copy->dtv = reinterpret_cast<std::uintptr_t*>(dtv) + 2;
  for (std::size_t m = 1; m <= capacity; ++m) {
    std::uintptr_t& address = copy->dtv[2 * m];
    if (address >= tls_begin_ && address < own) address += pointer - own;
  }
  return pointer;
}

void Snapshot::restore_thread_storage(std::uintptr_t pointer) {
  if (tls_size_ != 0) {
    std::memcpy(reinterpret_cast<void*>(pointer - tls_size_), tls_copy_, tls_size_);
  }
}

}  // namespace fencepost::checker
