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

// How many bytes of a string are read.
std::size_t bytes_of_string(const Conversion& c, const void* s) {
  const auto most = c.precision < 0 ? ~std::size_t{0} : static_cast<std::size_t>(c.precision);
  if (c.length != 'l') {
    const auto* const text = static_cast<const char*>(s);
    return c.precision < 0 ? std::strlen(text) + 1 : read_of_string(text, most);
  }
  const auto* w = static_cast<const wchar_t*>(s);
  std::size_t n = 0;
  while (n < most && w[n] != L'\0') ++n;
  return (n < most ? n + 1 : n) * sizeof(wchar_t);
}

// Calls `found(address, bytes, write)` for what is read and written, but for the text.
template <typename Found>
void each_access(const char* format, std::va_list arguments, std::uint64_t pc, Found found) {
  found(format, std::strlen(format) + 1, false);
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
        if (const auto* const s = va_arg(rest, const void*)) found(s, bytes_of_string(c, s), false);
        break;
      case 'p':
        va_arg(rest, void*);
        break;
      case 'n':
        found(va_arg(rest, const void*), size_of(c.length), true);
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

}  // namespace

void follow_printf(const char* format, std::va_list arguments, std::uint64_t pc) {
  if (!exploring()) return;
  each_access(format, arguments, pc,
              [&](const void* p, std::size_t n, bool write) { touched(p, n, write, pc); });
}

void must_print_elsewhere(const char* to, std::size_t size, const char* format,
                          std::va_list arguments, std::uint64_t pc) {
  if (!exploring()) return;
  each_access(format, arguments, pc, [&](const void* p, std::size_t n, bool) {
    const std::uintptr_t a = address_of(to);
    const std::uintptr_t b = address_of(p);
    if (n == 0 || a >= b + n || b >= a + size) return;
    execution.violate("memory", pc, "thread %u prints text over what it prints (address 0x%lx)",
                      execution.current->id, static_cast<unsigned long>(b));
  });
}

}  // namespace fencepost::checker
