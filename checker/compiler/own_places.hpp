// SPDX-License-Identifier: MIT
// gcc gives every argument of a call the call's own place in the source (gimplify_arg): of
// `distance(head.load(), tail.load())` both loads would be at `distance`. So right before it does,
// each argument that is a call itself is put into an expression that only stores it, which takes
// that place in its stead.
#pragma once

#include "gcc_headers.hpp"

namespace fencepost::plugin {

inline void keep_places_of_arguments(tree call) {
  for (int n = 0; n < call_expr_nargs(call); ++n) {
    const tree argument = CALL_EXPR_ARG(call, n);
    if (argument == NULL_TREE || TREE_CODE(argument) != CALL_EXPR) continue;
    if (!EXPR_HAS_LOCATION(argument) || AGGREGATE_TYPE_P(TREE_TYPE(argument))) continue;
    const tree stored =
        build1_loc(EXPR_LOCATION(argument), SAVE_EXPR, TREE_TYPE(argument), argument);
    TREE_SIDE_EFFECTS(stored) = 1;
    CALL_EXPR_ARG(call, n) = stored;
  }
}

inline int (*gimplify_of_language)(tree*, gimple_seq*, gimple_seq*);

inline int keep_places_and_gimplify(tree* expression, gimple_seq* before, gimple_seq* after) {
  if (TREE_CODE(*expression) == CALL_EXPR) keep_places_of_arguments(*expression);
  return gimplify_of_language(expression, before, after);
}

inline void keep_places() {
  gimplify_of_language = lang_hooks.gimplify_expr;
  lang_hooks.gimplify_expr = keep_places_and_gimplify;
}

}  // namespace fencepost::plugin
