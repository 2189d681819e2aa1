// SPDX-License-Identifier: MIT
// Loops that look at something until a counter runs out.
//
//   for (i = 0; i < 1024 && !is_ready(); ++i) pause();
//
// Of such a loop is proved here that nobody can tell which of its rounds it was left in because of
// what was read; then each turn of it is announced, and the checker need not explore the rounds one
// by one (execution/loops/turns.cpp has the argument). What is proved, of a loop as it is before
// the thread instrumentation, behind inlining:
//
// - Its rounds only look. They write no memory that outlives them, and call what only looks: atomic
//   loads, pauses, and functions of this file of which the same is known.
// - What it carries from round to round, its counters, depends on nothing that it reads, and
//   nothing that it reads or calls depends on a counter.
// - Where a counter decides, that is a test in each round which ends the loop: whatever is read,
//   it runs out in the same round. Or it decides of computing and pausing alone (a pause that grows
//   to a limit).
// - Where the loop is left in another way, no counter is looked at again; but it may be compared
//   with its bound, which says only whether it ran out. Where a counter has run out, nothing that
//   was read is looked at.
//
// So what a round does is decided by what it reads and by what was there before the loop.
#pragma once

#include "comparisons.hpp"
#include "loop_dependences.hpp"
#include "only_looks.hpp"

namespace fencepost::plugin {

class SpinLoop final : public LoopWithDependences {
 public:
  using LoopWithDependences::LoopWithDependences;

  bool is_proved() {
    if (!find_body() || !rounds_only_look()) return false;
    find_dependences();
    return counters_are_counters() && counters_decide_only_the_end() && counters_are_dead();
  }

  void announce() {
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, header_->preds) {
      mark(e, contains(e->src) ? "__fencepost_spin_turns" : "__fencepost_spin_begins");
    }
    for (unsigned k = 0; k < exits_.length(); ++k) mark(exits_[k], "__fencepost_spin_ends");
  }

 private:
  static void mark(edge e, const char* name) {
    const tree type = build_function_type_list(void_type_node, NULL_TREE);
    gsi_insert_on_edge(e, gimple_build_call(declare_runtime_function(name, type), 0));
  }

  bool rounds_only_look() {
    bool looks = false;
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        unsigned callee = 0;
        if (!only_looks(gsi_stmt(at), &callee)) return false;
        if (callee != 0 && !plugin::looks_only(callee)) return false;
        const tree variable = written_variable(gsi_stmt(at));
        if (variable != NULL_TREE && !is_of_one_round(variable)) return false;
        looks = looks || is_gimple_call(gsi_stmt(at));
      }
    }
    return looks;
  }

  // A variable in memory, such as the compiler's own for atomic loads at -O0: nobody has its
  // address, and wherever the function uses it, it has been written right before, in this loop.
  bool is_of_one_round(tree variable) {
    basic_block block;
    FOR_EACH_BB_FN(block, cfun) {
      bool written = false;
      for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at)) {
        for (unsigned i = 0; i < gimple_phi_num_args(at.phi()); ++i) {
          if (mentions(gimple_phi_arg_def(at.phi(), i), variable)) return false;
        }
      }
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_debug(statement)) continue;
        if (is_gimple_assign(statement) && gimple_assign_lhs(statement) == variable) {
          if (!contains(block)) return false;
          written = !gimple_clobber_p(statement);
          if (!mentions(gimple_assign_rhs1(statement), variable)) continue;
        }
        Mentioned m{variable, written && contains(block), false};
        walk_stmt_load_store_addr_ops(statement, static_cast<void*>(&m), used, used_badly,
                                      used_badly);
        if (m.badly) return false;
      }
    }
    return true;
  }

  struct Mentioned {
    tree variable;
    bool is_written;
    bool badly;
  };
  static bool used(gimple*, tree base, tree, void* given) {
    auto* const m = static_cast<Mentioned*>(given);
    m->badly = m->badly || (base == m->variable && !m->is_written);
    return false;
  }
  // Of a member's address `object` is the member.
  static bool used_badly(gimple*, tree object, tree, void* given) {
    auto* const m = static_cast<Mentioned*>(given);
    m->badly = m->badly || get_base_address(object) == m->variable;
    return false;
  }
  static bool mentions(tree value, tree variable) {
    return value == variable ||
           (TREE_CODE(value) == ADDR_EXPR && get_base_address(TREE_OPERAND(value, 0)) == variable);
  }

  // ---- what is to be shown of counters

  // What is carried is computed anew in each round, as a constant is not: it would never run out.
  // It does not depend on what is read, and is computed of without a trap, a look at memory or a
  // call.
  bool counters_are_counters() {
    for (gphi_iterator at = gsi_start_phis(header_); !gsi_end_p(at); gsi_next(&at)) {
      const tree result = gimple_phi_result(at.phi());
      if (virtual_operand_p(result)) continue;
      if (is_read(result) || !INTEGRAL_TYPE_P(TREE_TYPE(result))) return false;
      for (unsigned i = 0; i < gimple_phi_num_args(at.phi()); ++i) {
        if (!contains(gimple_phi_arg_edge(at.phi(), i)->src)) continue;
        const tree next = gimple_phi_arg_def(at.phi(), i);
        if (next == result || !is_carried(next)) return false;
      }
    }
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_debug(statement)) continue;
        ssa_op_iter i;
        tree name;
        bool uses_counter = false;
        FOR_EACH_SSA_TREE_OPERAND(name, statement, i, SSA_OP_USE) {
          uses_counter = uses_counter || is_carried(name);
        }
        if (!uses_counter || gimple_code(statement) == GIMPLE_COND) continue;
        if (!is_gimple_assign(statement) || accesses_memory(statement) ||
            gimple_could_trap_p(statement)) {
          return false;
        }
      }
    }
    return true;
  }

  bool counters_decide_only_the_end() {
    bool found_end = false;
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      const Dependence on = dependence_of_end(blocks_[k]);
      if (!on.carried) continue;
      if (on.read || gimple_code(last_stmt(blocks_[k])) != GIMPLE_COND) return false;
      if (way_out(blocks_[k]) != nullptr && is_in_each_round(blocks_[k])) {
        found_end = true;
      } else if (way_out(blocks_[k]) != nullptr || !decides_of_nothing(blocks_[k])) {
        return false;
      }
    }
    return found_end;
  }

  bool runs_out_by(edge e) { return dependence_of_end(e->src).carried; }

  // The blocks that may come after the loop, where a counter has run out or where not.
  void find_afterwards(bool runs_out, bitmap afterwards) {
    auto_vec<basic_block> left;
    for (unsigned i = 0; i < exits_.length(); ++i) {
      if (runs_out_by(exits_[i]) == runs_out) left.safe_push(exits_[i]->dest);
    }
    edge e;
    edge_iterator i;
    while (!left.is_empty()) {
      const basic_block block = left.pop();
      if (contains(block) || !bitmap_set_bit(afterwards, block->index)) continue;
      FOR_EACH_EDGE(e, i, block->succs) left.safe_push(e->dest);
    }
  }

  // After the loop was left because of what was read nobody looks at a counter. And where one has
  // run out, at nothing that was read: another round might have been left because of that.
  bool counters_are_dead() {
    find_afterwards(false, after_seeing_);
    find_afterwards(true, after_the_end_);
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      for (gphi_iterator at = gsi_start_phis(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        if (is_looked_at(gimple_phi_result(at.phi()))) return false;
      }
      for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
        const tree name = gimple_get_lhs(gsi_stmt(at));
        if (name != NULL_TREE && is_looked_at(name)) return false;
      }
    }
    return true;
  }

  bool is_looked_at(tree name) {
    if (TREE_CODE(name) != SSA_NAME) return false;
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name) {
      if (is_read(name) && is_afterwards(use, true, after_the_end_)) return true;
      if (is_carried(name) && is_afterwards(use, false, after_seeing_) &&
          !tells_only_the_end(name, use, 0)) {
        return true;
      }
    }
    return false;
  }

  bool is_afterwards(use_operand_p use, bool runs_out, bitmap afterwards) {
    gimple* const statement = USE_STMT(use);
    if (is_gimple_debug(statement)) return false;
    if (const gphi* phi = dyn_cast<gphi*>(statement)) {
      const edge e = gimple_phi_arg_edge(const_cast<gphi*>(phi), PHI_ARG_INDEX_FROM_USE(use));
      if (!contains(e->src)) return bitmap_bit_p(afterwards, e->src->index);
      return !contains(e->dest) && runs_out_by(e) == runs_out;
    }
    return bitmap_bit_p(afterwards, gimple_bb(statement)->index);
  }

  // Is that a comparison which comes out the same, whatever round was left?
  bool tells_only_the_end(tree counter, use_operand_p use, unsigned depth) {
    constexpr unsigned kDeepest = 4;
    if (has_inner_loop()) return false;  // a name may have several values in a round
    gimple* const statement = USE_STMT(use);
    const tree value = USE_FROM_PTR(use);
    if (const gphi* phi = dyn_cast<gphi*>(statement)) {
      if (depth == kDeepest) return false;
      imm_use_iterator i;
      use_operand_p next;
      FOR_EACH_IMM_USE_FAST(next, i, gimple_phi_result(phi)) {
        if (is_gimple_debug(USE_STMT(next))) continue;
        if (!tells_only_the_end(counter, next, depth + 1)) return false;
      }
      return true;
    }
    Comparison asked;
    if (!is_comparison_of(statement, value, &asked) || !is_invariant(asked.bound)) return false;
    for (unsigned i = 0; i < exits_.length(); ++i) {
      const edge e = exits_[i];
      if (!runs_out_by(e) && !is_decided(counter, asked, true, e) &&
          !is_decided(counter, asked, false, e)) {
        return false;
      }
    }
    return true;
  }

  // Is there a way from a block to itself within a round?
  bool has_inner_loop() {
    auto_bitmap done;
    for (bool more = true; more;) {
      more = false;
      for (unsigned k = 0; k < blocks_.length(); ++k) {
        bool ready = !bitmap_bit_p(done, blocks_[k]->index);
        edge e;
        edge_iterator i;
        FOR_EACH_EDGE(e, i, blocks_[k]->preds) {
          ready = ready && (blocks_[k] == header_ || bitmap_bit_p(done, e->src->index));
        }
        if (ready) more = bitmap_set_bit(done, blocks_[k]->index);
      }
    }
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      if (!bitmap_bit_p(done, blocks_[k]->index)) return true;
    }
    return false;
  }

  bool is_invariant(tree operand) {
    if (TREE_CODE(operand) == INTEGER_CST) return true;
    if (TREE_CODE(operand) != SSA_NAME) return false;
    const basic_block block = gimple_bb(SSA_NAME_DEF_STMT(operand));
    return block == nullptr || !contains(block);
  }

  // What the test says of the counter when the loop is not left there.
  bool stays_by(basic_block test, tree counter, Comparison* known, edge* stays) {
    gimple* const last = last_stmt(test);
    const edge out = way_out(test);
    if (out == nullptr || !runs_out_by(out) || !is_comparison_of(last, counter, known) ||
        !is_invariant(known->bound)) {
      return false;
    }
    *stays = EDGE_SUCC(test, EDGE_SUCC(test, 0) == out ? 1 : 0);
    take_way(known, *stays);
    return true;
  }

  // Is the one edge on every way to the other?
  static bool passes(edge first, edge to) {
    return first == to ||
           (single_pred_p(first->dest) && dominated_by_p(CDI_DOMINATORS, to->src, first->dest));
  }

  // In every round that is left by `out`?
  bool is_decided(tree counter, const Comparison& asked, bool truth, edge out) {
    if (is_decided_by_range(counter, asked, truth) ||
        is_decided_in_round(counter, asked, truth, out)) {
      return true;
    }
    tree from;
    Comparison before;
    if (is_asked_of_another(counter, asked, &from, &before)) {
      return is_carried(from) && is_decided(from, before, truth, out);
    }
    // Or it has passed such a test in the round before, and at the beginning.
    gimple* const made = SSA_NAME_DEF_STMT(counter);
    if (gimple_code(made) != GIMPLE_PHI || gimple_bb(made) != header_) return false;
    gphi* const phi = as_a<gphi*>(made);
    if (is_decided_by_counting(phi, asked, truth)) return true;
    for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
      const edge from_there = gimple_phi_arg_edge(phi, i);
      const tree value = gimple_phi_arg_def(phi, i);
      if (contains(from_there->src) ? !is_decided_in_round(value, asked, truth, from_there)
                                    : !is_decided_by_tests(value, asked, truth, from_there)) {
        return false;
      }
    }
    return true;
  }

  // By tests that are passed on every way to the edge within a round?
  bool is_decided_in_round(tree counter, const Comparison& asked, bool truth, edge to) {
    if (TREE_CODE(counter) != SSA_NAME) return false;
    Comparison known;
    edge stays;
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      if (stays_by(blocks_[k], counter, &known, &stays) && decides(known, asked, truth) &&
          passes(stays, to)) {
        return true;
      }
    }
    tree from;
    Comparison before;
    return is_asked_of_another(counter, asked, &from, &before) && is_carried(from) &&
           is_decided_in_round(from, before, truth, to);
  }

  // It goes up (or down) by one from a constant, and the loop ends at another.
  bool is_decided_by_counting(gphi* phi, const Comparison& asked, bool truth) {
    if (gimple_phi_num_args(phi) != 2 || turns_.length() != 1) return false;
    const unsigned next = gimple_phi_arg_edge(phi, 0) == turns_[0] ? 0 : 1;
    const tree first = gimple_phi_arg_def(phi, 1 - next);
    const tree later = gimple_phi_arg_def(phi, next);
    if (TREE_CODE(first) != INTEGER_CST || TREE_CODE(later) != SSA_NAME) return false;
    gimple* const made = SSA_NAME_DEF_STMT(later);
    if (!is_gimple_assign(made) || gimple_assign_rhs_code(made) != PLUS_EXPR ||
        gimple_assign_rhs1(made) != gimple_phi_result(phi)) {
      return false;
    }
    const bool up = integer_onep(gimple_assign_rhs2(made));
    if (!up && !integer_minus_onep(gimple_assign_rhs2(made))) return false;
    Comparison known;
    edge stays;
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      if (stays_by(blocks_[k], later, &known, &stays) && passes(stays, turns_[0]) &&
          known.code == NE_EXPR && TREE_CODE(known.bound) == INTEGER_CST &&
          tree_int_cst_compare(first, known.bound) == (up ? -1 : 1)) {
        return decides({up ? LT_EXPR : GT_EXPR, known.bound}, asked, truth);
      }
    }
    return false;
  }

  auto_bitmap after_seeing_;   // blocks
  auto_bitmap after_the_end_;  // ...
};

inline void announce_spins(function* fun) {
  calculate_dominance_info(CDI_DOMINATORS);
  auto_vec<SpinLoop*> proved;
  basic_block header;
  FOR_EACH_BB_FN(header, fun) {
    auto* const loop = new SpinLoop(header);
    if (loop->turns() && loop->is_proved()) {
      proved.safe_push(loop);
    } else {
      delete loop;
    }
  }
  for (unsigned i = 0; i < proved.length(); ++i) {
    proved[i]->announce();
    delete proved[i];
  }
}

}  // namespace fencepost::plugin
