// SPDX-License-Identifier: MIT
// Memory that a function takes from the stack as it runs: arrays of variable length, alloca.
//
// Announced is where such a block begins, and where the stack goes back: at the end of an array's
// scope, where gcc has saved the stack at its beginning, and at the end of the function. What was
// allocated in between ends there. Exceptions go past both, so each place where one lands says
// that the stack is as it stands there.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

inline gcall* call_with(const char* name, tree pointer, location_t where) {
  const tree type = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE);
  gcall* const call = gimple_build_call(declare_runtime_function(name, type), 1, pointer);
  gimple_set_location(call, where);
  return call;
}

// ---- before gcc optimises

// gcc leaves out that the stack goes back, if nothing else is allocated before it does so again. An
// array whose size it finds out becomes an ordinary variable, and so does its scope (scopes.hpp).
inline unsigned announce_stack(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL)) continue;
      gcall* const call = as_a<gcall*>(statement);
      const location_t where = gimple_location(call);
      switch (DECL_FUNCTION_CODE(gimple_call_fndecl(call))) {
        case BUILT_IN_STACK_SAVE:
          gsi_insert_after(&at, call_with("__fencepost_stack_saved", gimple_call_lhs(call), where),
                           GSI_NEW_STMT);
          break;
        case BUILT_IN_STACK_RESTORE:
          gsi_insert_before(
              &at, call_with("__fencepost_stack_restored", gimple_call_arg(call, 0), where),
              GSI_SAME_STMT);
          break;
        default:
          break;
      }
    }
  }
  return 0;
}

// ---- after it has done so

inline void announce_block(gimple_stmt_iterator* at, gcall* call) {
  if (gimple_call_lhs(call) == NULL_TREE) return;
  const location_t where = gimple_location(call);
  gcc_assert(TREE_CODE(gimple_call_lhs(call)) == SSA_NAME);
  gsi_insert_after(
      at,
      call_of("__fencepost_block_begins", gimple_call_lhs(call), gimple_call_arg(call, 0), where),
      GSI_NEW_STMT);
}

// Of a function with such blocks. What gcc inlines it into has them then.
inline void end_blocks_with_function(function* fun) {
  const location_t where = DECL_SOURCE_LOCATION(fun->decl);
  gcall* const save = gimple_build_call(builtin_decl_implicit(BUILT_IN_STACK_SAVE), 0);
  const tree stack = make_ssa_name(ptr_type_node, save);
  gimple_call_set_lhs(save, stack);
  gimple_set_location(save, where);
  gimple_seq begins = nullptr;
  gimple_seq_add_stmt(&begins, save);
  gimple_seq_add_stmt(&begins, call_with("__fencepost_stack_saved", stack, where));
  gsi_insert_seq_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)), begins);
  edge to_exit;
  edge_iterator i;
  FOR_EACH_EDGE(to_exit, i, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
    gimple_stmt_iterator last = gsi_last_bb(to_exit->src);
    if (!gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_RETURN) {
      gsi_insert_before(&last, call_with("__fencepost_stack_restored", stack, where),
                        GSI_SAME_STMT);
    }
  }
}

inline void announce_blocks(function* fun) {
  bool has_blocks = false;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL) ||
          !ALLOCA_FUNCTION_CODE_P(DECL_FUNCTION_CODE(gimple_call_fndecl(statement)))) {
        continue;
      }
      announce_block(&at, as_a<gcall*>(statement));
      has_blocks = true;
    }
  }
  if (has_blocks) end_blocks_with_function(fun);
}

// Where exceptions land in this function.
inline void announce_landings(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    const glabel* const label = safe_dyn_cast<glabel*>(first_stmt(block));
    if (label == nullptr || EH_LANDING_PAD_NR(gimple_label_label(label)) == 0) continue;
    gcall* const call = gimple_build_call(
        declare_runtime_function("__fencepost_stack_unwound",
                                 build_function_type_list(void_type_node, NULL_TREE)),
        0);
    gimple_set_location(call, gimple_location(label));
    gimple_stmt_iterator at = gsi_after_labels(block);
    gsi_insert_before(&at, call, GSI_SAME_STMT);
  }
}

}  // namespace fencepost::plugin
