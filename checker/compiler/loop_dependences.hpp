// SPDX-License-Identifier: MIT
// What depends, in a loop, on what it carries from round to round, and on what a round reads.
#pragma once

#include "natural_loop.hpp"
#include "only_looks.hpp"

namespace fencepost::plugin {

class LoopWithDependences : public NaturalLoop {
 public:
  using NaturalLoop::NaturalLoop;

 protected:
  ~LoopWithDependences() = default;

  // Is what comes together at the header another thing in each round?
  virtual bool carries(gphi*) { return true; }

  bool is_carried(tree name) {
    return TREE_CODE(name) == SSA_NAME && bitmap_bit_p(carried_, SSA_NAME_VERSION(name));
  }
  bool is_read(tree name) {
    return TREE_CODE(name) == SSA_NAME && bitmap_bit_p(read_, SSA_NAME_VERSION(name));
  }

  struct Dependence {
    bool carried = false;  // on what the loop carries from round to round
    bool read = false;     // on what the round reads
  };

  void depend(Dependence* on, tree name) {
    on->carried = on->carried || is_carried(name);
    on->read = on->read || is_read(name);
  }

  Dependence dependence_of(gimple* statement) {
    Dependence on;
    ssa_op_iter i;
    tree name;
    FOR_EACH_SSA_TREE_OPERAND(name, statement, i, SSA_OP_USE) depend(&on, name);
    on.read = on.read || is_gimple_call(statement) ||
              (is_gimple_assign(statement) && accesses_memory(statement));
    return on;
  }

  // Of what decides where a block is left to.
  Dependence dependence_of_end(basic_block block) {
    gimple* const last = last_stmt(block);
    if (last != nullptr &&
        (gimple_code(last) == GIMPLE_COND || gimple_code(last) == GIMPLE_SWITCH)) {
      return dependence_of(last);
    }
    return {};
  }

  Dependence dependence_of_phi(gphi* phi) {
    Dependence on;
    const basic_block block = gimple_bb(phi);
    basic_block from = block == header_ ? nullptr : get_immediate_dominator(CDI_DOMINATORS, block);
    auto_vec<basic_block> left;
    tree first = NULL_TREE;
    bool differ = false;
    for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
      const basic_block before = gimple_phi_arg_edge(phi, i)->src;
      if (!contains(before)) continue;
      const tree value = gimple_phi_arg_def(phi, i);
      depend(&on, value);
      left.safe_push(before);
      if (first == NULL_TREE) first = value;
      differ = differ || !operand_equal_p(first, value);
      if (block != header_) continue;
      from = from == nullptr ? before : nearest_common_dominator(CDI_DOMINATORS, from, before);
    }
    if (block == header_) {
      on.carried = carries(phi);
      if (!differ || !on.carried) return on;
    }
    // By which way it was come here.
    auto_bitmap seen;
    edge e;
    edge_iterator i;
    while (!left.is_empty()) {
      const basic_block way = left.pop();
      if (!bitmap_set_bit(seen, way->index)) continue;
      const Dependence end = dependence_of_end(way);
      on.carried = on.carried || end.carried;
      on.read = on.read || end.read;
      if (way == from) continue;
      FOR_EACH_EDGE(e, i, way->preds) left.safe_push(e->src);
    }
    return on;
  }

  bool note(tree name, const Dependence& on) {
    if (name == NULL_TREE || TREE_CODE(name) != SSA_NAME || virtual_operand_p(name)) return false;
    bool changes = on.carried && bitmap_set_bit(carried_, SSA_NAME_VERSION(name));
    changes |= on.read && bitmap_set_bit(read_, SSA_NAME_VERSION(name));
    return changes;
  }

  void find_dependences() {
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned k = 0; k < blocks_.length(); ++k) {
        for (gphi_iterator at = gsi_start_phis(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
          if (virtual_operand_p(gimple_phi_result(at.phi()))) continue;
          changes |= note(gimple_phi_result(at.phi()), dependence_of_phi(at.phi()));
        }
        for (gimple_stmt_iterator at = gsi_start_bb(blocks_[k]); !gsi_end_p(at); gsi_next(&at)) {
          gimple* const statement = gsi_stmt(at);
          if (is_gimple_debug(statement)) continue;
          changes |= note(gimple_get_lhs(statement), dependence_of(statement));
        }
      }
    }
  }

  // Does this test decide of nothing but computing and pausing?
  bool decides_of_nothing(basic_block test) {
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      if (only_computes_up_to(test, blocks_[k])) return true;
    }
    return false;
  }

 private:
  // On every way to `meet`, which is on every way.
  bool only_computes_up_to(basic_block test, basic_block meet) {
    auto_bitmap seen;
    auto_vec<basic_block> left;
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, test->succs) left.safe_push(e->dest);
    while (!left.is_empty()) {
      const basic_block block = left.pop();
      if (block == meet || !bitmap_set_bit(seen, block->index)) continue;
      if (!contains(block) || block == header_ || !only_computes(block)) return false;
      FOR_EACH_EDGE(e, i, block->succs) {
        if (!is_never_gone(e)) left.safe_push(e->dest);
      }
    }
    return true;
  }

  bool only_computes(basic_block block) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (const gcall* call = dyn_cast<gcall*>(statement)) {
        const tree function = gimple_call_fndecl(call);
        if (function == NULL_TREE || !is_pause(function)) return false;
      } else if (is_gimple_assign(statement) &&
                 (accesses_memory(statement) || gimple_could_trap_p(statement))) {
        return false;
      }
    }
    return true;
  }

  auto_bitmap carried_;  // names, by version
  auto_bitmap read_;     // ...
};

}  // namespace fencepost::plugin
