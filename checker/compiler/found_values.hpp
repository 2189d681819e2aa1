// SPDX-License-Identifier: MIT
// Retry loops that go on with what a failed attempt has found.
//
//   int seen = x.load();
//   while (!x.compare_exchange_weak(seen, seen + 1)) {}
//
// A failed attempt leaves the loop where it would be if the load before it had found that value at
// once. Of such a loop is proved here that this is so; then it is announced where it begins and
// turns, and the checker need not explore what comes after a failed attempt
// (execution/loops/retries.cpp has the argument). What is proved, of a loop as it is before the
// thread instrumentation, behind inlining:
//
// - In the loop there is one compare-exchange. From round to round the loop carries nothing but the
//   object that this expects, values that are computed anew from it, and those that decide of
//   nothing but how long it pauses: no other value, and no memory. It writes none but what the
//   first thing that each round does is to write anew, without having looked at it, and before the
//   attempt that object. It calls nothing but atomic loads and pauses.
// - Right before the loop an atomic load gives its value to that object, and to nothing else. Only
//   such values are computed between the two.
// - Without such a load, or with one that orders more, an attempt may be where another one could
//   have left the loop: if behind a failed attempt nothing is loaded, and nothing but the failure
//   decides of the way to the next round, its pauses apart. Where what it has found decides, too,
//   an attempt is only where another attempt could have left the loop, and not a load.
//
// So what a round does, its pauses apart, depends on what was there before the load, and on the
// object.
#pragma once

#include "address.hpp"
#include "loop_dependences.hpp"

namespace fencepost::plugin {

class RetryLoop final : public LoopWithDependences {
 public:
  using LoopWithDependences::LoopWithDependences;

  bool is_proved() {
    if (!find_body() || !find_attempt() || !writes_nothing()) return false;
    is_loaded_ = find_load();
    return carries_nothing();
  }

  void announce() {
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, header_->preds) {
      if (contains(e->src)) {
        auto_bitmap seen;
        gsi_insert_on_edge(e, call("__fencepost_retry_turns", is_loaded_anew(e->src, seen)));
      } else {
        const int how = (is_loaded_ ? 1 : 0) + 2 * static_cast<int>(way_from_failed_attempt());
        gsi_insert_on_edge(e, call("__fencepost_retry_begins", how));
      }
    }
  }

 private:
  // Which loop of the function it is tells a loop from one inside it.
  gcall* call(const char* name, int how) {
    const tree type =
        build_function_type_list(void_type_node, integer_type_node, integer_type_node, NULL_TREE);
    return gimple_build_call(declare_runtime_function(name, type), 2,
                             build_int_cst(integer_type_node, header_->index),
                             build_int_cst(integer_type_node, how));
  }

  // The one compare-exchange, beside which nothing is called but atomic loads and pauses.
  bool find_attempt() {
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_compare_exchange(statement)) {
          if (attempt_ != nullptr) return false;
          attempt_ = statement;
        } else if (!is_harmless(statement)) {
          return false;
        }
      }
    }
    if (attempt_ == nullptr) return false;
    expected_ = Address::in(gimple_call_arg(attempt_, 1));
    return is_invariant(expected_);
  }

  static bool is_harmless(gimple* statement) {
    if (gimple_has_volatile_ops(statement)) return gimple_clobber_p(statement);
    unsigned callee = 0;
    return is_gimple_assign(statement) || (only_looks(statement, &callee) && callee == 0);
  }

  bool is_invariant(const Address& address) {
    return address.is_free_of([this](tree name) {
      const basic_block block = gimple_bb(SSA_NAME_DEF_STMT(name));
      return block != nullptr && contains(block);
    });
  }

  static bool is_store(gimple* statement) {
    return is_gimple_assign(statement) && !gimple_clobber_p(statement) &&
           TREE_CODE(gimple_assign_lhs(statement)) != SSA_NAME;
  }

  // But what is expected, and what is written anew in each round before it is looked at.
  bool writes_nothing() {
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      bool has_looked = blocks_[k] != header_;
      for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_debug(statement)) continue;
        if (is_store(statement)) {
          const bool anew = !has_looked && is_written_whole(statement);
          if (!anew && !gives_value_to_expected(statement)) return false;
        } else {
          has_looked = has_looked || (gimple_vuse(statement) != NULL_TREE &&
                                      !gimple_clobber_p(statement) && !loads_expected(statement));
        }
      }
    }
    return true;
  }

  // From round to round, but how long to pause.
  bool carries_nothing() {
    find_dependences();
    basic_block block;
    FOR_EACH_BB_FN(block, cfun) {
      for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at)) {
        for (unsigned i = 0; !contains(block) && i < gimple_phi_num_args(at.phi()); ++i) {
          if (is_carried(gimple_phi_arg_def(at.phi(), i))) return false;
        }
      }
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        if (!is_gimple_debug(gsi_stmt(at)) && uses_carried(gsi_stmt(at)) &&
            !only_lets_pause(gsi_stmt(at))) {
          return false;
        }
      }
    }
    return true;
  }

  bool uses_carried(gimple* statement) {
    ssa_op_iter i;
    tree name;
    FOR_EACH_SSA_TREE_OPERAND(name, statement, i, SSA_OP_USE) {
      if (is_carried(name)) return true;
    }
    return false;
  }

  bool only_lets_pause(gimple* statement) {
    if (!contains(gimple_bb(statement))) return false;
    if (gimple_code(statement) == GIMPLE_COND) return decides_of_nothing(gimple_bb(statement));
    return is_gimple_assign(statement) && !accesses_memory(statement) &&
           !gimple_could_trap_p(statement);
  }

  // Not what is computed anew from what is expected, at the end of a round as before the first.
  bool carries(gphi* phi) final {
    if (!is_loaded_) return true;
    tree first = NULL_TREE;
    for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
      if (!contains(gimple_phi_arg_edge(phi, i)->src)) first = gimple_phi_arg_def(phi, i);
    }
    for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
      const tree next = gimple_phi_arg_def(phi, i);
      if (contains(gimple_phi_arg_edge(phi, i)->src) && !is_computed_so(first, next)) return true;
    }
    return false;
  }

  // Is `next`, of a round in which the attempt has failed, what `first` is, where that was loaded?
  bool is_computed_so(tree first, tree next) {
    if (TREE_CODE(first) != SSA_NAME || TREE_CODE(next) != SSA_NAME) {
      return TREE_CODE(first) != SSA_NAME && TREE_CODE(next) != SSA_NAME &&
             operand_equal_p(first, next);
    }
    if (first == next) return !bitmap_bit_p(loaded_, SSA_NAME_VERSION(first));
    gimple* const before = SSA_NAME_DEF_STMT(first);
    gimple* const now = SSA_NAME_DEF_STMT(next);
    if (!is_gimple_assign(before) || !is_gimple_assign(now) ||
        gimple_assign_rhs_code(before) != gimple_assign_rhs_code(now) ||
        !types_compatible_p(TREE_TYPE(first), TREE_TYPE(next))) {
      return false;
    }
    if (accesses_memory(now)) {
      return bitmap_bit_p(loaded_, SSA_NAME_VERSION(first)) && loads_expected(before) &&
             loads_expected(now) && is_behind_attempt(now);
    }
    const unsigned count = gimple_num_ops(now);
    if (count != gimple_num_ops(before)) return false;
    for (unsigned i = 1; i < count; ++i) {
      if (!is_computed_so(operand(before, i), operand(now, i))) return false;
    }
    return true;
  }

  static tree operand(gimple* statement, unsigned i) {
    const tree given = gimple_op(statement, i);
    return TREE_CODE(given) == VIEW_CONVERT_EXPR ? TREE_OPERAND(given, 0) : given;
  }

  // In the same round.
  bool is_behind_attempt(gimple* statement) {
    const basic_block block = gimple_bb(statement);
    if (!contains(block)) return false;
    if (block != gimple_bb(attempt_)) {
      return dominated_by_p(CDI_DOMINATORS, block, gimple_bb(attempt_));
    }
    gimple_stmt_iterator at = gsi_for_stmt(attempt_);
    while (!gsi_end_p(at) && gsi_stmt(at) != statement) gsi_next(&at);
    return !gsi_end_p(at);
  }

  // Before the attempt, if there is one in that round.
  bool gives_value_to_expected(gimple* statement) {
    return stored_in_expected(statement) != NULL_TREE && !may_come_behind_attempt(statement);
  }

  bool may_come_behind_attempt(gimple* statement) {
    if (gimple_bb(statement) == gimple_bb(attempt_) && is_behind_attempt(statement)) return true;
    auto_vec<basic_block> behind;
    find_behind_attempt(&behind);
    return behind.contains(gimple_bb(statement));
  }

  // The blocks that may come after the attempt's own in the same round. Its own, if it comes again.
  void find_behind_attempt(vec<basic_block>* behind) {
    auto_bitmap seen;
    auto_vec<basic_block> left;
    left.safe_push(gimple_bb(attempt_));
    edge e;
    edge_iterator i;
    while (!left.is_empty()) {
      FOR_EACH_EDGE(e, i, left.pop()->succs) {
        if (!contains(e->dest) || e->dest == header_) continue;
        if (!bitmap_set_bit(seen, e->dest->index)) continue;
        behind->safe_push(e->dest);
        left.safe_push(e->dest);
      }
    }
  }

  // And nothing beside it.
  bool loads_expected(gimple* statement) {
    return gimple_assign_load_p(statement) &&
           tree_int_cst_equal(TYPE_SIZE_UNIT(TREE_TYPE(gimple_assign_lhs(statement))), size()) &&
           Address::of(gimple_assign_rhs1(statement)).is(expected_);
  }

  // From a register, at a place that is the same in each round.
  bool is_written_whole(gimple* statement) {
    const tree to = gimple_assign_lhs(statement);
    return gimple_assign_single_p(statement) && is_gimple_val(gimple_assign_rhs1(statement)) &&
           is_gimple_reg_type(TREE_TYPE(to)) && TREE_CODE(to) != BIT_FIELD_REF &&
           !(TREE_CODE(to) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(to, 1))) &&
           is_invariant(Address::of(to));
  }

  // What decides of the way from a failed attempt to the next round, or out of the loop: RetryWay
  // of execution/threads/thread.hpp.
  enum class Way { other, by_what_is_found, by_failure };

  Way way_from_failed_attempt() {
    auto_vec<basic_block> behind;
    find_behind_attempt(&behind);
    const basic_block own = gimple_bb(attempt_);
    gimple_stmt_iterator rest = gsi_for_stmt(attempt_);
    gsi_next(&rest);
    if (behind.contains(own) || has_load(rest)) return Way::other;
    Way way = decided_by(own);
    for (const basic_block block : behind) {
      if (has_load(gsi_start_bb(block))) return Way::other;
      way = std::min(way, decided_by(block));
    }
    return way;
  }

  static bool has_load(gimple_stmt_iterator at) {
    for (; !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (is_gimple_call(statement) && gimple_call_fndecl(statement) != NULL_TREE &&
          is_atomic_load(gimple_call_fndecl(statement))) {
        return true;
      }
    }
    return false;
  }

  Way decided_by(basic_block block) {
    gimple* const last = last_stmt(block);
    if (single_succ_p(block) || last == nullptr) return Way::by_failure;
    if (gimple_code(last) == GIMPLE_COND && decides_of_nothing(block)) return Way::by_failure;
    if (gimple_code(last) != GIMPLE_COND && gimple_code(last) != GIMPLE_SWITCH) return Way::other;
    auto_bitmap seen;
    return made_of(last, seen);
  }

  Way made_of(gimple* statement, bitmap seen) {
    Way way = Way::by_failure;
    ssa_op_iter i;
    tree name;
    FOR_EACH_SSA_TREE_OPERAND(name, statement, i, SSA_OP_USE) {
      way = std::min(way, made_of(name, seen));
    }
    return way;
  }

  Way made_of(tree name, bitmap seen) {
    if (TREE_CODE(name) != SSA_NAME) return Way::by_failure;
    gimple* const from = SSA_NAME_DEF_STMT(name);
    const basic_block block = gimple_bb(from);
    // What comes from before the loop is the same in each round.
    if (block == nullptr || !contains(block) || from == attempt_) return Way::by_failure;
    if (!bitmap_set_bit(seen, SSA_NAME_VERSION(name))) return Way::by_failure;
    if (gphi* phi = dyn_cast<gphi*>(from)) {
      // By which way it was come there is decided behind the attempt, if it is behind it.
      if (block == header_ || block == gimple_bb(attempt_) ||
          !dominated_by_p(CDI_DOMINATORS, block, gimple_bb(attempt_))) {
        return Way::other;
      }
      Way way = Way::by_failure;
      for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
        way = std::min(way, made_of(gimple_phi_arg_def(phi, i), seen));
      }
      return way;
    }
    if (!is_gimple_assign(from)) return Way::other;
    if (!accesses_memory(from)) return made_of(from, seen);
    return loads_expected(from) && is_behind_attempt(from) ? Way::by_what_is_found : Way::other;
  }

  // Has what is expected been given the value of an atomic load, right before the loop?
  bool find_load() {
    edge into = nullptr;
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, header_->preds) {
      if (contains(e->src)) continue;
      if (into != nullptr) return false;
      into = e;
    }
    auto_vec<gimple*> behind;
    return into != nullptr && is_loaded_before(into->src, &behind) && goes_into_first_round(behind);
  }

  // ... on every way to the end of a round on which there was a load behind the attempt, if any?
  bool is_loaded_anew(basic_block block, bitmap seen) {
    for (gimple_stmt_iterator at = gsi_last_bb(block); !gsi_end_p(at); gsi_prev(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (statement == attempt_) return true;
      const bool loads = is_gimple_call(statement) && gimple_call_fndecl(statement) != NULL_TREE &&
                         is_atomic_load(gimple_call_fndecl(statement));
      if (!loads && !is_store(statement)) continue;
      auto_vec<gimple*> behind;
      if (!is_loaded_before(block, &behind)) return false;
      for (gimple* more : behind) {
        if (gimple_vuse(more) != NULL_TREE) return false;
      }
      return true;
    }
    if (block == header_ || !bitmap_set_bit(seen, block->index)) return false;
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, block->preds) {
      if (!is_loaded_anew(e->src, seen)) return false;
    }
    return true;
  }

  // `behind` is what comes after it is given the value, the last first.
  bool is_loaded_before(basic_block before, vec<gimple*>* behind) {
    if (!single_succ_p(before)) return false;
    tree value = NULL_TREE;
    while (before != nullptr) {
      for (gimple_stmt_iterator at = gsi_last_bb(before); !gsi_end_p(at); gsi_prev(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_debug(statement) || gimple_clobber_p(statement)) continue;
        if (value == NULL_TREE) {
          if (is_store(statement)) {
            value = stored_in_expected(statement);
            if (value == NULL_TREE) return false;
          } else if (only_computes(statement) || loads_expected(statement)) {
            behind->safe_push(statement);
          } else {
            return false;
          }
        } else if (statement == SSA_NAME_DEF_STMT(value)) {
          if (!has_single_use(value)) return false;
          if (is_load_of_its_size(statement)) return true;
          value = converted(statement);
          if (value == NULL_TREE) return false;
        } else if (!only_computes(statement)) {
          return false;
        }
      }
      if (!single_pred_p(before) || !single_succ_p(single_pred(before))) return false;
      before = single_pred(before);
    }
    return false;
  }

  // What is computed from the value that was loaded is used for nothing but what each round carries
  // to the next.
  bool goes_into_first_round(const vec<gimple*>& behind) {
    auto_bitmap here;
    for (unsigned k = behind.length(); k-- > 0;) {
      const tree name = gimple_get_lhs(behind[k]);
      if (name == NULL_TREE || TREE_CODE(name) != SSA_NAME) continue;
      bitmap_set_bit(here, SSA_NAME_VERSION(name));
      bool depends = gimple_vuse(behind[k]) != NULL_TREE;
      ssa_op_iter i;
      tree used;
      FOR_EACH_SSA_TREE_OPERAND(used, behind[k], i, SSA_OP_USE) {
        depends = depends || bitmap_bit_p(loaded_, SSA_NAME_VERSION(used));
      }
      if (depends) bitmap_set_bit(loaded_, SSA_NAME_VERSION(name));
    }
    for (gimple* statement : behind) {
      const tree name = gimple_get_lhs(statement);
      if (name == NULL_TREE || TREE_CODE(name) != SSA_NAME) continue;
      if (!bitmap_bit_p(loaded_, SSA_NAME_VERSION(name))) continue;
      imm_use_iterator i;
      use_operand_p use;
      FOR_EACH_IMM_USE_FAST(use, i, name) {
        gimple* const by = USE_STMT(use);
        const bool is_debug = is_gimple_debug(by);
        const tree made = is_debug ? NULL_TREE : gimple_get_lhs(by);
        const bool is_here = made != NULL_TREE && TREE_CODE(made) == SSA_NAME &&
                             bitmap_bit_p(here, SSA_NAME_VERSION(made));
        const bool is_carried = gimple_code(by) == GIMPLE_PHI && gimple_bb(by) == header_;
        if (!is_debug && !is_here && !is_carried) return false;
      }
    }
    return true;
  }

  static bool only_computes(gimple* statement) {
    if (const gcall* call = dyn_cast<gcall*>(statement)) {
      const tree function = gimple_call_fndecl(call);
      return has_register_result(call) &&
             (is_first_value(statement) || (function != NULL_TREE && is_pause(function)));
    }
    return gimple_code(statement) == GIMPLE_LABEL || gimple_code(statement) == GIMPLE_PREDICT ||
           (is_gimple_assign(statement) && !accesses_memory(statement));
  }

  // The value that the statement stores there, a whole one.
  tree stored_in_expected(gimple* statement) {
    const tree value = gimple_assign_rhs1(statement);
    if (!gimple_assign_single_p(statement) || gimple_has_volatile_ops(statement) ||
        TREE_CODE(value) != SSA_NAME || !Address::of(gimple_assign_lhs(statement)).is(expected_) ||
        !tree_int_cst_equal(TYPE_SIZE_UNIT(TREE_TYPE(value)), size())) {
      return NULL_TREE;
    }
    return value;
  }

  // Of the same bytes.
  static tree converted(gimple* statement) {
    if (!is_gimple_assign(statement)) return NULL_TREE;
    const tree_code code = gimple_assign_rhs_code(statement);
    if (!CONVERT_EXPR_CODE_P(code) && code != VIEW_CONVERT_EXPR) return NULL_TREE;
    tree from = gimple_assign_rhs1(statement);
    if (code == VIEW_CONVERT_EXPR) from = TREE_OPERAND(from, 0);
    const tree to = TREE_TYPE(gimple_assign_lhs(statement));
    const bool computes = code != VIEW_CONVERT_EXPR &&
                          (SCALAR_FLOAT_TYPE_P(to) || SCALAR_FLOAT_TYPE_P(TREE_TYPE(from)));
    if (TREE_CODE(from) != SSA_NAME || computes ||
        !tree_int_cst_equal(TYPE_SIZE_UNIT(to), TYPE_SIZE_UNIT(TREE_TYPE(from)))) {
      return NULL_TREE;
    }
    return from;
  }

  tree size() { return TYPE_SIZE_UNIT(TREE_TYPE(gimple_call_arg(attempt_, 2))); }

  bool is_load_of_its_size(gimple* statement) {
    return gimple_call_builtin_p(statement, BUILT_IN_NORMAL) &&
           is_atomic_load(gimple_call_fndecl(statement)) &&
           tree_int_cst_equal(TYPE_SIZE_UNIT(TREE_TYPE(gimple_call_lhs(statement))), size());
  }

  gimple* attempt_ = nullptr;
  Address expected_;
  bool is_loaded_ = false;
  auto_bitmap loaded_;  // names that depend on what was loaded before the loop
};

inline void announce_retries(function* fun) {
  calculate_dominance_info(CDI_DOMINATORS);
  basic_block header;
  FOR_EACH_BB_FN(header, fun) {
    RetryLoop loop(header);
    if (loop.turns() && loop.is_proved()) loop.announce();
  }
}

}  // namespace fencepost::plugin
