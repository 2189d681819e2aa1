// SPDX-License-Identifier: MIT
// What lies behind the last member of an object that is copied as a whole.
//
// C++ puts members of a derived class there, or those behind a member that may overlap
// ([[no_unique_address]]). The copy of the base reads them and does not mean them: two threads may
// do one and the other. So the copy is announced as a read of what the object consists of, and the
// rest by itself (padding() in checker/execution/accesses).
#pragma once

#include "announcements.hpp"

namespace fencepost::plugin {

// How many bytes of an object of this type are its own, from its beginning on.
inline HOST_WIDE_INT bytes_of_its_own(tree type) {
  const HOST_WIDE_INT size = int_size_in_bytes(type);
  if (TREE_CODE(type) != RECORD_TYPE) return size;
  HOST_WIDE_INT end = 0;
  for (tree field = TYPE_FIELDS(type); field != NULL_TREE; field = DECL_CHAIN(field)) {
    if (TREE_CODE(field) != FIELD_DECL) continue;
    const tree bits = DECL_SIZE(field);
    if (bits == NULL_TREE || !tree_fits_shwi_p(bits) || !tree_fits_shwi_p(bit_position(field))) {
      return size;
    }
    const HOST_WIDE_INT begin = int_bit_position(field);
    HOST_WIDE_INT field_end = (begin + tree_to_shwi(bits) + BITS_PER_UNIT - 1) / BITS_PER_UNIT;
    if (TREE_CODE(TREE_TYPE(field)) == RECORD_TYPE) {
      field_end = MIN(field_end, begin / BITS_PER_UNIT + bytes_of_its_own(TREE_TYPE(field)));
    }
    end = MAX(end, field_end);
  }
  return end > 0 && end < size ? end : size;
}

inline bool has_padding_behind(tree type) {
  return lang_GNU_CXX() && TREE_CODE(type) == RECORD_TYPE && int_size_in_bytes(type) > 0 &&
         bytes_of_its_own(type) < int_size_in_bytes(type);
}

// A read of an object at `address`, in two parts.
inline void announce_padded(tree address, tree type, gimple_seq* sequence, location_t where) {
  const HOST_WIDE_INT own = bytes_of_its_own(type);
  gimple_seq_add_stmt(
      sequence, call_of("__tsan_read_range", address, build_int_cst(size_type_node, own), where));
  const tree behind = make_ssa_name(ptr_type_node);
  gimple* const made =
      gimple_build_assign(behind, POINTER_PLUS_EXPR, address, build_int_cst(sizetype, own));
  gimple_set_location(made, where);
  gimple_seq_add_stmt(sequence, made);
  const tree rest = build_int_cst(size_type_node, int_size_in_bytes(type) - own);
  gimple_seq_add_stmt(sequence, call_of("__fencepost_padding", behind, rest, where));
}

inline void announce_read(tree operand, gimple_seq* sequence, location_t where) {
  if (has_padding_behind(TREE_TYPE(operand))) {
    const tree address = address_of(operand, sequence, where);
    announce_padded(address, TREE_TYPE(operand), sequence, where);
  } else {
    announce("__tsan_read_range", operand, sequence, where);
  }
}

inline bool announces_read(gimple* statement) {
  if (!is_gimple_call(statement)) return false;
  const tree function = gimple_call_fndecl(statement);
  if (function == NULL_TREE || !fndecl_built_in_p(function, BUILT_IN_NORMAL)) return false;
  switch (DECL_FUNCTION_CODE(function)) {
    case BUILT_IN_TSAN_READ2:
    case BUILT_IN_TSAN_READ4:
    case BUILT_IN_TSAN_READ8:
    case BUILT_IN_TSAN_READ16:
    case BUILT_IN_TSAN_READ_RANGE:
      return true;
    default:
      return false;
  }
}

// Behind the instrumentation, which has put the read of what a statement copies right before it.
inline unsigned announce_padding(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const copy = gsi_stmt(at);
      if (!gimple_assign_single_p(copy) || gimple_clobber_p(copy)) continue;
      const tree type = TREE_TYPE(gimple_assign_rhs1(copy));
      if (!has_padding_behind(type)) continue;
      gimple_stmt_iterator before = at;
      gsi_prev_nondebug(&before);
      if (gsi_end_p(before) || !announces_read(gsi_stmt(before))) continue;
      gimple* const read = gsi_stmt(before);
      gimple_seq parts = nullptr;
      announce_padded(gimple_call_arg(read, 0), type, &parts, gimple_location(read));
      gsi_insert_seq_before(&before, parts, GSI_SAME_STMT);
      gsi_remove(&before, true);
    }
  }
  return 0;
}

}  // namespace fencepost::plugin
