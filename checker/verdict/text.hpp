// SPDX-License-Identifier: MIT
// A piece of JSON that is being written: formatted, quoted, one after the other.
#pragma once

#include "graph/bytes.hpp"

namespace fencepost::checker::report {

class Text {
 public:
  // At most 1023 bytes a call.
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...);
  // What is no text, or could do something to a terminal, as \xNN.
  void add_quoted(const char* text, std::size_t size);
  void add_quoted(const char* text);
  void append(const Text& other) {
    for (char c : other.bytes_) bytes_.push_back(c);
  }
  void clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  Bytes& bytes() { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace fencepost::checker::report
