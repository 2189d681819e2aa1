// SPDX-License-Identifier: MIT
// glibc on x86-64: variables end at the thread pointer, the descriptor (struct pthread) begins
// there.
#include "machine/thread_storage.hpp"

namespace fencepost::checker::thread_storage {
namespace {

struct Header {
  std::uintptr_t self;
  std::uintptr_t* module_table;
  std::uintptr_t descriptor;
};

Header& header(std::uintptr_t thread_pointer) { return *reinterpret_cast<Header*>(thread_pointer); }

}  // namespace

Extent descriptor() { return {0, 2304}; }  // of glibc 2.36

bool beside(Extent variables) { return variables.begin < 0 && variables.begin > -kFarthest; }

std::uintptr_t*& module_table(std::uintptr_t thread_pointer) {
  return header(thread_pointer).module_table;
}

void refer_to_itself(std::uintptr_t thread_pointer) {
  header(thread_pointer).self = thread_pointer;
  header(thread_pointer).descriptor = thread_pointer;
}

}  // namespace fencepost::checker::thread_storage
