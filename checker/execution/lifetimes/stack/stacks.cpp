// SPDX-License-Identifier: MIT
#include "execution/lifetimes/stack/stacks.hpp"

#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Stacks stacks;

}  // namespace fencepost::checker
