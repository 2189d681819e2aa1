// SPDX-License-Identifier: MIT
#include "search/alternatives.hpp"

#include "execution/execution.hpp"
#include "execution/lifetimes/reuse.hpp"
#include "execution/objects.hpp"

namespace fencepost::checker {

void write_alternatives(Bytes* out, std::uint32_t count) {
  if (count == 0) return;
  freed_memory.write(out);
  execution.explorer.write(out, places(), count);
}

void write_execution(Bytes* out) {
  freed_memory.write(out);
  execution.explorer.write_graph(out, places());
}

bool read_alternatives(BytesIn* in) {
  if (in->left() == 0) return true;
  return freed_memory.read(in) && execution.explorer.read(in, places());
}

}  // namespace fencepost::checker
