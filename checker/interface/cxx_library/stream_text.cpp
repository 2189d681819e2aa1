// SPDX-License-Identifier: MIT
// What functions of the C++ library that are not templates of the program's read of the program's
// memory: the text that is put into a stream, what is hashed. The program's calls are sent here
// (redefined-symbols.txt). Each is a call into the library, and a use of the stream, like those
// that go by way of stubs (lab/fencepost/binary/unseen_calls.py).
#include <bits/hash_bytes.h>

#include <cstdlib>
#include <iterator>
#include <ostream>

#include "interface/c_library/touched.hpp"

namespace checker = fencepost::checker;
using checker::reads;
using checker::reads_string;

namespace {

void uses(const std::ostream& stream, std::uint64_t pc) {
  if (!checker::exploring()) return;
  NotedCall& call =
      fencepost_noted_calls[fencepost_unseen_calls % std::size(fencepost_noted_calls)];
  call = {checker::address_of(&stream) + kWholeStream, pc};
  ++fencepost_unseen_calls;
}

}  // namespace

extern "C" {

std::ostream& fencepost_ostream_insert(std::ostream& to, const char* text, long size) {
  const checker::LeaveNoTrace clean;
  reads(text, size > 0 ? static_cast<std::size_t>(size) : 0, FENCEPOST_PC());
  uses(to, FENCEPOST_PC());
  return std::__ostream_insert(to, text, size);
}

std::ostream& fencepost_ostream_text(std::ostream& to, const char* text) {
  const checker::LeaveNoTrace clean;
  if (text != nullptr) reads_string(text, FENCEPOST_PC());
  uses(to, FENCEPOST_PC());
  return to << text;
}

std::ostream& fencepost_ostream_write(std::ostream& to, const char* bytes, long size) {
  const checker::LeaveNoTrace clean;
  reads(bytes, size > 0 ? static_cast<std::size_t>(size) : 0, FENCEPOST_PC());
  uses(to, FENCEPOST_PC());
  return to.write(bytes, size);
}

std::size_t fencepost_hash_bytes(const void* bytes, std::size_t size, std::size_t seed) {
  const checker::LeaveNoTrace clean;
  reads(bytes, size, FENCEPOST_PC());
  return std::_Hash_bytes(bytes, size, seed);
}

}  // extern "C"
