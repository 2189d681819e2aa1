// SPDX-License-Identifier: MIT
#include "execution/lifetimes/stack/stacks.hpp"

#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Stacks stacks;

void Stacks::clear(unsigned thread) {
  writes[thread].clear();
  atomics[thread].clear();
  scopes[thread].clear();
  blocks[thread].clear();
}

}  // namespace fencepost::checker
