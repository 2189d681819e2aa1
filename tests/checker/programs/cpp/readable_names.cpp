// SPDX-License-Identifier: MIT
// abi::__cxa_demangle writes whether it could, and into the buffer that it is given if there is
// room.
//
// case: its_status_is_shared
// flags: -DSHARED_STATUS
// expect: all=violated:data-race
//
// case: so_is_its_buffer
// flags: -DSHARED_BUFFER
// expect: all=violated:data-race
//
// case: each_has_its_own
// expect: all=holds
#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

static std::atomic<int> wrong;
[[maybe_unused]] static int shared_status;
[[maybe_unused]] static char shared_buffer[16];

static void demangle(const char* name, const char* readable) {
#ifdef SHARED_STATUS
  int* const status = &shared_status;
#else
  int own = 1;
  int* const status = &own;
#endif
#ifdef SHARED_BUFFER
  std::size_t size = sizeof shared_buffer;
  abi::__cxa_demangle(name, shared_buffer, &size, status);
  (void)readable;
#else
  char* const made = abi::__cxa_demangle(name, nullptr, nullptr, status);
  if (std::strcmp(made, readable) != 0) wrong = 1;
  std::size_t size = 2;  // too few: it is given another block
  char* const buffer = static_cast<char*>(std::malloc(size));
  char* const grown = abi::__cxa_demangle(name, buffer, &size, status);
  if (std::strcmp(grown, readable) != 0 || size <= std::strlen(readable)) wrong = 1;
  if (abi::__cxa_demangle(name, grown, &size, status) != grown) wrong = 1;
  std::free(grown);
  std::free(made);
#ifndef SHARED_STATUS
  if (own != 0) wrong = 1;
  abi::__cxa_demangle("?", nullptr, nullptr, &own);
  if (own == 0) wrong = 1;
#endif
#endif
}

int main() {
  std::thread other([] { demangle("3one", "one"); });
  demangle("5three", "three");
  other.join();
  return wrong;
}
