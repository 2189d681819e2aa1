// SPDX-License-Identifier: MIT
// glibc on AArch64: the descriptor (struct pthread) ends at the thread pointer, where a header of
// two words stands, and the variables follow.
#include <dlfcn.h>

#include "machine/thread_storage.hpp"

namespace fencepost::checker::thread_storage {
namespace {

struct Header {
  std::uintptr_t* module_table;
  void* reserved;
};

// The descriptor is reached from its end, so its size must be exact: too much would read before the
// block. The C library tells it to debuggers.
std::intptr_t descriptor_size() {
  constexpr std::intptr_t kInGlibc236 = 1856;
  const void* told = dlvsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread", "GLIBC_PRIVATE");
  if (told == nullptr) return kInGlibc236;
  return static_cast<std::intptr_t>(*static_cast<const std::uint32_t*>(told));
}

}  // namespace

Extent descriptor() { return {-descriptor_size(), sizeof(Header)}; }

bool beside(Extent variables) {
  return variables.begin >= static_cast<std::intptr_t>(sizeof(Header)) && variables.end < kFarthest;
}

std::uintptr_t*& module_table(std::uintptr_t thread_pointer) {
  return reinterpret_cast<Header*>(thread_pointer)->module_table;
}

void refer_to_itself(std::uintptr_t) {}  // it is found from the thread pointer alone

}  // namespace fencepost::checker::thread_storage
