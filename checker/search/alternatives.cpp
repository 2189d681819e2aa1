// SPDX-License-Identifier: MIT
#include "search/alternatives.hpp"

#include "execution/runtime.hpp"
#include "memory/reuse.hpp"

namespace fencepost::checker {

void write_alternatives(Bytes* out, std::uint32_t count) {
  if (count == 0) return;
  freed_memory.write(out);
  runtime.explorer.write(out, runtime.places(), count);
}

void write_execution(Bytes* out) {
  freed_memory.write(out);
  runtime.explorer.write_graph(out, runtime.places());
}

bool read_alternatives(BytesIn* in) {
  if (in->left() == 0) return true;
  return freed_memory.read(in) && runtime.explorer.read(in, runtime.places());
}

}  // namespace fencepost::checker
