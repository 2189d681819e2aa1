// SPDX-License-Identifier: MIT
#include "verdict/text.hpp"

#include <cstdarg>
#include <cstdio>

namespace fencepost::checker::report {

void Text::add(const char* format, ...) {
  char piece[1024];
  std::va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  for (int i = 0; i < n && i < static_cast<int>(sizeof piece) - 1; ++i) bytes_.push_back(piece[i]);
}

void Text::add_quoted(const char* text) {
  bytes_.push_back('"');
  for (; *text != '\0'; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    if (c < 0x20) {
      add("\\u%04x", c);
      continue;
    }
    if (c == '"' || c == '\\') bytes_.push_back('\\');
    bytes_.push_back(*text);
  }
  bytes_.push_back('"');
}

}  // namespace fencepost::checker::report
