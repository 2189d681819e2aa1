// SPDX-License-Identifier: MIT
// Where loops are entered, and where they turn, for those that may turn only so often
// (fencepost check --unroll; execution/loops/unroll.cpp).
//
// Not announced, and so not bounded, is a loop that counts to a number: what it reads does not
// decide how often it turns. Nor one that has two beginnings, or is gone back to by a computed
// jump.
#pragma once

#include "announcements.hpp"
#include "loop_dependences.hpp"

namespace fencepost::plugin {

class TurningLoop final : public LoopWithDependences {
 public:
  using LoopWithDependences::LoopWithDependences;

  // Is it left in one way alone, by a test in each round of what it carries, and not of what it
  // reads?
  bool only_counts() {
    if (!find_body() || exits_.length() != 1 || !is_in_each_round(exits_[0]->src)) return false;
    find_dependences();
    const Dependence on = dependence_of_end(exits_[0]->src);
    return on.carried && !on.read;
  }
};

// Where it begins in the source, not in a header of the system's that is inlined there.
inline location_t place_of_loop(basic_block header) {
  for (gimple_stmt_iterator at = gsi_start_bb(header); !gsi_end_p(at); gsi_next(&at)) {
    location_t where = gimple_location(gsi_stmt(at));
    tree block = LOCATION_BLOCK(where);
    while (in_system_header_at(where) && block != NULL_TREE && TREE_CODE(block) == BLOCK) {
      if (inlined_function_outer_scope_p(block)) where = BLOCK_SOURCE_LOCATION(block);
      block = BLOCK_SUPERCONTEXT(block);
    }
    if (where != UNKNOWN_LOCATION) return LOCATION_LOCUS(where);
  }
  return UNKNOWN_LOCATION;
}

inline void announce_turn(edge e, const char* name, unsigned number) {
  const tree type =
      build_function_type_list(void_type_node, ptr_type_node, unsigned_type_node, NULL_TREE);
  const tree frame = make_ssa_name(ptr_type_node);
  gcall* const asks = gimple_build_call(builtin_decl_explicit(BUILT_IN_FRAME_ADDRESS), 1,
                                        build_zero_cst(unsigned_type_node));
  gimple_call_set_lhs(asks, frame);
  gcall* const call = gimple_build_call(declare_runtime_function(name, type), 2, frame,
                                        build_int_cst(unsigned_type_node, number));
  gimple_set_location(call, place_of_loop(e->dest));
  gsi_insert_on_edge(e, asks);
  gsi_insert_on_edge(e, call);
}

inline void announce_turns(function* fun) {
  if (std::getenv("FENCEPOST_UNROLL") == nullptr) return;
  calculate_dominance_info(CDI_DOMINATORS);
  unsigned number = 0;
  basic_block header;
  FOR_EACH_BB_FN(header, fun) {
    TurningLoop loop(header);
    if (!loop.turns() || loop.only_counts()) continue;
    bool is_known = true;
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, header->preds) {
      is_known = is_known && (e->flags & (EDGE_COMPLEX | EDGE_FAKE)) == 0;
    }
    if (!is_known) continue;
    ++number;
    FOR_EACH_EDGE(e, i, header->preds) {
      announce_turn(e, is_turn(e) ? "__fencepost_loop_turns" : "__fencepost_loop_begins", number);
    }
  }
}

}  // namespace fencepost::plugin
