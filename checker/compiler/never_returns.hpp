// SPDX-License-Identifier: MIT
// Functions that are declared not to return, and do: gcc goes on with whatever lies behind the
// call. Where it optimises, -fsanitize=unreachable has them crash.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

inline unsigned announce_returns(function* fun) {
  if (TREE_THIS_VOLATILE(fun->decl) == 0) return 0;
  const tree type = build_function_type_list(void_type_node, NULL_TREE);
  edge e;
  edge_iterator each;
  FOR_EACH_EDGE(e, each, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
    gimple_stmt_iterator at = gsi_last_bb(e->src);
    if (gsi_end_p(at) || gimple_code(gsi_stmt(at)) != GIMPLE_RETURN) continue;
    gcall* const call = gimple_build_call(declare_runtime_function("__fencepost_returns", type), 0);
    gimple_set_location(call, LOCATION_LOCUS(DECL_SOURCE_LOCATION(fun->decl)));
    gsi_insert_before(&at, call, GSI_SAME_STMT);
  }
  return 0;
}

}  // namespace fencepost::plugin
