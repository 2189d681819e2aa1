// SPDX-License-Identifier: MIT
// What one comparison of a value says of another one, for bounded_spins.hpp.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

// `value CODE bound` holds, or is asked for.
struct Comparison {
  tree_code code;
  tree bound;
};

inline bool is_comparison_of(gimple* statement, tree value, Comparison* compared) {
  tree left;
  tree right;
  tree_code code;
  if (gimple_code(statement) == GIMPLE_COND) {
    left = gimple_cond_lhs(statement);
    right = gimple_cond_rhs(statement);
    code = gimple_cond_code(statement);
  } else if (is_gimple_assign(statement)) {
    code = gimple_assign_rhs_code(statement);
    if (TREE_CODE_CLASS(code) != tcc_comparison) return false;
    left = gimple_assign_rhs1(statement);
    right = gimple_assign_rhs2(statement);
  } else {
    return false;
  }
  if (!INTEGRAL_TYPE_P(TREE_TYPE(left)) || left == right) return false;
  if (right == value) {
    code = swap_tree_comparison(code);
    right = left;
  } else if (left != value) {
    return false;
  }
  *compared = {code, right};
  return true;
}

// The comparison by which a block is left this way.
inline void take_way(Comparison* compared, edge way) {
  if ((way->flags & EDGE_FALSE_VALUE) != 0) {
    compared->code = invert_tree_comparison(compared->code, false);
  }
}

// With constants: "less than 5" is "at most 4".
Comparison without_strictness(Comparison c) {
  if (TREE_CODE(c.bound) != INTEGER_CST) return c;
  const tree type = TREE_TYPE(c.bound);
  const tree one = build_int_cst(type, 1);
  if (c.code == LT_EXPR && tree_int_cst_lt(TYPE_MIN_VALUE(type), c.bound)) {
    return {LE_EXPR, fold_build2(MINUS_EXPR, type, c.bound, one)};
  }
  if (c.code == GT_EXPR && tree_int_cst_lt(c.bound, TYPE_MAX_VALUE(type))) {
    return {GE_EXPR, fold_build2(PLUS_EXPR, type, c.bound, one)};
  }
  return c;
}

// `known` holds. Does it follow that `asked` does (`truth`), or does not?
inline bool decides(const Comparison& known_as, const Comparison& asked_as, bool truth) {
  const Comparison known = without_strictness(known_as);
  Comparison asked = without_strictness(asked_as);
  if (!truth) asked = without_strictness({invert_tree_comparison(asked.code, false), asked.bound});
  int order = 0;  // of the bound that is asked for, compared with the other
  if (known.bound != asked.bound) {
    if (TREE_CODE(known.bound) != INTEGER_CST || TREE_CODE(asked.bound) != INTEGER_CST ||
        TYPE_UNSIGNED(TREE_TYPE(known.bound)) != TYPE_UNSIGNED(TREE_TYPE(asked.bound))) {
      return false;
    }
    order = tree_int_cst_compare(asked.bound, known.bound);
  }
  const bool is_strict = known.code == LT_EXPR || known.code == GT_EXPR;
  switch (known.code) {
    case EQ_EXPR:
      return order == 0 &&
             (asked.code == EQ_EXPR || asked.code == LE_EXPR || asked.code == GE_EXPR);
    case NE_EXPR:
      return order == 0 && asked.code == NE_EXPR;
    case LT_EXPR:
    case LE_EXPR:
      if (order == 0 && asked.code == LE_EXPR) return true;
      return (order > 0 || (order == 0 && is_strict)) &&
             (asked.code == LT_EXPR || asked.code == LE_EXPR || asked.code == NE_EXPR);
    case GT_EXPR:
    case GE_EXPR:
      if (order == 0 && asked.code == GE_EXPR) return true;
      return (order < 0 || (order == 0 && is_strict)) &&
             (asked.code == GT_EXPR || asked.code == GE_EXPR || asked.code == NE_EXPR);
    default:
      return false;
  }
}

// A copy, or a sum with a constant that does not wrap: what is asked of it, asked of what it was
// made of.
inline bool is_asked_of_another(tree value, const Comparison& asked, tree* from,
                                Comparison* before) {
  if (TREE_CODE(value) != SSA_NAME) return false;
  gimple* const made = SSA_NAME_DEF_STMT(value);
  if (!is_gimple_assign(made)) return false;
  *from = gimple_assign_rhs1(made);
  *before = asked;
  if (TREE_CODE(*from) != SSA_NAME) return false;
  if (gimple_assign_ssa_name_copy_p(made)) return true;
  const tree type = TREE_TYPE(asked.bound);
  if (gimple_assign_rhs_code(made) != PLUS_EXPR || !TYPE_OVERFLOW_UNDEFINED(type) ||
      TREE_CODE(gimple_assign_rhs2(made)) != INTEGER_CST || TREE_CODE(asked.bound) != INTEGER_CST) {
    return false;
  }
  before->bound = fold_binary(MINUS_EXPR, type, asked.bound, gimple_assign_rhs2(made));
  return before->bound != NULL_TREE && TREE_CODE(before->bound) == INTEGER_CST &&
         !TREE_OVERFLOW(before->bound);
}

// Whatever value the name has.
inline bool is_decided_by_range(tree name, const Comparison& asked, bool truth) {
  int_range<2> range;
  if (TREE_CODE(asked.bound) != INTEGER_CST ||
      !get_global_range_query()->range_of_expr(range, name) || range.undefined_p() ||
      range.varying_p()) {
    return false;
  }
  const tree type = TREE_TYPE(name);
  return decides({GE_EXPR, wide_int_to_tree(type, range.lower_bound())}, asked, truth) ||
         decides({LE_EXPR, wide_int_to_tree(type, range.upper_bound())}, asked, truth);
}

// By what is tested on every way to the edge?
inline bool is_decided_by_tests(tree value, const Comparison& asked, bool truth, edge at) {
  if (TREE_CODE(value) == INTEGER_CST) {
    const tree holds = fold_binary(asked.code, boolean_type_node, value, asked.bound);
    if (holds != NULL_TREE && TREE_CODE(holds) == INTEGER_CST) return integer_onep(holds) == truth;
  }
  tree from;
  Comparison before;
  if (is_asked_of_another(value, asked, &from, &before) &&
      is_decided_by_tests(from, before, truth, at)) {
    return true;
  }
  // A constant compared with a name is a name compared with a constant.
  const Comparison of_bound{swap_tree_comparison(asked.code), value};
  if (TREE_CODE(asked.bound) == SSA_NAME && is_decided_by_range(asked.bound, of_bound, truth)) {
    return true;
  }
  for (basic_block block = at->src; block != nullptr;) {
    const basic_block test = get_immediate_dominator(CDI_DOMINATORS, block);
    gimple* const last = test == nullptr ? nullptr : last_stmt(test);
    if (last != nullptr && gimple_code(last) == GIMPLE_COND && single_pred_p(block) &&
        single_pred(block) == test) {
      Comparison known;
      if (is_comparison_of(last, value, &known)) {
        take_way(&known, single_pred_edge(block));
        if (decides(known, asked, truth)) return true;
      }
      if (TREE_CODE(asked.bound) == SSA_NAME && is_comparison_of(last, asked.bound, &known)) {
        take_way(&known, single_pred_edge(block));
        if (decides(known, of_bound, truth)) return true;
      }
    }
    block = test;
  }
  return false;
}

}  // namespace fencepost::plugin
