// SPDX-License-Identifier: MIT
// gcc gives every argument of a call the call's own place in the source (gimplify_arg): of
// `distance(head.load(), tail.load())` both loads would be at `distance`. So right before it does,
// each argument that is a call itself is put into an expression that only stores it, which takes
// that place in its stead. And what is written in the parentheses of a macro, as in
// assert(x.load() == y.load()), is where it is written, and not where the macro's name stands.
#pragma once

#include "gcc_headers.hpp"

namespace fencepost::plugin {

// What stands for all further arguments of a function in line must stand there itself.
inline bool is_for_all_further_ones(tree argument) {
  const tree function = get_callee_fndecl(argument);
  return function != NULL_TREE && fndecl_built_in_p(function, BUILT_IN_VA_ARG_PACK);
}

inline void keep_places_of_arguments(tree call) {
  for (int n = 0; n < call_expr_nargs(call); ++n) {
    const tree argument = CALL_EXPR_ARG(call, n);
    if (argument == NULL_TREE || TREE_CODE(argument) != CALL_EXPR) continue;
    if (is_for_all_further_ones(argument)) continue;
    if (!EXPR_HAS_LOCATION(argument) || AGGREGATE_TYPE_P(TREE_TYPE(argument))) continue;
    const tree stored =
        build1_loc(EXPR_LOCATION(argument), SAVE_EXPR, TREE_TYPE(argument), argument);
    TREE_SIDE_EFFECTS(stored) = 1;
    CALL_EXPR_ARG(call, n) = stored;
  }
}

// Of a place in a macro's argument, or in that of a macro of the system's headers: where that
// stands.
inline location_t where_written(location_t place) {
  while (linemap_location_from_macro_expansion_p(line_table, place)) {
    if (!linemap_location_from_macro_definition_p(line_table, place)) {
      return linemap_resolve_location(line_table, place, LRK_SPELLING_LOCATION, nullptr);
    }
    const line_map* const map = linemap_lookup(line_table, place);
    const location_t expanded = linemap_check_macro(map)->expansion;
    const location_t defined =
        linemap_resolve_location(line_table, place, LRK_SPELLING_LOCATION, nullptr);
    if (!in_system_header_at(defined)) break;
    place = expanded;
  }
  return linemap_resolve_location(line_table, place, LRK_MACRO_EXPANSION_POINT, nullptr);
}

inline int (*gimplify_of_language)(tree*, gimple_seq*, gimple_seq*);

inline int keep_places_and_gimplify(tree* expression, gimple_seq* before, gimple_seq* after) {
  if (TREE_CODE(*expression) == CALL_EXPR) {
    if (EXPR_HAS_LOCATION(*expression)) {
      SET_EXPR_LOCATION(*expression, where_written(EXPR_LOCATION(*expression)));
    }
    keep_places_of_arguments(*expression);
  }
  return gimplify_of_language(expression, before, after);
}

inline void keep_places() {
  gimplify_of_language = lang_hooks.gimplify_expr;
  lang_hooks.gimplify_expr = keep_places_and_gimplify;
}

}  // namespace fencepost::plugin
