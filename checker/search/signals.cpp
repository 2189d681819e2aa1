// SPDX-License-Identifier: MIT
// What interrupts the checker: who asks it to stop, a thread that computes for ever, a crash.
#include "search/signals.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "machine/program_code.hpp"
#include "memory/regions.hpp"
#include "search/before_main.hpp"
#include "search/checkpoint.hpp"
#include "search/search.hpp"
#include "search/workers/worker.hpp"

namespace fencepost::checker {

namespace {

alignas(16) FENCEPOST_CHECKER_STATE char signal_stack[65536];
FENCEPOST_CHECKER_STATE std::uint64_t last_heartbeat;
FENCEPOST_CHECKER_STATE int silent_ticks;

constexpr int kTicksASecond = 4;
constexpr int kTicksBeforeStepping = 2;
constexpr int kTicksWithoutEvents = 10 * kTicksASecond;
constexpr double kPatience = 4;  // seconds beyond the time limit

void on_interrupt(int) {
  if (execution.interrupted) {
    execution.listener->inconclusive_now("interrupted", 0);
  }
  execution.interrupted = true;
}

// Where the program has been interrupted, as a return address, by which places are looked up. In
// the checker, which it calls for each access, that is where it goes on afterwards.
std::uint64_t programs_place(const void* context) {
  const std::uint64_t pc = interrupted_pc(context);
  if (is_programs_own_code(pc)) return pc + 1;
  const Thread& t = *execution.current;
  const std::uint64_t begin = interrupted_stack(context);
  for (std::uint64_t at = begin; begin >= t.stack_low && at + 8 <= t.stack_top; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    if (is_programs_own_code(word)) return word;
  }
  return pc;
}

// Between two looks at the clock, in what a checkpoint has made of the search?
bool is_late() {
  const double limit = execution.options.timeout;
  return checkpoint::found() && limit > 0 && execution.inconclusive == nullptr &&
         !execution.is_worker && search.seconds() > limit + kPatience;
}

// A thread that computes for ever calls nothing that would notice.
void on_tick(int, siginfo_t*, void* context) {
  if (is_late()) execution.listener->inconclusive_now("the time limit was reached", 0);
  if (!execution.in_program || execution.heartbeat != last_heartbeat) {
    last_heartbeat = execution.heartbeat;
    silent_ticks = 0;
    return;
  }
  if (execution.interrupted) execution.listener->inconclusive_now("interrupted", 0);
  ++silent_ticks;
  if (silent_ticks == kTicksBeforeStepping) ask_to_step_aside();
  if (silent_ticks > kTicksBeforeStepping && plain_accesses.is_to_step_aside &&
      is_programs_own_code(interrupted_pc(context))) {
    kernel::call(SYS_tgkill, kernel::call(SYS_getpid), kernel::call(SYS_gettid), SIGVTALRM);
  }
  if (silent_ticks >= kTicksWithoutEvents) {
    execution.listener->inconclusive_now(
        "a thread runs on and on without any operation that the checker sees (an endless loop?)",
        programs_place(context));
  }
}

// In a loop that makes no access at all, say because what it looks at was read once and for all: on
// the thread's own stack, and so among its own frames.
void on_step_aside(int, siginfo_t*, void*) { step_aside_if_asked(); }

const char* name_of(int signal) {
  return signal == SIGSEGV   ? "SIGSEGV"
         : signal == SIGBUS  ? "SIGBUS"
         : signal == SIGFPE  ? "SIGFPE"
         : signal == SIGTRAP ? "SIGTRAP"
         : signal == SIGABRT ? "SIGABRT"
                             : "SIGILL";
}

// The thread that crashed never goes on, and the execution is gone through again before anything is
// said of it.
[[noreturn]] void stop_here() {
  std::uint64_t all = ~std::uint64_t{0};
  kernel::call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&all), 0, sizeof all);
  execution.stop_execution();
}

void on_crash(int signal, siginfo_t* info, void* context) {
  std::uint64_t pc = interrupted_pc(context);
  // A crash of the checker's own is that of who called it, with the address of no object.
  if (is_program_code(pc) && !is_programs_own_code(pc) &&
      is_programs_own_code(execution.entered_from)) {
    pc = execution.entered_from - 1;
  }
  // abort is the checker's own. So this is the C library, which has found a buffer that overflows
  // (-D_FORTIFY_SOURCE, -fstack-protector) or something of its own that is spoiled.
  if (signal == SIGABRT && execution.current != nullptr) pc = programs_place(context) - 1;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool of_the_checker = is_program_code(pc) && !is_programs_own_code(pc);
  if (fails_before_main() && !of_the_checker) {
    // Places are looked up just before a return address.
    violate_before_main("memory", pc + 1, "thread 0 crashes with %s (address 0x%lx) before main",
                        name_of(signal), static_cast<unsigned long>(address));
  }
  if (execution.current == nullptr || !execution.in_program) {
    if (checkpoint::found()) execution.listener->inconclusive_now(checkpoint::implausible(), 0);
    execution.listener->inconclusive_now("the program crashed outside main, or the checker did",
                                         pc);
  }
  const Thread& t = *execution.current;
  char what[160];
  if (signal == SIGSEGV && address + regions::kGuard >= t.stack_low && address < t.stack_low) {
    if (t.stack_wanted > regions::kStackSize) {
      execution.listener->inconclusive_now(
          "a thread uses more than the 8192 KiB of stack that each has here (its attributes ask "
          "for more)",
          pc + 1);
    }
    std::snprintf(what, sizeof what,
                  "thread %u has used up its stack of %lu KiB (endless recursion, a large array?)",
                  t.id, static_cast<unsigned long>(regions::kStackSize >> 10));
  } else if (signal == SIGABRT) {
    std::snprintf(what, sizeof what,
                  "thread %u is aborted by the C library, which has found memory spoiled or about "
                  "to be",
                  t.id);
  } else if (signal == SIGILL) {
    std::snprintf(what, sizeof what,
                  "thread %u comes to a trap, or to where the program promises that nothing comes "
                  "(SIGILL)",
                  t.id);
  } else {
    std::snprintf(what, sizeof what, "thread %u crashes with %s (address 0x%lx)", t.id,
                  name_of(signal), static_cast<unsigned long>(address));
  }
  const UnwrittenRead* read = uninitialised.unwritten_read();
  if (read == nullptr && !certain()) {
    execution.listener->inconclusive_now(
        "the program crashes in an execution of which it is not certain that the model has it; "
        "another model may tell why",
        pc + 1);
  }
  if (read != nullptr) {
    uninitialised.tell_of(*read);
    if (checkpoint::found()) stop_here();
    ++execution.counters.violations;
    execution.listener->keep_violation();
    execution.listener->finish();
  }
  execution.violation = Violation{};
  execution.violation.found = true;
  execution.violation.kind = "memory";
  std::snprintf(execution.violation.message, sizeof execution.violation.message, "%s", what);
  execution.violation.thread = t.id;
  execution.violation.pc = pc + 1;  // places are looked up just before a return address
  if (checkpoint::found()) stop_here();
  ++execution.counters.violations;
  execution.listener->keep_violation();
  execution.listener->finish();
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  sigaddset(&action.sa_mask, SIGVTALRM);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void on_refusal(int, siginfo_t* info, void* context) {
  FENCEPOST_CHECKER_STATE static char what[96];
  std::snprintf(what, sizeof what, "the program was stopped by --sandbox: system call %d",
                info->si_syscall);
  const bool in_main = execution.current != nullptr && execution.in_program;
  execution.listener->inconclusive_now(what, in_main ? programs_place(context) : 0);
}

}  // namespace

void install_refusal() { install(SIGSYS, on_refusal); }

void install_crash_handlers() {
  stack_t stack = {};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  // A trap that the compiler puts in is SIGILL on x86-64 and SIGTRAP on AArch64.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) install(s, on_crash);
}

void install_signals() {
  install(SIGALRM, on_tick);
  struct sigaction step = {};
  step.sa_sigaction = on_step_aside;
  step.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  sigaction(SIGVTALRM, &step, nullptr);
  struct sigaction interrupt = {};
  interrupt.sa_handler = on_interrupt;
  interrupt.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGTERM, &interrupt, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void start_ticking() {
  // The kernel's own timer: setitimer of the C library is not replaced, but stay independent of it.
  struct {
    long interval_seconds, interval_micros, seconds, micros;
  } ticks = {0, 1000000 / kTicksASecond, 0, 1000000 / kTicksASecond};
  kernel::call(SYS_setitimer, 0, reinterpret_cast<long>(&ticks), 0);
}

}  // namespace fencepost::checker
