// SPDX-License-Identifier: MIT
// What gcc itself loads and stores for inline assembly.
//
// An operand that lies in memory and is to be in a register (or a flag) gcc copies, without the
// instrumentation: here each gets a variable of its own, and the copies become assignments. What
// the statement itself does to memory is seen in its text (lab/fencepost/binary/assembly_scan.py).
#pragma once

#include <initializer_list>
#include <string>

#include "announcements.hpp"

namespace fencepost::plugin {

class AssemblyOperands {
 public:
  explicit AssemblyOperands(gasm* statement) : statement_(statement) {
    for (unsigned i = 0; i < gimple_asm_noutputs(statement); ++i) {
      constraints_.safe_push(constraint(gimple_asm_output_op(statement, i)));
    }
  }

  // The compiler moves other accesses across what does not say that it accesses memory, and what is
  // not volatile out of loops. On x86-64 what is not refused here gets a mark: it orders nothing,
  // and what it accesses without an operand is refused where its instructions are seen.
  void may_be_moved() {
    // Empty, and without operands: with a text gcc would take it for one that clobbers memory.
    if (gimple_asm_input_p(statement_) && gimple_asm_string(statement_)[0] == '\0') return;
    const bool is_volatile = gimple_asm_volatile_p(statement_);
    if (is_volatile && gimple_asm_clobbers_memory_p(statement_)) return;
    const bool has_operands = has_operands_in_memory();
#ifdef TARGET_SSE2  // x86-64
    const bool is_seen = is_volatile || !has_operands;
    if (is_seen && !accesses_by_its_text()) {
      const std::string text =
          std::string("# fencepost: orders nothing\n\t") + gimple_asm_string(statement_);
      statement_->string = ggc_strdup(text.c_str());
      return;
    }
#else
    if (!has_operands && !accesses_by_its_text()) return;
#endif
    error_at(gimple_location(statement_),
             "fencepost: inline assembly accesses memory, and the compiler may move it or other "
             "accesses across it: write %<asm volatile%> with %<\"memory\"%> among its clobbers");
  }

  void copy_here() {
    const unsigned outputs = gimple_asm_noutputs(statement_);
    gimple_seq before = nullptr;
    gimple_seq after = nullptr;
    for (unsigned i = 0; i < gimple_asm_ninputs(statement_); ++i) {
      const tree link = gimple_asm_input_op(statement_, i);
      const tree operand = TREE_VALUE(link);
      if (!is_shared(operand) || !is_loaded(link, i)) continue;
      const tree own = own_variable(operand);
      add(&before, own, operand);
      TREE_VALUE(link) = own;
    }
    for (unsigned i = 0; i < outputs; ++i) {
      const tree link = gimple_asm_output_op(statement_, i);
      const tree operand = TREE_VALUE(link);
      if (!is_shared(operand) || !is_stored(operand, i)) continue;
      const tree own = own_variable(operand);
      add(&after, operand, own);
      TREE_VALUE(link) = own;
      if (TREE_CODE(own) == SSA_NAME) SSA_NAME_DEF_STMT(own) = statement_;
    }
    if (before == nullptr && after == nullptr) return;
    gimple_stmt_iterator at = gsi_for_stmt(statement_);
    if (before != nullptr) gsi_insert_seq_before(&at, before, GSI_SAME_STMT);
    update_stmt(statement_);
    if (after != nullptr) insert_behind(&at, after);
  }

 private:
  static const char* constraint(tree link) {
    return TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(link)));
  }

  bool accesses_by_its_text() {
    const char* const text = gimple_asm_string(statement_);
    for (const char* sign : {"(", "[", "fence", "dmb", "dsb"}) {
      if (std::strstr(text, sign) != nullptr) return true;
    }
    return false;
  }

  bool has_operands_in_memory() {
    for (unsigned i = 0; i < gimple_asm_noutputs(statement_); ++i) {
      const tree operand = TREE_VALUE(gimple_asm_output_op(statement_, i));
      if (is_shared(operand) && !is_stored(operand, i)) return true;
    }
    for (unsigned i = 0; i < gimple_asm_ninputs(statement_); ++i) {
      const tree link = gimple_asm_input_op(statement_, i);
      if (is_shared(TREE_VALUE(link)) && !is_loaded(link, i)) return true;
    }
    return false;
  }

  bool is_stored(tree operand, unsigned number) {
    const char* text = constraints_[number];
    if (std::strchr(text, '@') != nullptr) return true;  // a flag
    bool in_memory = false;
    bool in_register = false;
    bool is_read = false;
    if (!parse_output_constraint(&text, number, gimple_asm_ninputs(statement_),
                                 gimple_asm_noutputs(statement_), &in_memory, &in_register,
                                 &is_read)) {
      return false;  // gcc will say so
    }
    return in_register && !(in_memory && (DECL_P(operand) || TREE_CODE(operand) == MEM_REF));
  }

  bool is_loaded(tree link, unsigned number) {
    const char* text = constraint(link);
    bool in_memory = false;
    bool in_register = false;
    return parse_input_constraint(&text, number, gimple_asm_ninputs(statement_),
                                  gimple_asm_noutputs(statement_), 0, constraints_.address(),
                                  &in_memory, &in_register) &&
           in_register && !in_memory;
  }

  static tree own_variable(tree operand) {
    const tree type = TYPE_MAIN_VARIANT(TREE_TYPE(operand));
    return is_gimple_reg_type(type) ? make_ssa_name(type) : create_tmp_var(type);
  }

  void add(gimple_seq* sequence, tree to, tree from) {
    gimple* const copy = gimple_build_assign(unshare_expr(to), unshare_expr(from));
    gimple_set_location(copy, gimple_location(statement_));
    gimple_seq_add_stmt(sequence, copy);
  }

  // On each way on, if it may jump.
  void insert_behind(gimple_stmt_iterator* at, gimple_seq sequence) {
    if (!stmt_ends_bb_p(statement_)) {
      gsi_insert_seq_after(at, sequence, GSI_NEW_STMT);
      return;
    }
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, gimple_bb(statement_)->succs) {
      if ((e->flags & (EDGE_EH | EDGE_ABNORMAL)) != 0) continue;
      gsi_insert_seq_on_edge(e, gimple_seq_copy(sequence));
    }
  }

  gasm* statement_;
  auto_vec<const char*> constraints_;
};

}  // namespace fencepost::plugin
