// SPDX-License-Identifier: MIT
// Local variables to which the program gives no first value.
//
// gcc is told to give them one (-ftrivial-auto-var-init), and marks where. There the runtime is
// asked instead, which can give another one and look whether that matters
// (checker/memory/uninitialised.cpp): of what others may know it fills the memory, and each read
// is seen; of what stays in a register every value that may come to be used counts as read. Objects
// with a constructor get theirs there.
#pragma once

#include "scopes.hpp"

namespace fencepost::plugin {

inline bool is_constructed(tree type) {
  while (TREE_CODE(type) == ARRAY_TYPE) type = TREE_TYPE(type);
  return TYPE_NEEDS_CONSTRUCTING(type);
}

// What the first value would be used for has been left out by now, where every way to a use has a
// value of its own.
inline bool is_used_word(tree value) {
  if (TREE_CODE(value) != SSA_NAME || has_zero_uses(value)) return false;
  const tree type = TREE_TYPE(value);
  if (!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type)) return false;
  const tree variable = SSA_NAME_VAR(value);
  return TYPE_PRECISION(type) <= 64 && (variable == NULL_TREE || !is_the_librarys(variable));
}

// Where the variable in memory that it is for is written: there, or where gcc stores it.
inline gimple* written_for(gcall* first_value, tree* variable) {
  gimple* written = first_value;
  *variable = gimple_call_lhs(first_value);
  use_operand_p use;
  if (TREE_CODE(*variable) == SSA_NAME && single_imm_use(*variable, &use, &written)) {
    if (!gimple_assign_single_p(written)) return nullptr;
    *variable = gimple_assign_lhs(written);
  }
  const bool is_memory =
      VAR_P(*variable) && is_known_to_others(*variable) && !is_constructed(TREE_TYPE(*variable));
  return is_memory ? written : nullptr;
}

inline void announce_first_value(gimple_stmt_iterator* at, gcall* first_value) {
  const tree value = gimple_call_lhs(first_value);
  if (value == NULL_TREE) return;
  tree variable;
  if (gimple* const written = written_for(first_value, &variable)) {
    gimple_stmt_iterator behind = gsi_for_stmt(written);
    gsi_insert_after(&behind,
                     call_of("__fencepost_unwritten", build_fold_addr_expr(variable),
                             DECL_SIZE_UNIT(variable), DECL_SOURCE_LOCATION(variable)),
                     GSI_SAME_STMT);
  } else if (is_used_word(value)) {
    const tree word = make_ssa_name(uint64_type_node);
    gcall* const call = gimple_build_call(
        declare_runtime_function("__fencepost_unwritten_word",
                                 build_function_type_list(uint64_type_node, NULL_TREE)),
        0);
    variable = SSA_NAME_VAR(value);
    const location_t where =
        variable == NULL_TREE ? gimple_location(first_value) : DECL_SOURCE_LOCATION(variable);
    gimple_call_set_lhs(call, word);
    gimple_set_location(call, LOCATION_LOCUS(where));
    gsi_insert_before(at, call, GSI_SAME_STMT);
    gsi_replace(at, gimple_build_assign(value, NOP_EXPR, word), false);
  }
}

}  // namespace fencepost::plugin
