// SPDX-License-Identifier: MIT
// What calls do to memory beside what the functions that they call do.
#pragma once

#include "padding.hpp"
#include "sync_builtins.hpp"

namespace fencepost::plugin {

// Functions that gcc may write in line, and their names.
inline const char* written_in_line(tree function) {
  switch (DECL_FUNCTION_CODE(function)) {
    case BUILT_IN_MEMCPY:
      return "memcpy";
    case BUILT_IN_MEMMOVE:
      return "memmove";
    case BUILT_IN_MEMSET:
      return "memset";
    case BUILT_IN_MEMPCPY:
      return "mempcpy";
    case BUILT_IN_MEMCMP:
    case BUILT_IN_MEMCMP_EQ:
    case BUILT_IN_BCMP:
      return "memcmp";
    case BUILT_IN_MEMCHR:
      return "memchr";
    case BUILT_IN_STRCPY:
      return "strcpy";
    case BUILT_IN_STPCPY:
      return "stpcpy";
    case BUILT_IN_STRNCPY:
      return "strncpy";
    case BUILT_IN_STPNCPY:
      return "stpncpy";
    case BUILT_IN_STRCAT:
      return "strcat";
    case BUILT_IN_STRNCAT:
      return "strncat";
    case BUILT_IN_STRCMP:
    case BUILT_IN_STRCMP_EQ:
      return "strcmp";
    case BUILT_IN_STRNCMP:
    case BUILT_IN_STRNCMP_EQ:
      return "strncmp";
    case BUILT_IN_STRLEN:
      return "strlen";
    case BUILT_IN_STRNLEN:
      return "strnlen";
    case BUILT_IN_STRCHR:
      return "strchr";
    case BUILT_IN_STRRCHR:
      return "strrchr";
    case BUILT_IN_STRSTR:
      return "strstr";
    case BUILT_IN_STRSPN:
      return "strspn";
    case BUILT_IN_STRCSPN:
      return "strcspn";
    case BUILT_IN_STRPBRK:
      return "strpbrk";
    default:
      return nullptr;
  }
}

// Instead of the compiler's function the library's of this name, of which it knows nothing.
inline void call_the_librarys(gcall* call, const char* name) {
  const tree known = gimple_call_fndecl(call);
  const tree function =
      build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(name), TREE_TYPE(known));
  TREE_PUBLIC(function) = 1;
  DECL_EXTERNAL(function) = 1;
  TREE_NOTHROW(function) = 1;
  gimple_call_set_fndecl(call, function);
  update_stmt(call);
}

// A variable of gcc's own: around an atomic compound assignment of floating-point numbers the
// floating-point environment is kept in one.
inline bool is_of_compiler(tree pointer) {
  const tree variable = TREE_CODE(pointer) == ADDR_EXPR ? TREE_OPERAND(pointer, 0) : NULL_TREE;
  return variable != NULL_TREE && VAR_P(variable) && DECL_ARTIFICIAL(variable) != 0 &&
         !is_global_var(variable);
}

inline bool takes_address(const gcall* call) {
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    const tree argument = gimple_call_arg(call, i);
    if (POINTER_TYPE_P(TREE_TYPE(argument)) && !is_of_compiler(argument)) return true;
  }
  return false;
}

inline bool moves_under_a_mask(const gcall* call) {
  switch (gimple_call_internal_fn(call)) {
    case IFN_MASK_LOAD:
    case IFN_MASK_STORE:
    case IFN_LEN_LOAD:
    case IFN_LEN_STORE:
    case IFN_GATHER_LOAD:
    case IFN_MASK_GATHER_LOAD:
    case IFN_SCATTER_STORE:
    case IFN_MASK_SCATTER_STORE:
    case IFN_LOAD_LANES:
    case IFN_STORE_LANES:
    case IFN_MASK_LOAD_LANES:
    case IFN_MASK_STORE_LANES:
      return true;
    default:
      return false;
  }
}

// gcc writes and reads its buffer in line.
inline bool jumps_far(tree function) {
  switch (DECL_FUNCTION_CODE(function)) {
    case BUILT_IN_SETJMP:
    case BUILT_IN_SETJMP_SETUP:
    case BUILT_IN_LONGJMP:
      return true;
    default:
      return false;
  }
}

// A class that cannot be copied as bytes is constructed where it is to be, by the callee, and that
// is announced there.
inline bool is_made_by_callee(const gcall* call) {
  return TREE_ADDRESSABLE(TREE_TYPE(gimple_call_lhs(call))) != 0;
}

// Another is made there all the same, if the language lets it; of a local variable nobody knows
// yet. gcc chooses that by itself where the call comes to nothing that others know.
inline bool is_made_in_place(gcall* call) {
  const tree result = gimple_call_lhs(call);
  if (!gimple_call_return_slot_opt_p(call) || gimple_call_fndecl(call) == NULL_TREE ||
      !aggregate_value_p(result, gimple_call_fntype(call))) {
    return false;
  }
  const tree base = get_base_address(result);
  return !is_automatic(base) &&
         (call_may_clobber_ref_p(call, base, false) || ref_maybe_used_by_stmt_p(call, base, false));
}

// Where a call goes whose function has no name: a library's, perhaps, by a table of virtual
// functions.
inline gcall* call_by_address(gcall* call) {
  const tree called = gimple_call_fn(call);
  const tree first = gimple_call_num_args(call) == 0 ? NULL_TREE : gimple_call_arg(call, 0);
  const bool is_address = first != NULL_TREE && POINTER_TYPE_P(TREE_TYPE(first));
  gcall* const told = gimple_build_call(
      declare_runtime_function(
          "__fencepost_calls",
          build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, NULL_TREE)),
      2, TREE_CODE(called) == OBJ_TYPE_REF ? OBJ_TYPE_REF_EXPR(called) : called,
      is_address ? first : null_pointer_node);
  gimple_set_location(told, LOCATION_LOCUS(gimple_location(call)));
  return told;
}

// Whose result says which thread is the "serial" one. POSIX leaves open which, so for who looks
// there are as many executions as threads, each round; most programs do not look.
inline bool is_unasked_barrier(tree function, gcall* call) {
  if (!DECL_EXTERNAL(function) || !TREE_PUBLIC(function) || DECL_NAME(function) == NULL_TREE ||
      std::strcmp(IDENTIFIER_POINTER(DECL_NAME(function)), "pthread_barrier_wait") != 0) {
    return false;
  }
  const tree result = gimple_call_lhs(call);
  return result == NULL_TREE || (TREE_CODE(result) == SSA_NAME && has_zero_uses(result));
}

inline void announce_call(gimple_stmt_iterator* at, gcall* call) {
  const location_t where = gimple_location(call);
  if (gimple_call_internal_p(call)) {
    if (moves_under_a_mask(call)) {
      error_at(
          where,
          "fencepost: vectors that are moved under a mask are not announced: compile with less "
          "optimisation");
    }
    return;
  }
  if (const tree function = gimple_call_fndecl(call); function != NULL_TREE) {
    if (fndecl_built_in_p(function, BUILT_IN_NORMAL)) {
      if (const char* name = written_in_line(function)) call_the_librarys(call, name);
      if (jumps_far(function)) {
        error_at(where, "fencepost: gcc does not announce what %qD does to its buffer", function);
      }
      mark_full_barrier(at, call);
    } else if (fndecl_built_in_p(function, BUILT_IN_MD) && takes_address(call)) {
      error_at(where, "fencepost: gcc does not announce what %qE does to memory",
               DECL_NAME(function));
    } else if (is_unasked_barrier(function, call)) {
      call_the_librarys(call, "fencepost_barrier_wait_unasked");
    }
  } else {
    gsi_insert_before(at, call_by_address(call), GSI_SAME_STMT);
  }
  gimple_seq before = nullptr;
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    const tree argument = gimple_call_arg(call, i);
    if (is_shared(argument)) announce_read(argument, &before, where);
  }
  if (before != nullptr) gsi_insert_seq_before(at, before, GSI_SAME_STMT);
  const tree result = gimple_call_lhs(call);
  if (result == NULL_TREE || !is_shared(result) || is_made_by_callee(call)) return;
  if (is_made_in_place(call)) {
    error_at(
        where,
        "fencepost: gcc has %qD write its result to memory that others may reach, and does not "
        "announce when",
        gimple_call_fndecl(call));
    return;
  }
  gimple_seq after = nullptr;
  announce("__tsan_write_range", result, &after, where);
  if (!stmt_ends_bb_p(call)) {
    gsi_insert_seq_after(at, after, GSI_NEW_STMT);
  } else if (const edge next = find_fallthru_edge(gimple_bb(call)->succs)) {
    gsi_insert_seq_on_edge(next, after);
  }
}

// A function that its attribute calls pure is called as often as it is written: a call whose result
// nobody uses reads all the same, and may race. What the libraries say is `const` reads nothing.
inline void calls_count(void* given, void*) {
  const tree function = static_cast<tree>(given);
  if (RECORD_OR_UNION_TYPE_P(function)) {
    for (tree member = TYPE_FIELDS(function); member != NULL_TREE; member = DECL_CHAIN(member)) {
      calls_count(member, nullptr);
    }
  }
  if (TREE_CODE(function) != FUNCTION_DECL) return;
  if (DECL_IN_SYSTEM_HEADER(function) && TREE_READONLY(function)) return;
  DECL_PURE_P(function) = 0;
  TREE_READONLY(function) = 0;
  DECL_LOOPING_CONST_OR_PURE_P(function) = 0;
}

}  // namespace fencepost::plugin
