// SPDX-License-Identifier: MIT
#include "verdict/text.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace fencepost::checker::report {
namespace {

// How long the character is that begins here, in UTF-8; 0 if there is none that may be shown.
std::size_t character(const char* text, std::size_t size) {
  const auto byte = [&](std::size_t i) {
    return i < size ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool control = first == 0xc2 && second < 0xa0;
  const bool longer_than_needed =
      (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return control || longer_than_needed || no_character ? 0 : length;
}

}  // namespace

void Text::add(const char* format, ...) {
  char piece[1024];
  std::va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  for (int i = 0; i < n && i < static_cast<int>(sizeof piece) - 1; ++i) bytes_.push_back(piece[i]);
}

void Text::add_quoted(const char* text) { add_quoted(text, std::strlen(text)); }

void Text::add_quoted(const char* text, std::size_t size) {
  bytes_.push_back('"');
  for (std::size_t length; size != 0; text += length, size -= length) {
    length = character(text, size);
    const auto c = static_cast<unsigned char>(*text);
    if (length == 0) {
      add("\\\\x%02x", c);
      length = 1;
    } else if (c == '\n' || c == '\t') {
      add("\\u%04x", c);
    } else {
      if (c == '"' || c == '\\') bytes_.push_back('\\');
      put_bytes(&bytes_, text, length);
    }
  }
  bytes_.push_back('"');
}

}  // namespace fencepost::checker::report
