// SPDX-License-Identifier: MIT
// A channel between the process that shares out a search and one that explores a part of it:
// messages of a kind and some bytes, over a socket.
#pragma once

#include <cstdint>

#include "graph/bytes.hpp"

namespace fencepost::checker {

enum class Message : std::uint32_t {
  work_item,  // to a worker: explore this
  committed,  // from a worker: counted so far, what was requested, what it gives away, what is left
  idle,       // counted so far; nothing is left of its work item
  violation,  // one that is shorter than those before
  refusal,    // there can be no verdict: why and where
  output,     // a line for whoever reads the results
  nobody,     // why there is nobody any more who could explore
  over,       // counted so far; it ends, for it found a violation or cannot go on
};

class Channel {
 public:
  constexpr explicit Channel(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // Both say false if there is nobody at the other end any more.
  bool send(Message kind, const Bytes& bytes) const;
  bool receive(Message* kind, Bytes* bytes) const;

 private:
  bool transfer(bool writing, char* data, std::size_t size) const;
  int fd_;
};

}  // namespace fencepost::checker
