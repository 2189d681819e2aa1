// SPDX-License-Identifier: MIT
// What <string.h>, <strings.h> and <wchar.h> do to memory, and <stdlib.h> where it reads strings or
// sorts: each reads and writes what its description says,
// and then it is the C library's own that does it. The program's calls are sent here
// (redefined-symbols.txt).
//
// What is compared or searched for is read up to where that ends, for no more need be there.
#include <inttypes.h>
#include <search.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"

using fencepost::checker::copies_apart;
using fencepost::checker::execution;
using fencepost::checker::exploring;
using fencepost::checker::must_be_apart;
using fencepost::checker::read_of_string;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::writes;

namespace {

// Up to the first difference, the end of both, or the limit.
template <typename Same>
void reads_to_compare(const char* a, const char* b, std::size_t limit, Same same,
                      std::uint64_t pc) {
  std::size_t n = 0;
  while (n < limit && a[n] != '\0' && same(a[n], b[n])) ++n;
  if (n < limit) ++n;
  reads(a, n, pc);
  reads(b, n, pc);
}

bool equal(char a, char b) { return a == b; }
bool equal_but_for_case(char a, char b) { return strncasecmp(&a, &b, 1) == 0; }

constexpr std::size_t kNoLimit = ~std::size_t{0};

// What a search for a character has read when it has come to `found`.
void reads_until(const char* s, const char* found, std::size_t otherwise, std::uint64_t pc) {
  reads(s, found != nullptr ? static_cast<std::size_t>(found - s) + 1 : otherwise, pc);
}

char* copies(char* to, const char* from, std::size_t n, std::uint64_t pc) {
  copies_apart(to, from, n, pc);
  return static_cast<char*>(std::memmove(to, from, n));
}

std::size_t wide(std::size_t n) { return n * sizeof(wchar_t); }

// The string that a number was read from, and where the pointer behind it goes.
void reads_number(const char* s, const char* end, char** told, std::uint64_t pc) {
  reads(s, static_cast<std::size_t>(end - s) + 1, pc);
  if (told == nullptr) return;
  writes(told, sizeof *told, pc);
  *told = const_cast<char*>(end);
}

char* next_token(char* s, const char* ends, char** rest, std::uint64_t pc) {
  if (s == nullptr) {
    reads(rest, sizeof *rest, pc);
    s = *rest;
  }
  reads_string(ends, pc);
  char* const token = s + std::strspn(s, ends);
  char* const end = token + std::strcspn(token, ends);
  reads_until(s, end, 0, pc);
  const bool last = *end == '\0';
  if (!last) {
    writes(end, 1, pc);
    *end = '\0';
  }
  writes(rest, sizeof *rest, pc);
  *rest = last ? end : end + 1;
  return token == end && last ? nullptr : token;
}

// The program's, as it were: begun anew in each execution.
char* strtok_rest __asm__("where_strtok_goes_on");

}  // namespace

extern "C" {

// ---- searched and compared

void* fencepost_memchr(const void* s, int c, std::size_t n) {
  auto* found = const_cast<void*>(std::memchr(s, c, n));
  reads_until(static_cast<const char*>(s), static_cast<const char*>(found), n, FENCEPOST_PC());
  return found;
}
void* fencepost_memrchr(const void* s, int c, std::size_t n) {
  reads(s, n, FENCEPOST_PC());
  return const_cast<void*>(memrchr(s, c, n));
}
void* fencepost_rawmemchr(const void* s, int c) {
  auto* found = const_cast<void*>(rawmemchr(s, c));
  reads_until(static_cast<const char*>(s), static_cast<const char*>(found), 0, FENCEPOST_PC());
  return found;
}
void* fencepost_memmem(const void* in, std::size_t size, const void* what, std::size_t n) {
  reads(in, size, FENCEPOST_PC());
  reads(what, n, FENCEPOST_PC());
  return memmem(in, size, what, n);
}
std::size_t fencepost_strlen(const char* s) {
  reads_string(s, FENCEPOST_PC());
  return std::strlen(s);
}
std::size_t fencepost_strnlen(const char* s, std::size_t n) {
  return reads_string(s, n, FENCEPOST_PC());
}
int fencepost_strcmp(const char* a, const char* b) {
  reads_to_compare(a, b, kNoLimit, equal, FENCEPOST_PC());
  return std::strcmp(a, b);
}
int fencepost_strncmp(const char* a, const char* b, std::size_t n) {
  reads_to_compare(a, b, n, equal, FENCEPOST_PC());
  return std::strncmp(a, b, n);
}
int fencepost_strcasecmp(const char* a, const char* b) {
  reads_to_compare(a, b, kNoLimit, equal_but_for_case, FENCEPOST_PC());
  return strcasecmp(a, b);
}
int fencepost_strncasecmp(const char* a, const char* b, std::size_t n) {
  reads_to_compare(a, b, n, equal_but_for_case, FENCEPOST_PC());
  return strncasecmp(a, b, n);
}
int fencepost_strverscmp(const char* a, const char* b) {
  reads_string(a, FENCEPOST_PC());
  reads_string(b, FENCEPOST_PC());
  return strverscmp(a, b);
}
int fencepost_strcoll(const char* a, const char* b) {
  reads_string(a, FENCEPOST_PC());
  reads_string(b, FENCEPOST_PC());
  return std::strcoll(a, b);
}
char* fencepost_strchr(const char* s, int c) {
  const char* end = strchrnul(s, c);
  reads_until(s, end, 0, FENCEPOST_PC());
  return const_cast<char*>(std::strchr(s, c));
}
char* fencepost_strchrnul(const char* s, int c) {
  const char* end = strchrnul(s, c);
  reads_until(s, end, 0, FENCEPOST_PC());
  return const_cast<char*>(end);
}
char* fencepost_strrchr(const char* s, int c) {
  reads_string(s, FENCEPOST_PC());
  return const_cast<char*>(std::strrchr(s, c));
}
// Their older names.
char* fencepost_index(const char* s, int c) __attribute__((alias("fencepost_strchr")));
char* fencepost_rindex(const char* s, int c) __attribute__((alias("fencepost_strrchr")));

#define FENCEPOST_READS_TWO(result, name)                 \
  result fencepost_##name(const char* a, const char* b) { \
    reads_string(a, FENCEPOST_PC());                      \
    reads_string(b, FENCEPOST_PC());                      \
    return (result)name(a, b);                            \
  }
FENCEPOST_READS_TWO(char*, strstr)
FENCEPOST_READS_TWO(char*, strcasestr)
FENCEPOST_READS_TWO(char*, strpbrk)
FENCEPOST_READS_TWO(std::size_t, strspn)
FENCEPOST_READS_TWO(std::size_t, strcspn)

// ---- copied

char* fencepost_strcpy(char* to, const char* from) {
  return copies(to, from, std::strlen(from) + 1, FENCEPOST_PC());
}
char* fencepost_stpcpy(char* to, const char* from) {
  const std::size_t n = std::strlen(from);
  return copies(to, from, n + 1, FENCEPOST_PC()) + n;
}
char* fencepost_strncpy(char* to, const char* from, std::size_t n) {
  must_be_apart(to, n, from, read_of_string(from, n), FENCEPOST_PC());
  reads_string(from, n, FENCEPOST_PC());
  writes(to, n, FENCEPOST_PC());
  stpncpy(to, from, n);
  return to;
}
char* fencepost_stpncpy(char* to, const char* from, std::size_t n) {
  must_be_apart(to, n, from, read_of_string(from, n), FENCEPOST_PC());
  reads_string(from, n, FENCEPOST_PC());
  writes(to, n, FENCEPOST_PC());
  return stpncpy(to, from, n);
}
void* fencepost_memccpy(void* to, const void* from, int c, std::size_t n) {
  const auto* found = static_cast<const char*>(std::memchr(from, c, n));
  if (found != nullptr) n = static_cast<std::size_t>(found - static_cast<const char*>(from)) + 1;
  copies_apart(to, from, n, FENCEPOST_PC());
  return memccpy(to, from, c, n);
}
void fencepost_swab(const void* from, void* to, ssize_t n) {
  if (n < 2) return;
  copies_apart(to, from, static_cast<std::size_t>(n) & ~std::size_t{1}, FENCEPOST_PC());
  swab(from, to, n);
}
char* fencepost_strcat(char* to, const char* from) {
  reads_string(to, FENCEPOST_PC());
  copies(to + std::strlen(to), from, std::strlen(from) + 1, FENCEPOST_PC());
  return to;
}
char* fencepost_strncat(char* to, const char* from, std::size_t n) {
  reads_string(to, FENCEPOST_PC());
  const std::size_t length = reads_string(from, n, FENCEPOST_PC());
  char* const end = to + std::strlen(to);
  must_be_apart(end, length + 1, from, read_of_string(from, n), FENCEPOST_PC());
  writes(end, length + 1, FENCEPOST_PC());
  std::memcpy(end, from, length);
  end[length] = '\0';
  return to;
}
std::size_t fencepost_strxfrm(char* to, const char* from, std::size_t n) {
  reads_string(from, FENCEPOST_PC());
  const std::size_t length = std::strxfrm(nullptr, from, 0);
  writes(to, length < n ? length + 1 : n, FENCEPOST_PC());
  return std::strxfrm(to, from, n);
}
char* fencepost_strsep(char** rest, const char* ends) {
  reads(rest, sizeof *rest, FENCEPOST_PC());
  char* const token = *rest;
  if (token == nullptr) return nullptr;
  reads_string(ends, FENCEPOST_PC());
  char* const end = token + std::strcspn(token, ends);
  reads_until(token, end, 0, FENCEPOST_PC());
  writes(rest, sizeof *rest, FENCEPOST_PC());
  *rest = *end == '\0' ? nullptr : end + 1;
  if (*end == '\0') return token;
  writes(end, 1, FENCEPOST_PC());
  *end = '\0';
  return token;
}
char* fencepost_strtok_r(char* s, const char* ends, char** rest) {
  return next_token(s, ends, rest, FENCEPOST_PC());
}
// All threads share the place where it goes on.
char* fencepost_strtok(char* s, const char* ends) {
  return next_token(s, ends, &strtok_rest, FENCEPOST_PC());
}

// ---- wide characters

wchar_t* fencepost_wmemcpy(wchar_t* to, const wchar_t* from, std::size_t n) {
  copies_apart(to, from, wide(n), FENCEPOST_PC());
  return wmemcpy(to, from, n);
}
wchar_t* fencepost_wmemmove(wchar_t* to, const wchar_t* from, std::size_t n) {
  reads(from, wide(n), FENCEPOST_PC());
  writes(to, wide(n), FENCEPOST_PC());
  return wmemmove(to, from, n);
}
wchar_t* fencepost_wmemset(wchar_t* to, wchar_t c, std::size_t n) {
  writes(to, wide(n), FENCEPOST_PC());
  return wmemset(to, c, n);
}
int fencepost_wmemcmp(const wchar_t* a, const wchar_t* b, std::size_t n) {
  reads(a, wide(n), FENCEPOST_PC());
  reads(b, wide(n), FENCEPOST_PC());
  return wmemcmp(a, b, n);
}
wchar_t* fencepost_wmemchr(const wchar_t* s, wchar_t c, std::size_t n) {
  reads(s, wide(n), FENCEPOST_PC());
  return const_cast<wchar_t*>(wmemchr(s, c, n));
}
std::size_t fencepost_wcslen(const wchar_t* s) {
  reads(s, wide(wcslen(s) + 1), FENCEPOST_PC());
  return wcslen(s);
}
int fencepost_wcscmp(const wchar_t* a, const wchar_t* b) {
  reads(a, wide(wcslen(a) + 1), FENCEPOST_PC());
  reads(b, wide(wcslen(b) + 1), FENCEPOST_PC());
  return wcscmp(a, b);
}
wchar_t* fencepost_wcscpy(wchar_t* to, const wchar_t* from) {
  const std::size_t n = wcslen(from) + 1;
  copies_apart(to, from, wide(n), FENCEPOST_PC());
  return wmemcpy(to, from, n);
}

// ---- <stdlib.h>

#define FENCEPOST_NUMBER(result, name)                            \
  result fencepost_##name(const char* s, char** told, int base) { \
    char* end = nullptr;                                          \
    const result value = name(s, &end, base);                     \
    if (end == nullptr) return value; /* there is no such base */ \
    reads_number(s, end, told, FENCEPOST_PC());                   \
    return value;                                                 \
  }
#define FENCEPOST_REAL(result, name)                    \
  result fencepost_##name(const char* s, char** told) { \
    char* end;                                          \
    const result value = name(s, &end);                 \
    reads_number(s, end, told, FENCEPOST_PC());         \
    return value;                                       \
  }
#define FENCEPOST_DECIMAL(result, name)            \
  result fencepost_##name(const char* s) {         \
    char* end;                                     \
    const auto value = strtoll(s, &end, 10);       \
    reads_number(s, end, nullptr, FENCEPOST_PC()); \
    return static_cast<result>(value);             \
  }
FENCEPOST_NUMBER(long, strtol)
FENCEPOST_NUMBER(long long, strtoll)
FENCEPOST_NUMBER(unsigned long, strtoul)
FENCEPOST_NUMBER(unsigned long long, strtoull)
FENCEPOST_NUMBER(std::intmax_t, strtoimax)
FENCEPOST_NUMBER(std::uintmax_t, strtoumax)
// What newer headers call them.
#define FENCEPOST_NEWER(result, name)                                    \
  result fencepost___isoc23_##name(const char* s, char** told, int base) \
      __attribute__((alias("fencepost_" #name)));
FENCEPOST_NEWER(long, strtol)
FENCEPOST_NEWER(long long, strtoll)
FENCEPOST_NEWER(unsigned long, strtoul)
FENCEPOST_NEWER(unsigned long long, strtoull)
FENCEPOST_NEWER(std::intmax_t, strtoimax)
FENCEPOST_NEWER(std::uintmax_t, strtoumax)
FENCEPOST_REAL(double, strtod)
FENCEPOST_REAL(float, strtof)
FENCEPOST_REAL(long double, strtold)
FENCEPOST_DECIMAL(int, atoi)
FENCEPOST_DECIMAL(long, atol)
FENCEPOST_DECIMAL(long long, atoll)
double fencepost_atof(const char* s) {
  char* end;
  const double value = strtod(s, &end);
  reads_number(s, end, nullptr, FENCEPOST_PC());
  return value;
}

// What is searched is read by the function that compares.
void* fencepost_lfind(const void* key, const void* base, std::size_t* count, std::size_t size,
                      int (*compare)(const void*, const void*)) {
  reads(count, sizeof *count, FENCEPOST_PC());
  return lfind(key, base, count, size, compare);
}
void fencepost_qsort(void* base, std::size_t count, std::size_t size,
                     int (*compare)(const void*, const void*)) {
  writes(base, count * size, FENCEPOST_PC());
  qsort(base, count, size, compare);
}
void fencepost_qsort_r(void* base, std::size_t count, std::size_t size,
                       int (*compare)(const void*, const void*, void*), void* argument) {
  writes(base, count * size, FENCEPOST_PC());
  qsort_r(base, count, size, compare, argument);
}

// The message that is asked for, by the GNU or the POSIX function.
char* fencepost_strerror_r(int error, char* to, std::size_t n) {
  char text[128];
  const char* const message = strerror_r(error, text, sizeof text);
  const std::size_t length = std::strlen(message);
  if (n == 0) return const_cast<char*>(message == text ? "" : message);
  const std::size_t kept = length < n ? length : n - 1;
  writes(to, kept + 1, FENCEPOST_PC());
  std::memcpy(to, message, kept);
  to[kept] = '\0';
  return to;
}
int fencepost___xpg_strerror_r(int error, char* to, std::size_t n) {
  char text[128];
  const std::size_t length = std::strlen(strerror_r(error, text, sizeof text));
  if (n == 0) return ERANGE;
  writes(to, length < n ? length + 1 : n, FENCEPOST_PC());
  fencepost_strerror_r(error, to, n);
  return length < n ? 0 : ERANGE;
}

}  // extern "C"
