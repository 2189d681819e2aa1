// SPDX-License-Identifier: MIT
// What goes wrong before main, in constructors of static objects: it does so in every execution,
// before the first event of any.
#include "search/before_main.hpp"

#include <cstdarg>
#include <cstdio>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "search/search.hpp"
#include "search/signals.hpp"

namespace fencepost::checker {
namespace {

FENCEPOST_CHECKER_STATE bool constructing = false;  // static objects

}  // namespace

void constructors_begin() {
  search.starts_now();
  constructing = true;
  install_crash_handlers();
}

void constructors_end() { constructing = false; }

// Somebody who only asks what program this is, or explores a part of it, expects another answer.
bool fails_before_main() {
  return constructing && !execution.options.identify && execution.options.part < 0;
}

void violate_before_main(const char* kind, std::uint64_t pc, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(execution.violation.message, sizeof execution.violation.message, format,
                 arguments);
  va_end(arguments);
  if (!fails_before_main())
    execution.unsupported(pc, "%s, outside of main", execution.violation.message);
  execution.violation.found = true;
  execution.violation.kind = kind;
  execution.violation.thread = 0;
  execution.violation.pc = pc;
  execution.explorer.use(execution.options.model, execution.options.symmetry);
  execution.explorer.start();
  execution.thread_count = 1;
  ++execution.counters.violations;
  execution.listener->keep_violation();
  execution.listener->finish();
  __builtin_unreachable();
}

}  // namespace fencepost::checker
