// SPDX-License-Identifier: MIT
// Complex numbers and vectors that are loaded as a whole: of one that is copied gcc then loads only
// the parts that are used (-ftree-forwprop). So the read is announced before any optimisation.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

inline unsigned announce_whole_loads(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const load = gsi_stmt(at);
      if (!gimple_assign_single_p(load) || gimple_clobber_p(load)) continue;
      const tree from = gimple_assign_rhs1(load);
      const tree_code kind = TREE_CODE(TREE_TYPE(from));
      if ((kind != COMPLEX_TYPE && kind != VECTOR_TYPE) || !is_shared(from)) continue;
      gimple_seq before = nullptr;
      announce("__tsan_read_range", from, &before, gimple_location(load));
      gsi_insert_seq_before(&at, before, GSI_SAME_STMT);
    }
  }
  return 0;
}

}  // namespace fencepost::plugin
