// SPDX-License-Identifier: MIT
// What <stdio.h> does to the program's memory where it writes text: into a buffer of the program's,
// or to where nobody reads it. The program's calls are sent here (redefined-symbols.txt).
#include <err.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "execution/endings.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "graph/state_section.hpp"
#include "graph/storage.hpp"
#include "interface/c_library/printf_arguments.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/ends.hpp"
#include "machine/kernel.hpp"
#include "search/own_output.hpp"

namespace checker = fencepost::checker;

using fencepost::checker::execution;
using fencepost::checker::exploring;
using fencepost::checker::follow_printf;
using fencepost::checker::must_print_elsewhere;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::takes_arguments;
using fencepost::checker::writes;
using fencepost::checker::own_output::is_kept;

namespace {

constexpr std::size_t kNoLimit = ~std::size_t{0};

bool is_standard(int fd) { return fd == STDOUT_FILENO || fd == STDERR_FILENO; }

// The program may assign to the variables.
FENCEPOST_CHECKER_STATE FILE* standard_output;
FENCEPOST_CHECKER_STATE FILE* standard_error;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
[[gnu::constructor(100)]] void note_standard_files() {
  standard_output = stdout;
  standard_error = stderr;
}
#pragma GCC diagnostic pop

// Other files are never opened; there may be a null pointer, or a number that stands for none.
constexpr const char* kOtherFile = "writes to what is neither stdout nor stderr";
// Where a function takes it from. The program may change it while another thread calls one.
FILE* read_variable(FILE* const& stream, std::uint64_t pc) {
  reads(&stream, sizeof stream, pc);
  return stream;
}
void must_be_output(FILE* to, std::uint64_t pc) {
  if (to == standard_output || to == standard_error) return;
  if (to == nullptr) reads(to, 1, pc);
  execution.unsupported(pc, kOtherFile);
}
bool is_output(int to, std::uint64_t pc) {
  if (is_standard(to)) return true;
  if (to >= 0) execution.unsupported(pc, kOtherFile);
  errno = EBADF;
  return false;
}

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
  must_print_elsewhere(to, count, format, arguments, pc);
  auto* text = static_cast<char*>(fencepost::checker::storage_take(whole));
  vsnprintf(text, whole, format, arguments);
  text[count - 1] = '\0';
  writes(to, count, pc);
  std::memcpy(to, text, count);
  fencepost::checker::storage_give(text, whole);
  return length;
}

void prints(const void* text, std::size_t size) {
  if (exploring()) checker::uninitialised.prints(text, size);
}

// What is printed counts, also where nobody keeps it.
void note_printed(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length <= 0) return;
  const auto whole = static_cast<std::size_t>(length) + 1;
  auto* text = static_cast<char*>(fencepost::checker::storage_take(whole));
  va_copy(again, arguments);
  vsnprintf(text, whole, format, again);
  va_end(again);
  prints(text, whole);
  fencepost::checker::storage_give(text, whole);
}

int print(FILE* to, const char* format, std::va_list arguments, std::uint64_t pc) {
  must_be_output(to, pc);
  follow_printf(format, arguments, pc);
  note_printed(format, arguments);
  return is_kept() ? vfprintf(to, format, arguments) : vsnprintf(nullptr, 0, format, arguments);
}

int print(int to, const char* format, std::va_list arguments, std::uint64_t pc) {
  follow_printf(format, arguments, pc);
  if (!is_output(to, pc)) return -1;
  note_printed(format, arguments);
  if (!is_kept()) return vsnprintf(nullptr, 0, format, arguments);
  return vdprintf(to, format, arguments);
}

int put(int c, FILE* to, std::uint64_t pc) {
  must_be_output(to, pc);
  const auto written = static_cast<unsigned char>(c);
  prints(&written, 1);
  if (is_kept()) putc(written, to);
  return written;
}

// As <err.h> does: `print_list` puts the name of the program in front, and may name the error
// behind.
void complain(void (*print_list)(const char*, std::va_list), const char* format,
              std::va_list arguments, std::uint64_t pc) {
  read_variable(stderr, pc);
  if (format != nullptr) {
    follow_printf(format, arguments, pc);
    note_printed(format, arguments);
  }
  if (is_kept()) print_list(format, arguments);
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
  takes_arguments(list, FENCEPOST_PC());
  return print_to(to, size, format, list, FENCEPOST_PC());
}
int fencepost_vsprintf(char* to, const char* format, std::va_list list) {
  takes_arguments(list, FENCEPOST_PC());
  return print_to(to, kNoLimit, format, list, FENCEPOST_PC());
}
int fencepost_snprintf(char* to, std::size_t size, const char* format, ...) {
  FENCEPOST_WITH_LIST(print_to(to, size, format, list, FENCEPOST_PC()));
}
int fencepost_sprintf(char* to, const char* format, ...) {
  FENCEPOST_WITH_LIST(print_to(to, kNoLimit, format, list, FENCEPOST_PC()));
}
int fencepost_vprintf(const char* format, std::va_list list) {
  takes_arguments(list, FENCEPOST_PC());
  return print(read_variable(stdout, FENCEPOST_PC()), format, list, FENCEPOST_PC());
}
int fencepost_vfprintf(FILE* to, const char* format, std::va_list list) {
  takes_arguments(list, FENCEPOST_PC());
  return print(to, format, list, FENCEPOST_PC());
}
int fencepost_vdprintf(int to, const char* format, std::va_list list) {
  takes_arguments(list, FENCEPOST_PC());
  return print(to, format, list, FENCEPOST_PC());
}
int fencepost_printf(const char* format, ...) {
  FENCEPOST_WITH_LIST(print(read_variable(stdout, FENCEPOST_PC()), format, list, FENCEPOST_PC()));
}
int fencepost_fprintf(FILE* to, const char* format, ...) {
  FENCEPOST_WITH_LIST(print(to, format, list, FENCEPOST_PC()));
}
int fencepost_dprintf(int to, const char* format, ...) {
  FENCEPOST_WITH_LIST(print(to, format, list, FENCEPOST_PC()));
}

int fencepost_puts(const char* s) {
  must_be_output(read_variable(stdout, FENCEPOST_PC()), FENCEPOST_PC());
  reads_string(s, FENCEPOST_PC());
  prints(s, std::strlen(s));
  if (is_kept()) puts(s);
  return 1;
}
int fencepost_fputs(const char* s, FILE* to) {
  must_be_output(to, FENCEPOST_PC());
  reads_string(s, FENCEPOST_PC());
  prints(s, std::strlen(s));
  if (is_kept()) fputs(s, to);
  return 1;
}
int fencepost_fputc(int c, FILE* to) { return put(c, to, FENCEPOST_PC()); }
int fencepost_putc(int c, FILE* to) { return put(c, to, FENCEPOST_PC()); }
int fencepost_putchar(int c) {
  return put(c, read_variable(stdout, FENCEPOST_PC()), FENCEPOST_PC());
}
void fencepost_perror(const char* s) {
  read_variable(stderr, FENCEPOST_PC());
  if (s != nullptr) reads_string(s, FENCEPOST_PC());
  if (is_kept()) perror(s);
}

#define FENCEPOST_COMPLAIN(print_list)                \
  std::va_list list;                                  \
  va_start(list, format);                             \
  complain(print_list, format, list, FENCEPOST_PC()); \
  va_end(list)

void fencepost_warn(const char* format, ...) { FENCEPOST_COMPLAIN(vwarn); }
void fencepost_warnx(const char* format, ...) { FENCEPOST_COMPLAIN(vwarnx); }
void fencepost_err(int status, const char* format, ...) {
  FENCEPOST_COMPLAIN(vwarn);
  checker::end_process(checker::EndsBy::exit, status, FENCEPOST_PC());
}
void fencepost_errx(int status, const char* format, ...) {
  FENCEPOST_COMPLAIN(vwarnx);
  checker::end_process(checker::EndsBy::exit, status, FENCEPOST_PC());
}

std::size_t fencepost_fwrite(const void* from, std::size_t size, std::size_t count, FILE* to) {
  must_be_output(to, FENCEPOST_PC());
  reads(from, size * count, FENCEPOST_PC());
  prints(from, size * count);
  if (is_kept()) fwrite(from, size, count, to);
  return size == 0 ? 0 : count;
}
ssize_t fencepost_write(int to, const void* from, std::size_t count) {
  if (!is_output(to, FENCEPOST_PC())) return -1;
  reads(from, count, FENCEPOST_PC());
  prints(from, count);
  if (is_kept()) {
    checker::kernel::call(SYS_write, to, reinterpret_cast<long>(from), static_cast<long>(count));
  }
  return static_cast<ssize_t>(count);
}

}  // extern "C"
