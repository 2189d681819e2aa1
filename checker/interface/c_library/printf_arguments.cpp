// SPDX-License-Identifier: MIT
#include "interface/c_library/printf_arguments.hpp"

#include <wchar.h>

#include <cstddef>
#include <cstring>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"

namespace fencepost::checker {
namespace {

struct Conversion {
  int precision = -1;  // none
  char length = '\0';  // h, H for hh, l, L for ll and long double, j, z, t
};

// The length modifier, of which ll and q are one with L here.
char length_of(const char*& p) {
  const char first = *p;
  if (std::strchr("hlLqjzt", first) == nullptr || first == '\0') return '\0';
  ++p;
  if (first == 'q') return 'L';
  if ((first == 'h' || first == 'l') && *p == first) {
    ++p;
    return first == 'h' ? 'H' : 'L';
  }
  return first;
}

std::size_t size_of(char length) {
  switch (length) {
    case 'H':
      return sizeof(char);
    case 'h':
      return sizeof(short);
    case '\0':
      return sizeof(int);
    default:
      return sizeof(long);
  }
}

int number(const char*& p) {
  int n = 0;
  for (; *p >= '0' && *p <= '9'; ++p) n = n < 100000000 ? 10 * n + (*p - '0') : n;
  return n;
}

void follow_string(const Conversion& c, const void* s, std::uint64_t pc) {
  if (s == nullptr) return;
  if (c.length == 'l') {
    const auto* w = static_cast<const wchar_t*>(s);
    const auto most = c.precision < 0 ? ~std::size_t{0} : static_cast<std::size_t>(c.precision);
    std::size_t n = 0;
    while (n < most && w[n] != L'\0') ++n;
    reads(s, (n < most ? n + 1 : n) * sizeof(wchar_t), pc);
  } else if (c.precision >= 0) {
    reads_string(static_cast<const char*>(s), static_cast<std::size_t>(c.precision), pc);
  } else {
    reads_string(static_cast<const char*>(s), pc);
  }
}

}  // namespace

void follow_printf(const char* format, std::va_list arguments, std::uint64_t pc) {
  if (!exploring()) return;
  reads_string(format, pc);
  std::va_list rest;
  va_copy(rest, arguments);
  for (const char* p = format; *p != '\0';) {
    if (*p++ != '%') continue;
    Conversion c;
    while (*p != '\0' && std::strchr("-+ #0'I", *p) != nullptr) ++p;
    if (*p == '*') {
      ++p;
      va_arg(rest, int);
    } else {
      number(p);
    }
    if (*p == '$') execution.unsupported(pc, "arguments of printf by their number ('%%1$d')");
    if (*p == '.') {
      ++p;
      if (*p == '*') {
        ++p;
        c.precision = va_arg(rest, int);
      } else {
        c.precision = number(p);
      }
    }
    c.length = length_of(p);
    const char kind = *p;
    if (kind == '\0') break;
    ++p;
    switch (kind) {
      case '%':
      case 'm':
        break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (c.length == 'L') {
          va_arg(rest, long double);
        } else {
          va_arg(rest, double);
        }
        break;
      case 'S':
        c.length = 'l';
        [[fallthrough]];
      case 's':
        follow_string(c, va_arg(rest, const void*), pc);
        break;
      case 'p':
        va_arg(rest, void*);
        break;
      case 'n':
        writes(va_arg(rest, void*), size_of(c.length), pc);
        break;
      default:  // c, C and the integers
        if (size_of(c.length) == sizeof(long)) {
          va_arg(rest, long);
        } else {
          va_arg(rest, int);
        }
    }
  }
  va_end(rest);
}

}  // namespace fencepost::checker
