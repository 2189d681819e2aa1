// SPDX-License-Identifier: MIT
// Local variables to which the program gives no first value.
//
// gcc is told to give them one (-ftrivial-auto-var-init), and marks where. There the runtime is
// asked instead, which can give another one and look whether that matters
// (checker/execution/lifetimes/uninitialised.cpp): of what others may know it fills the memory, and
// each read is seen; of what stays in a register every value that may come to be used counts as
// read. Objects with a constructor get theirs there.
#pragma once

#include "scopes.hpp"

namespace fencepost::plugin {

// Whether what a variable has at its declaration may be read at all: `int x = f();` is declared
// first for gcc, and written then. Searches every way from there to the next write of the whole
// variable for what mentions it. Who has kept its address is not followed, and may be anybody: in
// this function, or where the declaration is reached again while its scope goes on, elsewhere.
class FirstUse {
 public:
  explicit FirstUse(tree variable) : variable_(variable) {}

  // Behind what writes the first value; in a block, with all that comes after it.
  bool may_come(function* fun, gimple* written) {
    gimple_stmt_iterator behind = gsi_for_stmt(written);
    gsi_next(&behind);
    return is_address_kept(fun) || comes_from(gimple_bb(written), behind) ||
           (goes_elsewhere(variable_) && is_reached_again(written));
  }
  bool may_come(function* fun, basic_block block) {
    return is_address_kept(fun) || comes_from(block, gsi_start_bb(block));
  }

 private:
  enum class Meets : unsigned char { nothing, use, write };

  static bool mentions(gimple*, tree base, tree, void* variable) { return base == variable; }
  static bool addresses(gimple*, tree object, tree, void* variable) {
    return get_base_address(object) == variable;
  }

  bool is_mentioned(gimple* statement) {
    return walk_stmt_load_store_addr_ops(statement, variable_, mentions, mentions, addresses);
  }

  Meets meets(gimple* statement) {
    if (is_gimple_debug(statement)) return Meets::nothing;
    const bool writes_all = gimple_get_lhs(statement) == variable_;
    if (gimple_clobber_p(statement)) {
      return writes_all && !begins_scope(statement) ? Meets::write : Meets::nothing;
    }
    if (!writes_all) return is_mentioned(statement) ? Meets::use : Meets::nothing;
    const bool reads_it =
        walk_stmt_load_store_addr_ops(statement, variable_, mentions, nullptr, addresses);
    if (reads_it) return Meets::use;
    return stmt_ends_bb_p(statement) ? Meets::nothing : Meets::write;  // a throw writes nothing
  }

  // By an assignment, or where ways come together.
  bool is_address_kept(function* fun) {
    basic_block block;
    FOR_EACH_BB_FN(block, fun) {
      for (gphi_iterator phi = gsi_start_phis(block); !gsi_end_p(phi); gsi_next(&phi)) {
        if (is_mentioned(phi.phi())) return true;
      }
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        if (is_gimple_assign(gsi_stmt(at)) &&
            walk_stmt_load_store_addr_ops(gsi_stmt(at), variable_, nullptr, nullptr, addresses)) {
          return true;
        }
      }
    }
    return false;
  }

  // Is a use met on some way from there, before what ends the way?
  template <typename MeetsAt>
  static bool is_met(basic_block first, gimple_stmt_iterator from, const MeetsAt& meets_at) {
    auto_vec<basic_block> ways;
    auto_bitmap known;
    const auto is_met_from = [&](basic_block block, gimple_stmt_iterator at) {
      for (; !gsi_end_p(at); gsi_next(&at)) {
        const Meets met = meets_at(gsi_stmt(at));
        if (met == Meets::use) return true;
        if (met == Meets::write) return false;
      }
      edge to;
      edge_iterator i;
      FOR_EACH_EDGE(to, i, block->succs) {
        if (bitmap_set_bit(known, to->dest->index)) ways.safe_push(to->dest);
      }
      return false;
    };
    if (is_met_from(first, from)) return true;
    while (!ways.is_empty()) {
      const basic_block block = ways.pop();
      if (is_met_from(block, gsi_start_bb(block))) return true;
    }
    return false;
  }

  bool comes_from(basic_block first, gimple_stmt_iterator from) {
    return is_met(first, from, [this](gimple* statement) { return meets(statement); });
  }

  // Without an end of the variable's scope in between.
  bool is_reached_again(gimple* written) {
    gimple_stmt_iterator behind = gsi_for_stmt(written);
    gsi_next(&behind);
    return is_met(gimple_bb(written), behind, [&](gimple* statement) {
      if (statement == written) return Meets::use;
      return ends_scope_of(statement, variable_) ? Meets::write : Meets::nothing;
    });
  }

  tree variable_;
};

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

// Where the variable in memory that it is for is written: there, or where gcc stores it. nullptr if
// there is none.
inline gimple* written_for(gcall* first_value, tree* variable) {
  gimple* written = first_value;
  *variable = gimple_call_lhs(first_value);
  use_operand_p use;
  if (TREE_CODE(*variable) == SSA_NAME && single_imm_use(*variable, &use, &written)) {
    if (!gimple_assign_single_p(written)) return nullptr;
    *variable = gimple_assign_lhs(written);
  }
  return VAR_P(*variable) ? written : nullptr;
}

inline void announce_first_value(function* fun, gimple_stmt_iterator* at, gcall* first_value) {
  const tree value = gimple_call_lhs(first_value);
  if (value == NULL_TREE) return;
  tree variable;
  gimple* const written = written_for(first_value, &variable);
  if (written != nullptr && !FirstUse(variable).may_come(fun, written)) return;
  if (written != nullptr && is_known_to_others(variable) && !is_constructed(TREE_TYPE(variable))) {
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
