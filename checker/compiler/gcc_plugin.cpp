// SPDX-License-Identifier: MIT
// A plugin of gcc: announces to the checker what gcc's thread instrumentation leaves out.
//
// It works on each function right before the instrumentation does, and adds calls of the runtime:
// - what a call itself moves: a struct that is passed by value from shared memory, or returned into
//   it; the compiler's own memcpy, strlen and the like, which it would write in line, become calls;
// - the end of a local variable's scope, and its beginning, if its address has gone elsewhere. That
//   holds of functions that were inlined, too.
// - loads of values that nobody uses, which gcc deletes before it instruments.
// An attribute that switches the instrumentation off is taken from the function. What cannot be
// announced is an error that begins with "fencepost: " and is told by the checker as a refusal.
// gcc's headers need those before them.
// clang-format off
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <stringpool.h>
#include <attribs.h>
#include <fold-const.h>
#include <function.h>
#include <basic-block.h>
#include <tree-ssa-alias.h>
#include <internal-fn.h>
#include <gimple-expr.h>
#include <gimple.h>
#include <gimplify.h>
#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <tree-pass.h>
#include <tree-cfg.h>
#include <ssa.h>
#include <cfganal.h>
#include <context.h>
#include <diagnostic-core.h>
// clang-format on

#include <cstring>

int plugin_is_GPL_compatible;

namespace {

// ---- the functions of the runtime

tree runtime_function(const char* name) {
  const tree type =
      build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE);
  const tree function = build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(name), type);
  TREE_PUBLIC(function) = 1;
  DECL_EXTERNAL(function) = 1;
  DECL_ARTIFICIAL(function) = 1;
  TREE_NOTHROW(function) = 1;
  return function;
}

gcall* call_of(const char* name, tree address, tree size, location_t where) {
  gcall* const call =
      gimple_build_call(runtime_function(name), 2, address, fold_convert(size_type_node, size));
  gimple_set_location(call, where);
  return call;
}

// ---- what others can reach

bool is_automatic(tree variable) {
  return DECL_P(variable) && !is_global_var(variable) && auto_var_in_fn_p(variable, cfun->decl);
}

// Has its address gone elsewhere? So asks the instrumentation, too.
bool has_escaped(tree variable) {
  if (!may_be_aliased(variable)) return false;
  pt_solution escaped;
  std::memset(&escaped, 0, sizeof escaped);
  escaped.escaped = 1;
  return pt_solution_includes(&escaped, variable);
}

// Of a local variable of which others may know: its size is known, and it lies in memory.
bool is_known_to_others(tree variable) {
  return (VAR_P(variable) || TREE_CODE(variable) == PARM_DECL) && is_automatic(variable) &&
         !is_gimple_reg(variable) && DECL_SIZE_UNIT(variable) != NULL_TREE &&
         TREE_CODE(DECL_SIZE_UNIT(variable)) == INTEGER_CST && !DECL_HARD_REGISTER(variable) &&
         !DECL_HAS_VALUE_EXPR_P(variable) && has_escaped(variable);
}

// Is this operand of a call in memory that others can reach?
bool is_shared(tree operand) {
  if (operand == NULL_TREE || is_gimple_reg(operand) || is_gimple_min_invariant(operand) ||
      TREE_CODE(operand) == CONSTRUCTOR || TREE_CODE(operand) == STRING_CST) {
    return false;
  }
  const tree base = get_base_address(operand);
  if (base == NULL_TREE || TREE_CODE(base) == RESULT_DECL) return false;
  if (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF) return true;
  if (!DECL_P(base) || DECL_HARD_REGISTER(base)) return false;
  return !is_automatic(base) || has_escaped(base);
}

// ---- calls

// Functions that gcc may write in line, and their names.
const char* written_in_line(tree function) {
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
void call_the_librarys(gcall* call, const char* name) {
  const tree known = gimple_call_fndecl(call);
  const tree function =
      build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(name), TREE_TYPE(known));
  TREE_PUBLIC(function) = 1;
  DECL_EXTERNAL(function) = 1;
  TREE_NOTHROW(function) = 1;
  gimple_call_set_fndecl(call, function);
  update_stmt(call);
}

bool takes_address(const gcall* call) {
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, i)))) return true;
  }
  return false;
}

bool moves_under_a_mask(const gcall* call) {
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

tree size_of(tree operand) { return TYPE_SIZE_UNIT(TREE_TYPE(operand)); }

bool size_is_known(tree operand) {
  const tree size = size_of(operand);
  return size != NULL_TREE && TREE_CODE(size) == INTEGER_CST && !integer_zerop(size);
}

// The address of an operand, as an argument of a call to be inserted before `at` or on an edge.
tree address_of(tree operand, gimple_seq* before, location_t where) {
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

void announce(const char* name, tree operand, gimple_seq* sequence, location_t where) {
  if (!size_is_known(operand)) {
    error_at(where, "fencepost: gcc moves a struct of a size that is not known here");
    return;
  }
  const tree address = address_of(operand, sequence, where);
  gimple_seq_add_stmt(sequence, call_of(name, address, size_of(operand), where));
}

// A class that cannot be copied as bytes is constructed where it is to be, by the callee, and that
// is announced there.
bool is_made_by_callee(const gcall* call) {
  return TREE_ADDRESSABLE(TREE_TYPE(gimple_call_lhs(call))) != 0;
}

void announce_call(gimple_stmt_iterator* at, gcall* call) {
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
    } else if (fndecl_built_in_p(function, BUILT_IN_MD) && takes_address(call)) {
      error_at(where, "fencepost: gcc does not announce what %qE does to memory",
               DECL_NAME(function));
    }
  }
  gimple_seq before = nullptr;
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    const tree argument = gimple_call_arg(call, i);
    if (is_shared(argument)) announce("__tsan_read_range", argument, &before, where);
  }
  if (before != nullptr) gsi_insert_seq_before(at, before, GSI_SAME_STMT);
  const tree result = gimple_call_lhs(call);
  if (result == NULL_TREE || !is_shared(result) || is_made_by_callee(call)) return;
  gimple_seq after = nullptr;
  announce("__tsan_write_range", result, &after, where);
  if (!stmt_ends_bb_p(call)) {
    gsi_insert_seq_after(at, after, GSI_NEW_STMT);
  } else if (const edge next = find_fallthru_edge(gimple_bb(call)->succs)) {
    gsi_insert_seq_on_edge(next, after);
  }
}

// ---- scopes

// What mentions a variable is where it is known to live, unless that is known on every way to it
// since the variable's scope ended there last: loops come round, and are unrolled. That is more
// often than needed, and never too late.
struct Mention {
  tree variable;
  gimple* statement;
};

bool add_mention(gimple* statement, tree base, vec<Mention>* mentions) {
  if (base != NULL_TREE && DECL_P(base) && is_known_to_others(base)) {
    mentions->safe_push({base, statement});
  }
  return false;
}

bool mention_store(gimple* statement, tree base, tree, void* mentions) {
  return add_mention(statement, base, static_cast<vec<Mention>*>(mentions));
}

bool mention_address(gimple* statement, tree base, tree, void* mentions) {
  return add_mention(statement, base, static_cast<vec<Mention>*>(mentions));
}

bool ends_scope_of(const gimple* statement, tree variable) {
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

void announce_life(const char* name, tree variable, gimple_stmt_iterator* before,
                   location_t where) {
  TREE_ADDRESSABLE(variable) = 1;
  gsi_insert_before(before,
                    call_of(name, build_fold_addr_expr(variable), DECL_SIZE_UNIT(variable), where),
                    GSI_SAME_STMT);
}

void announce_beginnings(function* fun, const vec<Mention>& mentions) {
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

void end_with_function(function* fun, tree variable) {
  edge to_exit;
  edge_iterator i;
  FOR_EACH_EDGE(to_exit, i, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
    gimple_stmt_iterator last = gsi_last_bb(to_exit->src);
    if (!gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_RETURN) {
      announce_life("__fencepost_scope_ends", variable, &last, DECL_SOURCE_LOCATION(variable));
    }
  }
}

void announce_parameters(function* fun) {
  gimple_seq begins = nullptr;
  for (tree p = DECL_ARGUMENTS(fun->decl); p != NULL_TREE; p = DECL_CHAIN(p)) {
    if (!is_known_to_others(p)) continue;
    const tree address = build_fold_addr_expr(p);
    gimple_seq_add_stmt(&begins, call_of("__fencepost_scope_begins", address, DECL_SIZE_UNIT(p),
                                         DECL_SOURCE_LOCATION(p)));
    end_with_function(fun, p);
  }
  if (begins != nullptr) {
    gsi_insert_seq_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)), begins);
  }
}

bool ends_scope(const gimple* statement) {
  return gimple_clobber_p(statement) && VAR_P(gimple_assign_lhs(statement));
}

bool is_first_value(const gimple* statement) {
  return gimple_call_internal_p(statement, IFN_DEFERRED_INIT);
}

unsigned announce_function(function* fun) {
  DECL_ATTRIBUTES(fun->decl) = remove_attribute("no_sanitize", DECL_ATTRIBUTES(fun->decl));
  auto_vec<Mention> mentions;
  auto_vec<tree> ended;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (is_gimple_debug(statement) || gimple_clobber_p(statement)) continue;
      walk_stmt_load_store_addr_ops(statement, static_cast<vec<Mention>*>(&mentions), nullptr,
                                    mention_store, mention_address);
    }
  }
  announce_beginnings(fun, mentions);
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (ends_scope(statement)) {
        const tree variable = gimple_assign_lhs(statement);
        ended.safe_push(variable);
        if (is_known_to_others(variable)) {
          announce_life("__fencepost_scope_ends", variable, &at, DECL_SOURCE_LOCATION(variable));
        }
      } else if (is_gimple_call(statement) && !is_first_value(statement)) {
        announce_call(&at, as_a<gcall*>(statement));
      }
    }
  }
  announce_parameters(fun);
  // What was a parameter before gcc found out that it is always the same has no other end.
  for (const Mention& m : mentions) {
    if (!VAR_P(m.variable) || ended.contains(m.variable)) continue;
    end_with_function(fun, m.variable);
    ended.safe_push(m.variable);
  }
  gsi_commit_edge_inserts();
  return 0;
}

// ---- the pass

const pass_data kPass = {GIMPLE_PASS,
                         "announced",
                         OPTGROUP_NONE,
                         TV_NONE,
                         PROP_cfg | PROP_ssa,
                         0,
                         0,
                         0,
                         TODO_update_ssa_only_virtuals};

class Announced : public gimple_opt_pass {
 public:
  explicit Announced(gcc::context* context) : gimple_opt_pass(kPass, context) {}
  opt_pass* clone() final { return new Announced(m_ctxt); }
  unsigned execute(function* fun) final { return announce_function(fun); }
};

// ---- loads in vain

// Whatever gcc is told, the pass that moves code to where it is needed deletes a value that nobody
// uses. So right before it the loads are announced that would go with such values.
class DeadValues {
 public:
  explicit DeadValues(function* fun) {
    basic_block block;
    for (bool more = true; more;) {
      more = false;
      FOR_EACH_BB_FN(block, fun) {
        for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at)) {
          more |= take(at.phi(), gimple_phi_result(at.phi()));
        }
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
          gimple* const statement = gsi_stmt(at);
          if (is_gimple_assign(statement)) more |= take(statement, gimple_assign_lhs(statement));
        }
      }
    }
  }

  bool contains(gimple* statement) { return statements_.contains(statement); }

 private:
  bool take(gimple* statement, tree value) {
    if (TREE_CODE(value) != SSA_NAME || virtual_operand_p(value) || contains(statement) ||
        gimple_has_side_effects(statement)) {
      return false;
    }
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, value) {
      if (!is_gimple_debug(USE_STMT(use)) && !contains(USE_STMT(use))) return false;
    }
    return !statements_.add(statement);
  }

  hash_set<gimple*> statements_;
};

unsigned announce_loads_in_vain(function* fun) {
  DeadValues dead(fun);
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (!gimple_assign_load_p(statement) || !dead.contains(statement)) continue;
      const tree operand = gimple_assign_rhs1(statement);
      if (!is_shared(operand) || !size_is_known(operand)) continue;
      gimple_seq before = nullptr;
      announce("__tsan_read_range", operand, &before, gimple_location(statement));
      gsi_insert_seq_before(&at, before, GSI_SAME_STMT);
    }
  }
  return 0;
}

const pass_data kInVainPass = {
    GIMPLE_PASS, "announced_in_vain",          OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
    0,           TODO_update_ssa_only_virtuals};

class AnnouncedInVain : public gimple_opt_pass {
 public:
  explicit AnnouncedInVain(gcc::context* context) : gimple_opt_pass(kInVainPass, context) {}
  unsigned execute(function* fun) final { return announce_loads_in_vain(fun); }
};

// A function that its attribute calls pure is called as often as it is written: a call whose result
// nobody uses reads all the same, and may race. What the C library's do has no effect on others.
void calls_count(void* given, void*) {
  const tree function = static_cast<tree>(given);
  if (RECORD_OR_UNION_TYPE_P(function)) {
    for (tree member = TYPE_FIELDS(function); member != NULL_TREE; member = DECL_CHAIN(member)) {
      calls_count(member, nullptr);
    }
  }
  if (TREE_CODE(function) != FUNCTION_DECL || DECL_IN_SYSTEM_HEADER(function)) return;
  DECL_PURE_P(function) = 0;
  TREE_READONLY(function) = 0;
  DECL_LOOPING_CONST_OR_PURE_P(function) = 0;
}

void run_before(const char* plugin, const char* pass, int instance, opt_pass* own) {
  register_pass_info info{own, pass, instance, PASS_POS_INSERT_BEFORE};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

}  // namespace

int plugin_init(plugin_name_args* arguments, plugin_gcc_version* version) {
  // Not its configuration, in which the version of a distribution's package stands.
  if (std::strcmp(version->basever, gcc_version.basever) != 0 ||
      std::strcmp(version->datestamp, gcc_version.datestamp) != 0) {
    error("fencepost: the plugin was built for gcc %s of %s", gcc_version.basever,
          gcc_version.datestamp);
    return 1;
  }
  for (const int parsed : {PLUGIN_FINISH_DECL, PLUGIN_FINISH_TYPE, PLUGIN_START_PARSE_FUNCTION,
                           PLUGIN_PRE_GENERICIZE}) {
    register_callback(arguments->base_name, parsed, calls_count, nullptr);
  }
  run_before(arguments->base_name, "tsan", 0, new Announced(g));
  run_before(arguments->base_name, "tsan0", 0, new Announced(g));
  run_before(arguments->base_name, "sink", 1, new AnnouncedInVain(g));
  return 0;
}
