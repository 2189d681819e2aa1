// SPDX-License-Identifier: MIT
// gcc's older builtins, such as __sync_fetch_and_add. Each is a full barrier for everything before
// and after it. The instrumentation takes it for a seq_cst read-modify-write, which is less. So a
// mark is put before it, and after the instrumentation its order gets gcc's own flag for such a
// barrier. __sync_lock_test_and_set and __sync_lock_release are no full barriers.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

constexpr const char* kFullBarrier = "__fencepost_full_barrier";

inline void mark_full_barrier(gimple_stmt_iterator* at, const gcall* call) {
  const built_in_function code = DECL_FUNCTION_CODE(gimple_call_fndecl(call));
  if (code < BUILT_IN_SYNC_FETCH_AND_ADD_N || code > BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_16) return;
  const tree type = build_function_type_list(void_type_node, NULL_TREE);
  gcall* const mark = gimple_build_call(declare_runtime_function(kFullBarrier, type), 0);
  gimple_set_location(mark, LOCATION_LOCUS(gimple_location(call)));
  gsi_insert_before(at, mark, GSI_SAME_STMT);
}

inline bool is_full_barrier_mark(const gimple* statement) {
  const tree function = is_gimple_call(statement) ? gimple_call_fndecl(statement) : NULL_TREE;
  return function != NULL_TREE && id_equal(DECL_NAME(function), kFullBarrier);
}

inline bool is_instrumented_change(const gimple* statement) {
  if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL)) return false;
  const built_in_function code = DECL_FUNCTION_CODE(gimple_call_fndecl(statement));
  return code >= BUILT_IN_TSAN_ATOMIC8_EXCHANGE &&
         code <= BUILT_IN_TSAN_ATOMIC128_COMPARE_EXCHANGE_WEAK;
}

// A compare-exchange has two orders, the last of five arguments.
inline void tell_full_barrier(gimple* call) {
  const unsigned count = gimple_call_num_args(call);
  const tree order = build_int_cst(integer_type_node, MEMMODEL_SYNC_SEQ_CST);
  for (unsigned i = count == 5 ? 3 : 2; i < count; ++i) gimple_call_set_arg(call, i, order);
  update_stmt(call);
}

inline unsigned tell_full_barriers(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    gimple_stmt_iterator at = gsi_start_bb(block);
    while (!gsi_end_p(at)) {
      gimple* const mark = gsi_stmt(at);
      if (!is_full_barrier_mark(mark)) {
        gsi_next(&at);
        continue;
      }
      gimple_stmt_iterator next = at;
      gsi_next(&next);
      while (!gsi_end_p(next) && !is_instrumented_change(gsi_stmt(next)) &&
             !is_full_barrier_mark(gsi_stmt(next))) {
        gsi_next(&next);
      }
      if (gsi_end_p(next) || is_full_barrier_mark(gsi_stmt(next))) {
        error_at(gimple_location(mark), "fencepost: gcc does not announce this builtin");
      } else {
        tell_full_barrier(gsi_stmt(next));
      }
      unlink_stmt_vdef(mark);
      gsi_remove(&at, true);
      release_defs(mark);
    }
  }
  return 0;
}

}  // namespace fencepost::plugin
