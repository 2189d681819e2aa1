// SPDX-License-Identifier: MIT
// The scopes of local variables of which others may know.
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

// gcc says where a variable's scope ends, and not where it begins. That is where it is mentioned
// first. Who asks late finds its address moved out of the scope: so it is asked before gcc moves
// anything, and marked by what means to gcc that the variable has no value yet.
constexpr unsigned kBegins = 77;  // no clobber_kind of gcc's

inline bool begins_scope(const gimple* statement) {
  return gimple_clobber_p(statement) && CLOBBER_KIND(gimple_assign_rhs1(statement)) == kBegins;
}

// A constructor and a destructor have a clobber of their own, which is no end of the scope.
inline bool ends_scope(const gimple* statement) {
  return gimple_clobber_p(statement, CLOBBER_EOL) && VAR_P(gimple_assign_lhs(statement));
}

// Of a variable without marks, such as a parameter of an inlined function: what mentions it is
// where it is known to live, unless that is known on every way to it since the variable's scope
// ended there last: loops come round, and are unrolled. That is more often than needed, and never
// too late.
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

inline void look_for_mentions(function* fun, vec<Mention>* mentions,
                              walk_stmt_load_store_addr_fn stored,
                              walk_stmt_load_store_addr_fn addressed) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (is_gimple_debug(statement) || gimple_clobber_p(statement)) continue;
      walk_stmt_load_store_addr_ops(statement, mentions, nullptr, stored, addressed);
    }
  }
}

inline bool ends_scope_of(const gimple* statement, tree variable) {
  return ends_scope(statement) && gimple_assign_lhs(statement) == variable;
}

// Where one variable lives: on every way there, or on some way.
class Lives {
 public:
  Lives(function* fun, const vec<Mention>& mentions, tree variable, bool on_every_way)
      : variable_(variable), on_every_way_(on_every_way) {
    for (const Mention& m : mentions) {
      if (m.variable == variable) mentioned_.add(m.statement);
    }
    at_end_.safe_grow_cleared(last_basic_block_for_fn(fun), true);
    basic_block block;
    FOR_EACH_BB_FN(block, fun) at_end_[block->index] = on_every_way;
    for (bool changes = true; changes;) {
      changes = false;
      FOR_EACH_BB_FN(block, fun) {
        const bool lives = after(block, nullptr);
        changes = changes || lives != at_end_[block->index];
        at_end_[block->index] = lives;
      }
    }
  }

  bool before(gimple* statement) { return after(gimple_bb(statement), statement); }

 private:
  // At the end of the block, or before a statement in it.
  bool after(basic_block block, const gimple* end) {
    bool lives = on_every_way_ && EDGE_COUNT(block->preds) != 0;
    edge from;
    edge_iterator i;
    FOR_EACH_EDGE(from, i, block->preds) {
      const bool lived = at_end_[from->src->index];
      lives = on_every_way_ ? lives && lived : lives || lived;
    }
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (statement == end) break;
      if (ends_scope_of(statement, variable_)) {
        lives = false;
      } else if (mentioned_.contains(statement)) {
        lives = true;
      }
    }
    return lives;
  }

  hash_set<gimple*> mentioned_;
  tree variable_;
  bool on_every_way_;
  auto_vec<bool> at_end_;
};

// Each variable that is mentioned, once, with the mentions at which it is not known to live.
template <typename Each>
void each_with_first_mentions(function* fun, const vec<Mention>& mentions, const Each& each) {
  for (unsigned i = 0; i < mentions.length(); ++i) {
    const tree variable = mentions[i].variable;
    bool is_done = false;
    for (unsigned k = 0; k < i; ++k) is_done = is_done || mentions[k].variable == variable;
    if (is_done) continue;
    Lives lives(fun, mentions, variable, true);
    auto_vec<Mention> first;
    for (unsigned k = i; k < mentions.length(); ++k) {
      const bool again = k != i && mentions[k].statement == mentions[k - 1].statement &&
                         mentions[k - 1].variable == variable;
      if (mentions[k].variable == variable && !again && !lives.before(mentions[k].statement)) {
        first.safe_push(mentions[k]);
      }
    }
    each(variable, first);
  }
}

// ---- before gcc optimises

inline bool may_get_marks(tree base) {
  return base != NULL_TREE && VAR_P(base) && is_automatic(base) && TREE_ADDRESSABLE(base) &&
         !is_gimple_reg(base) && !is_the_librarys(base) && !TREE_THIS_VOLATILE(base) &&
         DECL_SIZE_UNIT(base) != NULL_TREE && TREE_CODE(DECL_SIZE_UNIT(base)) == INTEGER_CST &&
         !is_in_register(base) && !DECL_HAS_VALUE_EXPR_P(base);
}

inline bool early_store(gimple* statement, tree base, tree, void* mentions) {
  if (may_get_marks(base)) static_cast<vec<Mention>*>(mentions)->safe_push({base, statement});
  return false;
}

inline bool early_address(gimple* statement, tree object, tree, void* mentions) {
  return early_store(statement, get_base_address(object), NULL_TREE, mentions);
}

// Does this give all of it another value, whatever it had? So does its declaration.
inline bool is_replaced_by(gimple* statement, tree variable) {
  if (gimple_get_lhs(statement) != variable) return false;
  return gimple_call_internal_p(statement, IFN_DEFERRED_INIT) ||
         (gimple_assign_single_p(statement) && is_gimple_val(gimple_assign_rhs1(statement)));
}

inline unsigned mark_beginnings(function* fun) {
  auto_vec<Mention> mentions;
  look_for_mentions(fun, &mentions, early_store, early_address);
  each_with_first_mentions(fun, mentions, [&](tree variable, const vec<Mention>& first) {
    // What a jump into its scope may have passed by has a value on other ways.
    Lives lives(fun, mentions, variable, false);
    for (const Mention& m : first) {
      if (lives.before(m.statement) && !is_replaced_by(m.statement, variable)) return;
    }
    for (const Mention& m : first) {
      const tree mark = build_clobber(TREE_TYPE(variable));
      CLOBBER_KIND(mark) = kBegins;
      gimple_stmt_iterator at = gsi_for_stmt(m.statement);
      gsi_insert_before(&at, gimple_build_assign(variable, mark), GSI_SAME_STMT);
    }
  });
  return 0;
}

// Who is left by an exception ends his local variables as gcc has been told to (landings), and all
// below the stack of who catches it. A parameter that others know of is neither, once the function
// has been inlined there: so that is not done, but for functions of installed headers, of which the
// place of who calls them is told.
inline unsigned keep_parameters_below(function* fun) {
  if (DECL_IN_SYSTEM_HEADER(fun->decl)) return 0;
  bool has_parameter = false;
  for (tree p = DECL_ARGUMENTS(fun->decl); p != NULL_TREE; p = DECL_CHAIN(p)) {
    has_parameter = has_parameter || TREE_ADDRESSABLE(p);
  }
  if (!has_parameter) return 0;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      if (!stmt_can_throw_external(fun, gsi_stmt(at))) continue;
      DECL_UNINLINABLE(fun->decl) = 1;
      DECL_DISREGARD_INLINE_LIMITS(fun->decl) = 0;
      DECL_ATTRIBUTES(fun->decl) = remove_attribute("always_inline", DECL_ATTRIBUTES(fun->decl));
      return 0;
    }
  }
  return 0;
}

// ---- after it has done so

inline void announce_life(const char* name, tree variable, gimple_stmt_iterator* before,
                          location_t where) {
  TREE_ADDRESSABLE(variable) = 1;
  gsi_insert_before(before,
                    call_of(name, build_fold_addr_expr(variable), DECL_SIZE_UNIT(variable), where),
                    GSI_SAME_STMT);
}

// A parameter of a function that was inlined begins where it is given its value.
inline bool is_inlined_parameter(tree variable) {
  const tree origin = DECL_ABSTRACT_ORIGIN(variable);
  return origin != NULL_TREE && TREE_CODE(origin) == PARM_DECL;
}

inline bool is_stored_by(tree variable, gimple* statement) {
  const tree to = gimple_get_lhs(statement);
  return to != NULL_TREE && get_base_address(to) == variable;
}

inline void announce_beginnings(function* fun, const vec<Mention>& mentions) {
  hash_set<tree> marked;
  auto_vec<Mention> first;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      if (!begins_scope(gsi_stmt(at))) continue;
      const tree variable = gimple_assign_lhs(gsi_stmt(at));
      if (!VAR_P(variable) || !is_known_to_others(variable)) continue;
      marked.add(variable);
      first.safe_push({variable, gsi_stmt(at)});
    }
  }
  each_with_first_mentions(fun, mentions, [&](tree variable, const vec<Mention>& unmarked) {
    if (marked.contains(variable)) return;
    for (const Mention& m : unmarked) {
      if (!is_inlined_parameter(variable) || is_stored_by(variable, m.statement)) {
        first.safe_push(m);
      }
    }
  });
  for (const Mention& m : first) {
    gimple_stmt_iterator at = gsi_for_stmt(m.statement);
    announce_life("__fencepost_scope_begins", m.variable, &at, DECL_SOURCE_LOCATION(m.variable));
  }
}

// Two variables never share a place: who comes to one that has ended does not come to another one.
inline void keep_places_apart(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
      if (gimple_clobber_p(gsi_stmt(at)) && VAR_P(gimple_assign_lhs(gsi_stmt(at)))) {
        unlink_stmt_vdef(gsi_stmt(at));
        gsi_remove(&at, true);
      } else {
        gsi_next(&at);
      }
    }
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

inline bool is_first_value(const gimple* statement) {
  return gimple_call_internal_p(statement, IFN_DEFERRED_INIT);
}

}  // namespace fencepost::plugin
