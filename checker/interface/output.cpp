// SPDX-License-Identifier: MIT
// What <stdio.h> does to the program's memory where it writes text: into a buffer of the program's,
// or to where nobody reads it. The program's calls are sent here (redefined-symbols.txt).
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "graph/storage.hpp"
#include "interface/printf_arguments.hpp"
#include "interface/touched.hpp"

using fencepost::checker::exploring;
using fencepost::checker::follow_printf;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::runtime;
using fencepost::checker::writes;

namespace {

constexpr std::size_t kNoLimit = ~std::size_t{0};

// Made apart from the buffer, so that what is written, and no more, is known before it is.
int print_to(char* to, std::size_t size, const char* format, std::va_list arguments,
             std::uint64_t pc) {
  follow_printf(format, arguments, pc);
  std::va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0 || size == 0) return length;
  const auto whole = static_cast<std::size_t>(length) + 1;
  const std::size_t count = whole < size ? whole : size;
  auto* text = static_cast<char*>(fencepost::checker::storage_take(whole));
  vsnprintf(text, whole, format, arguments);
  text[count - 1] = '\0';
  writes(to, count, pc);
  std::memcpy(to, text, count);
  fencepost::checker::storage_give(text, whole);
  return length;
}

void prints(const void* text, std::size_t size) {
  if (exploring()) runtime.prints(text, size);
}

int print(const char* format, std::va_list arguments, std::uint64_t pc) {
  follow_printf(format, arguments, pc);
  std::va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length > 0) {
    const auto whole = static_cast<std::size_t>(length) + 1;
    auto* text = static_cast<char*>(fencepost::checker::storage_take(whole));
    vsnprintf(text, whole, format, arguments);
    prints(text, whole);
    fencepost::checker::storage_give(text, whole);
  }
  return length;
}

}  // namespace

extern "C" {

#define FENCEPOST_WITH_LIST(call) \
  std::va_list list;              \
  va_start(list, format);         \
  const int length = call;        \
  va_end(list);                   \
  return length

int fencepost_vsnprintf(char* to, std::size_t size, const char* format, std::va_list list) {
  return print_to(to, size, format, list, FENCEPOST_PC());
}
int fencepost_vsprintf(char* to, const char* format, std::va_list list) {
  return print_to(to, kNoLimit, format, list, FENCEPOST_PC());
}
int fencepost_snprintf(char* to, std::size_t size, const char* format, ...) {
  FENCEPOST_WITH_LIST(print_to(to, size, format, list, FENCEPOST_PC()));
}
int fencepost_sprintf(char* to, const char* format, ...) {
  FENCEPOST_WITH_LIST(print_to(to, kNoLimit, format, list, FENCEPOST_PC()));
}
int fencepost_vprintf(const char* format, std::va_list list) {
  return print(format, list, FENCEPOST_PC());
}
int fencepost_vfprintf(FILE*, const char* format, std::va_list list) {
  return print(format, list, FENCEPOST_PC());
}
int fencepost_vdprintf(int, const char* format, std::va_list list) {
  return print(format, list, FENCEPOST_PC());
}
int fencepost_printf(const char* format, ...) {
  FENCEPOST_WITH_LIST(print(format, list, FENCEPOST_PC()));
}
int fencepost_fprintf(FILE*, const char* format, ...) {
  FENCEPOST_WITH_LIST(print(format, list, FENCEPOST_PC()));
}
int fencepost_dprintf(int, const char* format, ...) {
  FENCEPOST_WITH_LIST(print(format, list, FENCEPOST_PC()));
}

int fencepost_puts(const char* s) {
  reads_string(s, FENCEPOST_PC());
  prints(s, std::strlen(s));
  return 1;
}
int fencepost_fputs(const char* s, FILE*) {
  reads_string(s, FENCEPOST_PC());
  prints(s, std::strlen(s));
  return 1;
}
void fencepost_perror(const char* s) {
  if (s != nullptr) reads_string(s, FENCEPOST_PC());
}
std::size_t fencepost_fwrite(const void* from, std::size_t size, std::size_t count, FILE*) {
  reads(from, size * count, FENCEPOST_PC());
  prints(from, size * count);
  return size == 0 ? 0 : count;
}
ssize_t fencepost_write(int, const void* from, std::size_t count) {
  reads(from, count, FENCEPOST_PC());
  prints(from, count);
  return static_cast<ssize_t>(count);
}

}  // extern "C"
