// SPDX-License-Identifier: MIT
// Values that nobody looks at any more.
//
// Whether a loop is back where it was is seen from the thread's registers and its stack
// (checker/execution/loops/loops.cpp). What a round has left there and the next one overwrites
// would make equal states look different: what a compare-exchange has found where the value that it
// expects is loaded anew, what was in a register. gcc knows what is dead; there it gets a value
// that is always the same.
#pragma once

#include "first_values.hpp"
#include "natural_loop.hpp"

namespace fencepost::plugin {

// ---- in memory, before gcc's own pass announces accesses

inline bool is_scalar(tree variable) {
  return VAR_P(variable) && is_automatic(variable) && !is_gimple_reg(variable) &&
         !TREE_THIS_VOLATILE(variable) && !goes_elsewhere(variable) && !is_in_register(variable) &&
         !DECL_HAS_VALUE_EXPR_P(variable) &&
         (INTEGRAL_TYPE_P(TREE_TYPE(variable)) || POINTER_TYPE_P(TREE_TYPE(variable)));
}

// The variable with the value that a compare-exchange expects.
inline tree expected_by(gimple* statement) {
  if (!is_compare_exchange(statement)) return NULL_TREE;
  const tree expected = gimple_call_arg(statement, 1);
  if (TREE_CODE(expected) != ADDR_EXPR) return NULL_TREE;
  const tree variable = TREE_OPERAND(expected, 0);
  return DECL_P(variable) && is_scalar(variable) ? variable : NULL_TREE;
}

inline bool begins_rounds(basic_block block) {
  edge e;
  edge_iterator i;
  FOR_EACH_EDGE(e, i, block->preds) {
    if (is_turn(e)) return true;
  }
  return false;
}

inline void clear_dead_variables(function* fun) {
  calculate_dominance_info(CDI_DOMINATORS);
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      const tree variable = expected_by(gsi_stmt(at));
      if (variable == NULL_TREE) continue;
      FirstUse use(variable);
      for (basic_block b = block; b != nullptr; b = get_immediate_dominator(CDI_DOMINATORS, b)) {
        if (!begins_rounds(b) || use.may_come(fun, b)) continue;
        gimple_stmt_iterator first = gsi_after_labels(b);
        // Another compare-exchange may expect it, too.
        if (!gsi_end_p(first) && gimple_get_lhs(gsi_stmt(first)) == variable) continue;
        gimple* const clears = gimple_build_assign(variable, build_zero_cst(TREE_TYPE(variable)));
        gimple_set_location(clears, gimple_location(gsi_stmt(at)));
        gsi_insert_before(&first, clears, GSI_SAME_STMT);
      }
    }
  }
}

// ---- in registers, where gcc has nothing more to do but to write them down

inline bool may_look_for_rounds(rtx_insn* call) {
  if (SIBLING_CALL_P(call)) return false;
  const rtx called = XEXP(XEXP(get_call_rtx_from(call), 0), 0);
  if (GET_CODE(called) != SYMBOL_REF) return false;
  constexpr char kPlain[] = "__tsan_";
  constexpr char kAtomic[] = "__tsan_atomic";
  const char* const name = XSTR(called, 0);
  return std::strncmp(name, kPlain, sizeof kPlain - 1) != 0 ||
         std::strncmp(name, kAtomic, sizeof kAtomic - 1) == 0;
}

// Is it saved and given back by the function, which may do with it what it likes?
inline bool is_preserved(unsigned number) {
  return !fixed_regs[number] && !crtl->abi->clobbers_full_reg_p(number) &&
         df_regs_ever_live_p(number) &&
         TEST_HARD_REG_BIT(reg_class_contents[GENERAL_REGS], number) &&
         !(frame_pointer_needed && number == HARD_FRAME_POINTER_REGNUM);
}

inline void clear_registers(rtx_insn* call, bitmap live_behind) {
  for (unsigned number = 0; number < FIRST_PSEUDO_REGISTER; ++number) {
    if (!is_preserved(number) || REGNO_REG_SET_P(live_behind, number)) continue;
    const rtx dead = gen_rtx_REG(word_mode, number);
    if (reg_overlap_mentioned_p(dead, PATTERN(call))) continue;
    emit_insn_before(gen_rtx_SET(dead, const0_rtx), call);
  }
}

inline unsigned clear_dead_registers(function* fun) {
  df_analyze();
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    auto_bitmap live;
    bitmap_copy(live, df_get_live_out(block));
    df_simulate_initialize_backwards(block, live);
    rtx_insn* before;
    for (rtx_insn* i = BB_END(block); i != PREV_INSN(BB_HEAD(block)); i = before) {
      before = PREV_INSN(i);
      if (!INSN_P(i)) continue;
      if (CALL_P(i) && may_look_for_rounds(i)) clear_registers(i, live);
      df_simulate_one_insn_backwards(block, i, live);
    }
  }
  return 0;
}

}  // namespace fencepost::plugin
