// SPDX-License-Identifier: MIT
// The scopes of local variables of which others may know.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

// What mentions a variable is where it is known to live, unless that is known on every way to it
// since the variable's scope ended there last: loops come round, and are unrolled. That is more
// often than needed, and never too late.
struct Mention {
  tree variable;
  gimple* statement;
};

inline bool add_mention(gimple* statement, tree base, vec<Mention>* mentions) {
  if (base != NULL_TREE && DECL_P(base) && is_known_to_others(base)) {
    mentions->safe_push({base, statement});
  }
  return false;
}

inline bool mention_store(gimple* statement, tree base, tree, void* mentions) {
  return add_mention(statement, base, static_cast<vec<Mention>*>(mentions));
}

inline bool mention_address(gimple* statement, tree object, tree, void* mentions) {
  return add_mention(statement, get_base_address(object), static_cast<vec<Mention>*>(mentions));
}

inline bool ends_scope_of(const gimple* statement, tree variable) {
  return gimple_clobber_p(statement) && gimple_assign_lhs(statement) == variable;
}

// Where one variable is known to live: at the end of each block, on every way there.
class Lives {
 public:
  Lives(function* fun, const vec<Mention>& mentions, tree variable)
      : mentions_(mentions), variable_(variable) {
    at_end_.safe_grow_cleared(last_basic_block_for_fn(fun), true);
    basic_block block;
    FOR_EACH_BB_FN(block, fun) at_end_[block->index] = true;
    for (bool changes = true; changes;) {
      changes = false;
      FOR_EACH_BB_FN(block, fun) {
        const bool lives = after(block, nullptr);
        changes = changes || lives != at_end_[block->index];
        at_end_[block->index] = lives;
      }
    }
  }

  bool before(gimple* statement) const { return after(gimple_bb(statement), statement); }

 private:
  bool mentions(const gimple* statement) const {
    for (const Mention& m : mentions_) {
      if (m.statement == statement && m.variable == variable_) return true;
    }
    return false;
  }

  // At the end of the block, or before a statement in it.
  bool after(basic_block block, const gimple* end) const {
    bool lives = EDGE_COUNT(block->preds) != 0;
    edge from;
    edge_iterator i;
    FOR_EACH_EDGE(from, i, block->preds) lives = lives && at_end_[from->src->index];
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      const gimple* const statement = gsi_stmt(at);
      if (statement == end) break;
      if (ends_scope_of(statement, variable_)) {
        lives = false;
      } else if (mentions(statement)) {
        lives = true;
      }
    }
    return lives;
  }

  const vec<Mention>& mentions_;
  tree variable_;
  auto_vec<bool> at_end_;
};

inline void announce_life(const char* name, tree variable, gimple_stmt_iterator* before,
                          location_t where) {
  TREE_ADDRESSABLE(variable) = 1;
  gsi_insert_before(before,
                    call_of(name, build_fold_addr_expr(variable), DECL_SIZE_UNIT(variable), where),
                    GSI_SAME_STMT);
}

inline void announce_beginnings(function* fun, const vec<Mention>& mentions) {
  auto_vec<Mention> first;
  for (unsigned i = 0; i < mentions.length(); ++i) {
    const tree variable = mentions[i].variable;
    bool is_done = false;
    for (unsigned k = 0; k < i; ++k) is_done = is_done || mentions[k].variable == variable;
    if (is_done) continue;
    const Lives lives(fun, mentions, variable);
    for (unsigned k = i; k < mentions.length(); ++k) {
      const bool again = k != i && mentions[k].statement == mentions[k - 1].statement &&
                         mentions[k - 1].variable == variable;
      if (mentions[k].variable == variable && !again && !lives.before(mentions[k].statement)) {
        first.safe_push(mentions[k]);
      }
    }
  }
  for (const Mention& m : first) {
    gimple_stmt_iterator at = gsi_for_stmt(m.statement);
    announce_life("__fencepost_scope_begins", m.variable, &at, DECL_SOURCE_LOCATION(m.variable));
  }
}

inline void end_with_function(function* fun, tree variable) {
  edge to_exit;
  edge_iterator i;
  FOR_EACH_EDGE(to_exit, i, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
    gimple_stmt_iterator last = gsi_last_bb(to_exit->src);
    if (!gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_RETURN) {
      announce_life("__fencepost_scope_ends", variable, &last, DECL_SOURCE_LOCATION(variable));
    }
  }
}

// They are written, by the caller or where the function begins.
inline void announce_parameters(function* fun) {
  gimple_seq begins = nullptr;
  for (tree p = DECL_ARGUMENTS(fun->decl); p != NULL_TREE; p = DECL_CHAIN(p)) {
    if (!is_known_to_others(p)) continue;
    const tree address = build_fold_addr_expr(p);
    for (const char* name : {"__fencepost_scope_begins", "__tsan_write_range"}) {
      gimple_seq_add_stmt(&begins,
                          call_of(name, address, DECL_SIZE_UNIT(p), DECL_SOURCE_LOCATION(p)));
    }
    end_with_function(fun, p);
  }
  if (begins != nullptr) {
    gsi_insert_seq_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)), begins);
  }
}

inline bool ends_scope(const gimple* statement) {
  return gimple_clobber_p(statement) && VAR_P(gimple_assign_lhs(statement));
}

inline bool is_first_value(const gimple* statement) {
  return gimple_call_internal_p(statement, IFN_DEFERRED_INIT);
}

}  // namespace fencepost::plugin
