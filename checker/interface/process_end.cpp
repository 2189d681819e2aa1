// SPDX-License-Identifier: MIT
// The ways in which a program ends, and what it asks to be called then. Constructors of static
// objects ask for it, too, before main: sync/process_end.cpp.
#include "sync/process_end.hpp"

#include <cstdlib>

#include "execution/execution.hpp"
#include "interface/ends.hpp"
#include "search/before_main.hpp"

namespace checker = fencepost::checker;
using checker::EndsBy;
using checker::execution;
using checker::ExitList;

namespace {

// Called without its parameter, which does not matter to one that has none.
using Function = void (*)(void*);

void add(ExitList list, const checker::ExitHandler& handler, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  checker::at_exit(list, handler, pc);
}

void add(ExitList list, void (*function)(), std::uint64_t pc) {
  add(list, {reinterpret_cast<Function>(reinterpret_cast<void*>(function)), nullptr}, pc);
}

}  // namespace

void fencepost::checker::end_process(EndsBy by, int status, std::uint64_t pc) {
  if (!checker::exploring()) {
    if ((status & 0xff) != 0 && !execution.options.any_exit_status) {
      checker::violate_before_main("exit-status", pc,
                                   "the program ends with exit status %d before main, which says "
                                   "that it has failed",
                                   status & 0xff);
    }
    execution.unsupported(pc, "the program ends before main");
  }
  checker::fencepost_wipe_stack(checker::kAddingUses);
  checker::process_ends(by, status, pc);
}

extern "C" {

int __cxa_atexit(Function destructor, void* object, void*) {
  add(ExitList::exit, {destructor, object}, FENCEPOST_PC());
  return 0;
}
int __cxa_at_quick_exit(Function function, void*) {
  add(ExitList::quick_exit, {function, nullptr}, FENCEPOST_PC());
  return 0;
}
int __cxa_thread_atexit(Function destructor, void* object, void*) {
  checker::at_thread_end({destructor, object});
  if (checker::exploring()) checker::execution.current->effect();
  return 0;
}
int atexit(void (*function)()) noexcept {
  add(ExitList::exit, function, FENCEPOST_PC());
  return 0;
}
int on_exit(void (*function)(int, void*), void* argument) noexcept {
  add(ExitList::exit, {nullptr, argument, function}, FENCEPOST_PC());
  return 0;
}

// Nobody calls them, for who forks is refused. But the checker itself does.
int pthread_atfork(void (*)(), void (*)(), void (*)()) noexcept { return 0; }

void exit(int status) noexcept { checker::end_process(EndsBy::exit, status, FENCEPOST_PC()); }
void quick_exit(int status) noexcept {
  checker::end_process(EndsBy::quick_exit, status, FENCEPOST_PC());
}
void _exit(int status) { checker::end_process(EndsBy::at_once, status, FENCEPOST_PC()); }
void _Exit(int status) noexcept { checker::end_process(EndsBy::at_once, status, FENCEPOST_PC()); }

}  // extern "C"

// Declared by <cstdlib> as C++ under its C name.
int at_quick_exit(void (*function)()) noexcept {
  add(ExitList::quick_exit, function, FENCEPOST_PC());
  return 0;
}
