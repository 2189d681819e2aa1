// SPDX-License-Identifier: MIT
// Statements and functions that only look at memory, for
// bounded_spins.hpp. They write none but local variables, and call nothing but atomic loads, pauses
// and functions of which the same is known.
#pragma once

#include "scopes.hpp"

namespace fencepost::plugin {

// What a function does apart from calling others, found while its body is as it was written.
struct OwnDeeds {
  bool looks_only = true;
  auto_vec<unsigned> calls;  // functions of the program, by DECL_UID
  bool being_asked = false;  // does it call itself?
};

// By DECL_UID: a declaration may be collected, and its place be used for another one.
inline hash_map<int_hash<unsigned, 0>, OwnDeeds*>* deeds_of_functions = nullptr;

inline bool looks_only(unsigned function) {
  OwnDeeds** const found = deeds_of_functions->get(function);
  if (found == nullptr || !(*found)->looks_only || (*found)->being_asked) return false;
  (*found)->being_asked = true;
  bool only = true;
  for (unsigned i = 0; i < (*found)->calls.length(); ++i) {
    only = only && looks_only((*found)->calls[i]);
  }
  (*found)->being_asked = false;
  return only;
}

inline bool is_atomic_load(tree function) {
  if (!fndecl_built_in_p(function, BUILT_IN_NORMAL)) return false;
  switch (DECL_FUNCTION_CODE(function)) {
    case BUILT_IN_ATOMIC_LOAD_N:
    case BUILT_IN_ATOMIC_LOAD_1:
    case BUILT_IN_ATOMIC_LOAD_2:
    case BUILT_IN_ATOMIC_LOAD_4:
    case BUILT_IN_ATOMIC_LOAD_8:
      return true;
    default:
      return false;
  }
}

inline bool is_named(tree function, const char* name) {
  return DECL_NAME(function) != NULL_TREE &&
         std::strcmp(IDENTIFIER_POINTER(DECL_NAME(function)), name) == 0;
}

// Does it nothing, for a while?
inline bool is_pause(tree function) {
  if (fndecl_built_in_p(function, BUILT_IN_MD)) return is_named(function, "__builtin_ia32_pause");
  return DECL_EXTERNAL(function) && TREE_PUBLIC(function) &&
         (is_named(function, "sched_yield") || is_named(function, "thrd_yield"));
}

inline bool is_pause(const gasm* statement) {
  if (gimple_asm_noutputs(statement) != 0 || gimple_asm_ninputs(statement) != 0 ||
      gimple_asm_nlabels(statement) != 0) {
    return false;
  }
  constexpr const char* kBetween = " \t\n;";
  const char* text = gimple_asm_string(statement);
  for (text += std::strspn(text, kBetween); *text != '\0'; text += std::strspn(text, kBetween)) {
    const std::size_t length = std::strcspn(text, kBetween);
    bool is_known = false;
    for (const char* word : {"pause", "rep", "nop", "yield"}) {
      is_known |= std::strlen(word) == length && std::strncmp(text, word, length) == 0;
    }
    if (!is_known) return false;
    text += length;
  }
  return true;
}

inline bool has_register_result(const gcall* call) {
  const tree result = gimple_call_lhs(call);
  return result == NULL_TREE || TREE_CODE(result) == SSA_NAME;
}

// A call that only looks, as far as that is known of it alone; `callee` is asked for otherwise.
inline bool call_only_looks(const gcall* call, unsigned* callee) {
  *callee = 0;
  if (!has_register_result(call) || gimple_call_chain(call) != NULL_TREE) return false;
  if (gimple_call_internal_p(call)) {
    return is_first_value(call) || gimple_call_internal_p(call, IFN_TSAN_FUNC_EXIT);
  }
  const tree function = gimple_call_fndecl(call);
  if (function == NULL_TREE || (gimple_call_flags(call) & ECF_RETURNS_TWICE) != 0) return false;
  if (is_atomic_load(function) || is_pause(function)) return true;
  if (fndecl_built_in_p(function)) return (gimple_call_flags(call) & ECF_CONST) != 0;
  // The linker may take another.
  if (DECL_EXTERNAL(function) || (DECL_WEAK(function) && !DECL_COMDAT(function))) return false;
  *callee = DECL_UID(function);
  return true;
}

// The local variable that an assignment writes in memory, if it does.
inline tree written_variable(gimple* statement) {
  if (!is_gimple_assign(statement)) return NULL_TREE;
  const tree to = gimple_assign_lhs(statement);
  if (TREE_CODE(to) == SSA_NAME) return NULL_TREE;
  const tree base = get_base_address(to);
  return base != NULL_TREE && is_automatic(base) ? base : NULL_TREE;
}

inline bool accesses_memory(gimple* statement) {
  return gimple_vuse(statement) != NULL_TREE || gimple_vdef(statement) != NULL_TREE ||
         gimple_assign_load_p(statement) || TREE_CODE(gimple_assign_lhs(statement)) != SSA_NAME;
}

// A statement that writes no memory but local variables, and what it calls.
inline bool only_looks(gimple* statement, unsigned* callee) {
  *callee = 0;
  switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN:
      return TREE_CODE(gimple_assign_lhs(statement)) == SSA_NAME ||
             written_variable(statement) != NULL_TREE;
    case GIMPLE_CALL:
      return call_only_looks(as_a<gcall*>(statement), callee);
    case GIMPLE_ASM:
      return is_pause(as_a<gasm*>(statement));
    case GIMPLE_COND:
    case GIMPLE_SWITCH:
    case GIMPLE_LABEL:
    case GIMPLE_GOTO:
    case GIMPLE_RETURN:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
    case GIMPLE_DEBUG:
      return true;
    default:
      return false;
  }
}

inline unsigned note_deeds(function* fun) {
  auto* const deeds = new OwnDeeds;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      unsigned callee = 0;
      if (!only_looks(gsi_stmt(at), &callee)) deeds->looks_only = false;
      if (callee != 0) deeds->calls.safe_push(callee);
    }
  }
  deeds_of_functions->put(DECL_UID(fun->decl), deeds);
  return 0;
}

}  // namespace fencepost::plugin
