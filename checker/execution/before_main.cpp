// SPDX-License-Identifier: MIT
// What goes wrong before main, in constructors of static objects: it does so in every execution,
// before the first event of any.
#include <cstdarg>
#include <cstdio>

#include "execution/runtime.hpp"
#include "machine/kernel.hpp"
#include "search/signals.hpp"

namespace fencepost::checker {

void Runtime::constructors_begin() {
  started_ = kernel::seconds();
  constructing_ = true;
  install_crash_handlers();
}

void Runtime::constructors_end() { constructing_ = false; }

// Somebody who only asks what program this is, or explores a part of it, expects another answer.
bool Runtime::fails_before_main() const {
  return constructing_ && !options.identify && options.part < 0;
}

void Runtime::violate_before_main(const char* kind, std::uint64_t pc, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(violation.message, sizeof violation.message, format, arguments);
  va_end(arguments);
  if (!fails_before_main()) unsupported(pc, "%s, outside of main", violation.message);
  violation.found = true;
  violation.kind = kind;
  violation.thread = 0;
  violation.pc = pc;
  explorer.use(options.model, options.symmetry);
  explorer.start();
  thread_count_ = 1;
  ++counters.violations;
  listener->keep_violation();
  listener->finish();
  __builtin_unreachable();
}

}  // namespace fencepost::checker
