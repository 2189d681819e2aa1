// SPDX-License-Identifier: MIT
// Calls of the checker's runtime, and what has to be announced by them: what others can reach.
#pragma once

#include "gcc_headers.hpp"

namespace fencepost::plugin {

inline tree declare_runtime_function(const char* name, tree type) {
  const tree function = build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(name), type);
  TREE_PUBLIC(function) = 1;
  DECL_EXTERNAL(function) = 1;
  DECL_ARTIFICIAL(function) = 1;
  TREE_NOTHROW(function) = 1;
  return function;
}

// One that is told an address, and how many bytes.
inline tree runtime_function(const char* name) {
  return declare_runtime_function(
      name, build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE));
}

inline gcall* call_of(const char* name, tree address, tree size, location_t where) {
  if (TREE_CODE(size) == INTEGER_CST) size = fold_convert(size_type_node, size);
  gcall* const call = gimple_build_call(runtime_function(name), 2, address, size);
  // Without the block of the source that goes with it: gcc may have removed that since.
  gimple_set_location(call, LOCATION_LOCUS(where));
  return call;
}

// ---- what others can reach

inline bool is_automatic(tree variable) {
  return DECL_P(variable) && !is_global_var(variable) && auto_var_in_fn_p(variable, cfun->decl);
}

// By `register ... asm("...")`. Only variables have that flag: gcc does not look whether it is one.
inline bool is_in_register(tree decl) { return VAR_P(decl) && DECL_HARD_REGISTER(decl); }

// Has its address gone elsewhere? So asks the instrumentation, too.
inline bool has_escaped(tree variable) {
  if (!may_be_aliased(variable)) return false;
  pt_solution escaped;
  std::memset(&escaped, 0, sizeof escaped);
  escaped.escaped = 1;
  return pt_solution_includes(&escaped, variable);
}

inline bool is_compare_exchange(const gimple* statement) {
  if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL)) return false;
  switch (DECL_FUNCTION_CODE(gimple_call_fndecl(statement))) {
    case BUILT_IN_ATOMIC_COMPARE_EXCHANGE_1:
    case BUILT_IN_ATOMIC_COMPARE_EXCHANGE_2:
    case BUILT_IN_ATOMIC_COMPARE_EXCHANGE_4:
    case BUILT_IN_ATOMIC_COMPARE_EXCHANGE_8:
    case BUILT_IN_ATOMIC_COMPARE_EXCHANGE_16:
      return true;
    default:
      return false;
  }
}

// The variables of a function whose address goes anywhere but to where compare-exchange finds what
// it expects, which keeps none.
class Addressed {
 public:
  void look_at(function* fun) {
    variables_.empty();
    basic_block block;
    FOR_EACH_BB_FN(block, fun) {
      for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at)) walk(at.phi());
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        if (!is_gimple_debug(gsi_stmt(at))) walk(gsi_stmt(at));
      }
    }
  }
  bool contains(tree variable) { return variables_.contains(variable); }

 private:
  void walk(gimple* statement) {
    walk_stmt_load_store_addr_ops(statement, &variables_, nullptr, nullptr, add);
  }

  // Of a member's address `object` is the member.
  static bool add(gimple* statement, tree object, tree operand, void* variables) {
    const tree base = get_base_address(object);
    if (base == NULL_TREE || !DECL_P(base) || is_what_is_expected(statement, operand)) return false;
    static_cast<hash_set<tree>*>(variables)->add(base);
    return false;
  }

  static bool is_what_is_expected(const gimple* statement, tree operand) {
    return is_compare_exchange(statement) && operand == gimple_call_arg(statement, 1) &&
           operand != gimple_call_arg(statement, 0);
  }

  hash_set<tree> variables_;
};

inline Addressed addressed;

// What libstdc++ does with variables of its own functions, of its own types, is its own affair, and
// it does so each time a thread is made.
inline bool is_the_librarys(tree variable) {
  const char* const file = LOCATION_FILE(DECL_SOURCE_LOCATION(variable));
  if (file == nullptr || !DECL_IN_SYSTEM_HEADER(variable) ||
      std::strstr(file, "/include/c++/") == nullptr) {
    return false;
  }
  const tree type = TYPE_MAIN_VARIANT(TREE_TYPE(variable));
  return !RECORD_OR_UNION_TYPE_P(type) ||
         (TYPE_STUB_DECL(type) != NULL_TREE && DECL_IN_SYSTEM_HEADER(TYPE_STUB_DECL(type)));
}

// ... and to others than compare-exchange?
inline bool goes_elsewhere(tree variable) {
  return addressed.contains(variable) && has_escaped(variable);
}

// Variables whose address goes nowhere but to compare-exchange, which finds there what it expects:
// nobody else can access them, and to announce each access takes longer than the exchange. What is
// read-only gcc's instrumentation leaves out (instrument_expr); meanwhile they are said to be that.
class OnlyExpected {
 public:
  void hide(function* fun) {
    unsigned number;
    tree variable;
    FOR_EACH_LOCAL_DECL(fun, number, variable) {
      if (!VAR_P(variable) || !is_automatic(variable) || is_gimple_reg(variable)) continue;
      if (TREE_READONLY(variable) || TREE_THIS_VOLATILE(variable)) continue;
      if (!has_escaped(variable) || addressed.contains(variable)) continue;
      TREE_READONLY(variable) = 1;
      hidden_.safe_push(variable);
    }
  }
  void show() {
    for (const tree variable : hidden_) TREE_READONLY(variable) = 0;
    hidden_.truncate(0);
  }

 private:
  auto_vec<tree> hidden_;
};

inline OnlyExpected only_expected;

// Of a local variable of which others may know: its size is known, and it lies in memory.
inline bool is_known_to_others(tree variable) {
  return (VAR_P(variable) || TREE_CODE(variable) == PARM_DECL) && is_automatic(variable) &&
         !is_the_librarys(variable) && !is_gimple_reg(variable) &&
         DECL_SIZE_UNIT(variable) != NULL_TREE &&
         TREE_CODE(DECL_SIZE_UNIT(variable)) == INTEGER_CST && !is_in_register(variable) &&
         !DECL_HAS_VALUE_EXPR_P(variable) && goes_elsewhere(variable);
}

// Is this operand of a call in memory that others can reach?
inline bool is_shared(tree operand) {
  if (operand == NULL_TREE || is_gimple_reg(operand) || is_gimple_min_invariant(operand) ||
      TREE_CODE(operand) == CONSTRUCTOR || TREE_CODE(operand) == STRING_CST) {
    return false;
  }
  const tree base = get_base_address(operand);
  if (base == NULL_TREE || TREE_CODE(base) == RESULT_DECL) return false;
  if (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF) return true;
  if (!DECL_P(base) || is_in_register(base)) return false;
  return !is_automatic(base) || has_escaped(base);
}

// ---- accesses

inline tree size_of(tree operand) { return TYPE_SIZE_UNIT(TREE_TYPE(operand)); }

inline bool size_is_known(tree operand) {
  const tree size = size_of(operand);
  return size != NULL_TREE && TREE_CODE(size) == INTEGER_CST && !integer_zerop(size);
}

// The address of an operand, as an argument of a call to be inserted before `at` or on an edge.
inline tree address_of(tree operand, gimple_seq* before, location_t where) {
  tree base = operand;
  while (TREE_CODE(base) == BIT_FIELD_REF || TREE_CODE(base) == REALPART_EXPR ||
         TREE_CODE(base) == IMAGPART_EXPR) {
    base = TREE_OPERAND(base, 0);
  }
  const tree address = build_fold_addr_expr(unshare_expr(base));
  if (is_gimple_min_invariant(address)) return address;
  const tree name = make_ssa_name(TREE_TYPE(address));
  gimple* const made = gimple_build_assign(name, address);
  gimple_set_location(made, where);
  gimple_seq_add_stmt(before, made);
  return name;
}

inline void announce(const char* name, tree operand, gimple_seq* sequence, location_t where) {
  if (!size_is_known(operand)) {
    error_at(where, "fencepost: gcc moves a struct of a size that is not known here");
    return;
  }
  const tree address = address_of(operand, sequence, where);
  gimple_seq_add_stmt(sequence, call_of(name, address, size_of(operand), where));
}

// The function of the source that a statement is of, which may have been inlined.
inline tree function_of(const gimple* statement) {
  for (tree block = gimple_block(statement); block != NULL_TREE && TREE_CODE(block) == BLOCK;
       block = BLOCK_SUPERCONTEXT(block)) {
    const tree origin = BLOCK_ABSTRACT_ORIGIN(block);
    if (origin != NULL_TREE && TREE_CODE(origin) == FUNCTION_DECL) return origin;
  }
  return cfun->decl;
}

// The instrumentation takes the store of a table of virtual functions that is there already for
// none, as a destructor's may be. A constructor's makes an object.
inline void announce_construction(gimple_stmt_iterator* at, gimple* statement) {
  if (!gimple_assign_single_p(statement)) return;
  const tree to = gimple_assign_lhs(statement);
  if (TREE_CODE(to) != COMPONENT_REF || !DECL_VIRTUAL_P(TREE_OPERAND(to, 1)) || !is_shared(to) ||
      !DECL_CXX_CONSTRUCTOR_P(function_of(statement))) {
    return;
  }
  gimple_seq before = nullptr;
  announce("__tsan_write_range", to, &before, gimple_location(statement));
  gsi_insert_seq_before(at, before, GSI_SAME_STMT);
}

// At a destructor's last deed gcc says that the object has no value any more. A constructor begins
// so. An object without members, which may share its place, has no bytes here.
inline void announce_destruction(gimple_stmt_iterator* at, gimple* statement) {
  const tree object = gimple_assign_lhs(statement);
  if (!is_shared(object) || !size_is_known(object) ||
      !DECL_CXX_DESTRUCTOR_P(function_of(statement))) {
    return;
  }
  gimple_seq before = nullptr;
  announce("__fencepost_object_ends", object, &before, gimple_location(statement));
  gsi_insert_seq_before(at, before, GSI_SAME_STMT);
}

// The halves of a pointer to a member function are members of which nobody can take the address,
// says gcc's front end, and the instrumentation passes over those. Here it may.
inline void let_address_be_taken(tree operand) {
  for (; handled_component_p(operand); operand = TREE_OPERAND(operand, 0)) {
    if (TREE_CODE(operand) != COMPONENT_REF) continue;
    const tree member = TREE_OPERAND(operand, 1);
    if (DECL_BIT_FIELD_TYPE(member) == NULL_TREE) DECL_NONADDRESSABLE_P(member) = 0;
  }
}

// Is it a bit-field of which the instrumentation cannot tell where it lies?
inline bool is_lost_bit_field(tree operand) {
  if (TREE_CODE(operand) != COMPONENT_REF) return false;
  const tree member = TREE_OPERAND(operand, 1);
  if (DECL_BIT_FIELD_TYPE(member) == NULL_TREE) return false;
  const tree whole = DECL_BIT_FIELD_REPRESENTATIVE(member);
  const auto is_lost = [](tree field) {
    return !tree_fits_uhwi_p(DECL_FIELD_OFFSET(field)) ||
           !tree_fits_uhwi_p(DECL_FIELD_BIT_OFFSET(field)) || !tree_fits_uhwi_p(DECL_SIZE(field));
  };
  return is_lost(member) || (whole != NULL_TREE && is_lost(whole));
}

// Asks as the instrumentation does.
inline bool is_passed_over(tree operand) {
  const bool is_bit_field =
      TREE_CODE(operand) == BIT_FIELD_REF ||
      (TREE_CODE(operand) == COMPONENT_REF && DECL_BIT_FIELD_TYPE(TREE_OPERAND(operand, 1)));
  return may_be_nonaddressable_p(is_bit_field ? TREE_OPERAND(operand, 0) : operand);
}

inline bool refuse_unannounced(gimple* statement, tree base, tree operand, void*) {
  if (!is_shared(operand)) return false;
  let_address_be_taken(operand);
  const location_t where = gimple_location(statement);
  if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(base)))) {
    error_at(where, "fencepost: gcc does not announce accesses relative to a segment register");
  } else if (reverse_storage_order_for_component_p(operand)) {
    error_at(where, "fencepost: gcc does not announce accesses in another order of bytes");
  } else if (is_lost_bit_field(operand)) {
    error_at(where,
             "fencepost: gcc does not announce a bit-field behind an array of variable length");
  } else if (!is_gimple_call(statement) && is_passed_over(operand)) {
    error_at(where, "fencepost: gcc does not announce this access");
  }
  return false;
}

}  // namespace fencepost::plugin
