// SPDX-License-Identifier: MIT
// A plugin of gcc: announces to the checker what gcc's thread instrumentation leaves out.
//
// It works on each function right before the instrumentation does, and adds calls of the runtime:
// - what a call itself moves: a struct that is passed by value from shared memory, or returned into
//   it; the compiler's own memcpy, strlen and the like, which it would write in line, become calls;
// - which atomic operations are full barriers (sync_builtins.hpp);
// - what gcc loads and stores for inline assembly (assembly_operands.hpp);
// - the end of a local variable's scope, and its beginning, if its address has gone elsewhere. That
//   holds of functions that were inlined, too;
// - the end of an object, where its destructor has ended;
// - memory that is taken from the stack as a function runs, and where that ends;
// - local variables without a first value (first_values.hpp);
// - that a function returns which is said not to (never_returns.hpp);
// - the turns of loops that only spin until a counter runs out (bounded_spins.hpp), and of those
//   that go on with what a failed attempt has found (found_values.hpp);
// - where loops turn, if they may only so often (turns.hpp).
// Before anything else it keeps the places of calls that are arguments (own_places.hpp).
// Before any optimisation it announces the loads that gcc would narrow (whole_loads.hpp). Behind
// the instrumentation it tells what lies behind the members of a copied object from the object
// (padding.hpp). An attribute that switches the instrumentation off is taken from the function.
// What cannot be announced is an error that begins with "fencepost: " and is told by the checker as
// a refusal.
#include "assembly_operands.hpp"
#include "blocks.hpp"
#include "bounded_spins.hpp"
#include "calls.hpp"
#include "dead_values.hpp"
#include "first_values.hpp"
#include "found_values.hpp"
#include "never_returns.hpp"
#include "own_places.hpp"
#include "padding.hpp"
#include "scopes.hpp"
#include "sync_builtins.hpp"
#include "turns.hpp"
#include "whole_loads.hpp"

int plugin_is_GPL_compatible;

namespace fencepost::plugin {
namespace {

// Is what gcc's optimiser has left to be checked (fencepost check --as-compiled)?
bool is_as_compiled() {
  static const bool told = std::getenv("FENCEPOST_AS_COMPILED") != nullptr;
  return told;
}

// What leaves out accesses, or moves them, is switched off by flags
// (lab/fencepost/toolchain/compile_source.py). A flag of the user's comes behind them, and the
// attribute `optimize` behind both.
bool changes_accesses() {
  if (is_as_compiled()) return flag_ipa_reference;  // which takes the instrumentation for leaves
  return flag_tree_dce || flag_tree_dse || flag_tree_sink || flag_tree_fre || flag_tree_pre ||
         flag_code_hoisting || flag_tree_dom || flag_ipa_sra || flag_ipa_cp ||
         flag_ipa_pure_const || flag_ipa_reference || flag_ipa_reference_addressable ||
         flag_tree_loop_im || flag_hoist_adjacent_loads || flag_expensive_optimizations ||
         flag_tree_reassoc;
}

// -fno-lifetime-dse (plugin_init) by an attribute or a pragma. Asked before anything is inlined.
unsigned refuse_lost_ends(function* fun) {
  if (flag_lifetime_dse == 0 && DECL_CXX_DESTRUCTOR_P(fun->decl)) {
    error_at(DECL_SOURCE_LOCATION(fun->decl),
             "fencepost: an attribute or a pragma has gcc not say that %qD ends an object",
             fun->decl);
  }
  return 0;
}

unsigned announce_function(function* fun) {
  if (changes_accesses()) {
    error_at(
        DECL_SOURCE_LOCATION(fun->decl),
        "fencepost: an attribute, a pragma or a flag has gcc leave out or move accesses of %qD",
        fun->decl);
  }
  unsigned number;
  tree variable;
  FOR_EACH_LOCAL_DECL(fun, number, variable) {
    if (!VAR_P(variable) || !DECL_NONLOCAL_FRAME(variable)) continue;
    error_at(DECL_SOURCE_LOCATION(fun->decl),
             "fencepost: functions inside %qD use its local variables, whose scopes gcc does not "
             "announce",
             fun->decl);
  }
  DECL_ATTRIBUTES(fun->decl) = remove_attribute("no_sanitize", DECL_ATTRIBUTES(fun->decl));
  addressed.look_at(fun);
  auto_vec<Mention> mentions;
  auto_vec<tree> ended;
  basic_block block;
  look_for_mentions(fun, &mentions, mention_store, mention_address);
  announce_spins(fun);
  announce_retries(fun);
  announce_turns(fun);
  announce_beginnings(fun, mentions);
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* const statement = gsi_stmt(at);
      if (is_gimple_debug(statement)) continue;
      walk_stmt_load_store_ops(statement, nullptr, refuse_unannounced, refuse_unannounced);
      announce_construction(&at, statement);
      if (ends_scope(statement)) {
        const tree variable = gimple_assign_lhs(statement);
        ended.safe_push(variable);
        if (is_known_to_others(variable)) {
          announce_life("__fencepost_scope_ends", variable, &at, DECL_SOURCE_LOCATION(variable));
        }
      } else if (gimple_clobber_p(statement)) {
        if (!begins_scope(statement)) announce_destruction(&at, statement);
      } else if (is_first_value(statement)) {
        announce_first_value(fun, &at, as_a<gcall*>(statement));
      } else if (is_gimple_call(statement)) {
        announce_call(&at, as_a<gcall*>(statement));
      } else if (gasm* const assembly = dyn_cast<gasm*>(statement)) {
        AssemblyOperands operands(assembly);
        operands.may_be_moved();
        operands.copy_here();
      }
    }
  }
  clear_dead_variables(fun);
  announce_blocks(fun);
  announce_landings(fun);
  announce_parameters(fun);
  // What was a parameter before gcc found out that it is always the same has no other end.
  for (const Mention& m : mentions) {
    if (!VAR_P(m.variable) || ended.contains(m.variable)) continue;
    end_with_function(fun, m.variable);
    ended.safe_push(m.variable);
  }
  keep_places_apart(fun);
  gsi_commit_edge_inserts();
  only_expected.hide(fun);
  return 0;
}

unsigned go_on_behind_instrumentation(function* fun) {
  only_expected.show();
  return tell_full_barriers(fun);
}

// ---- the passes

enum class When { always, not_optimised };

template <unsigned (*Work)(function*), When when = When::always>
class Pass : public gimple_opt_pass {
 public:
  explicit Pass(const char* name) : gimple_opt_pass(named(name), g) {}
  opt_pass* clone() final { return new Pass(name); }
  bool gate(function*) final { return when == When::always || optimize == 0; }
  unsigned execute(function* fun) final { return Work(fun); }

 private:
  static pass_data named(const char* name) {
    return {GIMPLE_PASS,
            name,
            OPTGROUP_NONE,
            TV_NONE,
            PROP_cfg | PROP_ssa,
            0,
            0,
            0,
            TODO_update_ssa_only_virtuals};
  }
};

class DeadRegisters : public rtl_opt_pass {
 public:
  DeadRegisters()
      : rtl_opt_pass({RTL_PASS, "dead_registers", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0},
                     g) {}
  bool gate(function*) final { return optimize != 0; }
  unsigned execute(function* fun) final { return clear_dead_registers(fun); }
};

void run(const char* plugin, opt_pass* own, pass_positioning_ops where, const char* pass,
         int instance) {
  register_pass_info info{own, pass, instance, where};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

}  // namespace
}  // namespace fencepost::plugin

using namespace fencepost::plugin;

int plugin_init(plugin_name_args* arguments, plugin_gcc_version* version) {
  // Not its configuration, in which the version of a distribution's package stands.
  if (std::strcmp(version->basever, gcc_version.basever) != 0 ||
      std::strcmp(version->datestamp, gcc_version.datestamp) != 0) {
    error("fencepost: the plugin was built for gcc %s of %s", gcc_version.basever,
          gcc_version.datestamp);
    return 1;
  }
  const char* const plugin = arguments->base_name;
  for (const int parsed : {PLUGIN_FINISH_DECL, PLUGIN_FINISH_TYPE, PLUGIN_START_PARSE_FUNCTION,
                           PLUGIN_PRE_GENERICIZE}) {
    register_callback(plugin, parsed, calls_count, nullptr);
  }
  keep_places();
  // -fno-lifetime-dse: without it gcc does not say where an object ends.
  if (flag_lifetime_dse == 0) flag_lifetime_dse = 1;
  deeds_of_functions = new hash_map<int_hash<unsigned, 0>, OwnDeeds*>;
  run(plugin, new Pass<refuse_lost_ends>("known_ends"), PASS_POS_INSERT_AFTER, "ssa", 1);
  run(plugin, new Pass<note_deeds>("deeds"), PASS_POS_INSERT_AFTER, "ssa", 1);
  run(plugin, new Pass<announce_stack>("announced_stack"), PASS_POS_INSERT_AFTER, "ssa", 1);
  run(plugin, new Pass<mark_beginnings>("marked_scopes"), PASS_POS_INSERT_AFTER, "ssa", 1);
  run(plugin, new Pass<keep_parameters_below>("kept_parameters"), PASS_POS_INSERT_AFTER, "ssa", 1);
  run(plugin, new Pass<announce_returns, When::not_optimised>("announced_returns"),
      PASS_POS_INSERT_AFTER, "ssa", 1);
  if (!is_as_compiled()) {
    run(plugin, new Pass<announce_whole_loads>("announced_wholes"), PASS_POS_INSERT_AFTER, "ssa",
        1);
  }
  run(plugin, new Pass<announce_function>("announced"), PASS_POS_INSERT_BEFORE, "tsan", 0);
  run(plugin, new Pass<announce_function, When::not_optimised>("announced0"),
      PASS_POS_INSERT_BEFORE, "tsan0", 0);
  run(plugin, new Pass<go_on_behind_instrumentation>("barriers"), PASS_POS_INSERT_AFTER, "tsan", 0);
  run(plugin, new Pass<go_on_behind_instrumentation, When::not_optimised>("barriers0"),
      PASS_POS_INSERT_AFTER, "tsan0", 0);
  run(plugin, new Pass<announce_padding>("padding"), PASS_POS_INSERT_AFTER, "tsan", 0);
  run(plugin, new Pass<announce_padding, When::not_optimised>("padding0"), PASS_POS_INSERT_AFTER,
      "tsan0", 0);
  run(plugin, new DeadRegisters, PASS_POS_INSERT_BEFORE, "*free_cfg", 1);
  return 0;
}
