// SPDX-License-Identifier: MIT
#include "verdict/assumptions.hpp"

#include <cstdio>

#include "execution/execution.hpp"
#include "execution/lifetimes/reuse.hpp"

namespace fencepost::checker::report {
namespace {

// The threads of a set, by the names that the command line gives them.
void add_threads(Text& text, std::uint64_t set) {
  const char* between = "";
  for (; set != 0; set &= set - 1, between = ", ") {
    const int thread = __builtin_ctzll(set);
    if (thread == 0) {
      text.add("%smain", between);
    } else {
      text.add("%sT%d", between, thread);
    }
  }
}

}  // namespace

void add_assumptions(Text& text) {
  unsigned told = 0;
  std::uint64_t usual = 0;  // a bit for each of the first 64, which are all
  const auto tell = [&](const char* what) {
    if (told++ != 0) text.add(",");
    text.add_quoted(what);
  };
  const auto assume_always = [&](const char* what) {
    usual |= std::uint64_t{1} << told;
    tell(what);
  };
  const auto assume = [&](bool holds, const char* what) {
    if (holds) tell(what);
  };
  text.add("\"assumptions\":[");
  assume_always(execution.options.model->assumption);
  assume_always("data races are judged by C++ happens-before under every model");
  assume_always(
      "the compiler flags used here; code that is not instrumented (libraries) has no races");
  assume(execution.counters.resumed != 0,
         "the checkpoint that the exploration went on from says of everything that was left (what "
         "is missing there is not explored)");
  assume_always("a futex word's waits and wakes are totally ordered and synchronise in that order");
  assume(execution.counters.handlers_left != 0,
         "where main has left by pthread_exit, what the last thread to end would call (static "
         "destructors, atexit) is not executed");
  assume(execution.counters.handlers_of_libraries != 0,
         "what shared libraries have registered for exit is not executed");
  assume_always(
      "fairness: a thread that can go on does so in time, and what is written is seen in time");
  const auto assume_of = [&](std::uint64_t threads, const char* what) {
    if (threads == 0) return;
    ++told;  // behind others
    text.add(",\"");
    add_threads(text, threads);
    text.add(" %s\"", what);
  };
  // Of what each thread may do so often. That none does is no news where none could.
  const auto assume_at_most = [&](unsigned times, bool could, const char* never,
                                  const char* at_most) {
    char often[32];
    std::snprintf(often, sizeof often,
                  times == 1   ? "once"
                  : times == 2 ? "twice"
                               : "%u times",
                  times);
    char what[192];
    std::snprintf(what, sizeof what, at_most, often);
    if (times == 0 && !could) {
      assume_always(never);
    } else {
      tell(times == 0 ? never : what);
    }
  };
  assume_of(execution.counters.daemons, "may wait for ever (daemons), and in some execution does");
  assume_of(execution.counters.left_waiting,
            "may still wait when exit is called: they end with it");
  assume_of(execution.counters.symmetric_threads,
            "are identical (--symmetry): executions are counted up to exchanging them, and what "
            "one does with addresses of its own does not depend on their order or number");
  const bool address_may_come_back =
      execution.counters.memory_freed != 0 && execution.counters.addresses_compared != 0;
  const bool reused = freed_memory.is_given();
  assume(address_may_come_back && !reused,
         "freed memory is not given out again: a compare-exchange that succeeds because an address "
         "has come back (ABA) is not looked for (see --reuse)");
  assume(execution.counters.reuse_missed != 0,
         "freed memory is given out again only in the ways that were known when the search was "
         "shared among processes, and more were met later");
  assume_always(
      "no uninitialised local variable is read of which no other function is told, nor a bit-field "
      "beside one that was written; of other memory that nobody has written, what a read finds is "
      "looked at with four contents");
  assume_always(
      "wrong uses of which docs/checker/limits.md says that they are not told are not looked for");
  assume_always("repeated states of spin loops are recognised by a 64-bit hash");
  assume_always(
      "addresses and identities (pthread_t, std::thread::id, gettid) are those of one layout of "
      "memory: who was made later has the greater, and no two variables of a function share a "
      "place on the stack; what a program does where their order or bits are others (compared, "
      "hashed) is not explored");
  assume(execution.counters.rounds_passed != 0,
         "a loop in which only a counter changes ends in its first rounds, in its last, or as the "
         "counter runs out (--bounded-spins): what the counter holds after one in between is not "
         "explored");
  assume(execution.counters.assumed != 0,
         "executions in which a thread is to assume what does not hold "
         "(fencepost::instrumentation::assume) do not count");
  assume(execution.counters.process_shared != 0,
         "what is to be shared among processes (PTHREAD_PROCESS_SHARED) is this process's alone");
  assume(execution.counters.new_identities != 0,
         "a thread that begins after another one has ended is told from it: the C library may give "
         "it the same pthread_t and std::thread::id, and its variables the same addresses");
  assume(execution.counters.errno_reached != 0,
         "what functions of the C library write to errno has no part in a race, though a thread "
         "comes to the errno of another one");
  assume(
      execution.counters.fenced_attempts != 0 && !execution.options.model->as_compiled,
      "an attempt at a lock that fails reads the lock's word, and is ordered by fences beside it "
      "as an atomic load is: the standard says nothing of that");
  assume(execution.counters.larger_stacks != 0,
         "each thread has a stack of 8 MiB, though an attribute asks for a smaller one");
  assume(
      execution.counters.keys_in_one_order != 0,
      "when keys (pthread_key_create, pthread_key_delete) come and go, as seen by other threads, "
      "is explored in one order");
  assume(
      execution.counters.signals_said != 0,
      "when threads say what is to happen on a signal (signal, sigaction), as asked for by other "
      "threads, is explored in one order");
  assume(
      execution.counters.own_random_numbers != 0,
      "rand and srand have a sequence of numbers for each thread; the C library has one for all, "
      "and who draws which number is not explored");
  assume(execution.counters.consumed != 0,
         "memory_order_consume is acquire, as compilers make it: the standard orders less, only "
         "what depends on the value");
  assume(
      execution.counters.heavy_fences != 0,
      "a heavy fence (membarrier) is P1202's: a seq_cst fence, and as seen by it each light fence "
      "of another thread is one too");
  if (execution.counters.unfinished_loop != 0) {
    char what[128];
    std::snprintf(
        what, sizeof what,
        "a loop turns at most %u time%s whenever it is begun (--unroll): more is not explored",
        execution.options.unroll, execution.options.unroll == 1 ? "" : "s");
    tell(what);
  }
  assume(execution.options.any_exit_status,
         "an exit status other than 0 is no failure (--any-exit-status)");
  assume(execution.options.no_membarrier, "the kernel has no membarrier (--no-membarrier)");
  assume(execution.counters.clocks_read != 0 && execution.options.timeouts == 0,
         "time stands still but for what threads sleep (see --timeouts)");
  assume_at_most(
      execution.options.timeouts, execution.counters.timed_waits != 0,
      "timed waits do not time out, but for two in each thread whose limit has passed (see "
      "--timeouts)",
      "each thread times out at most %s");
  assume_at_most(execution.options.spurious, false, "waits return only when woken (see --spurious)",
                 "each thread wakes spuriously at most %s; a futex then says EINTR, never 0");
  if (reused) {
    assume_at_most(
        execution.options.reuse, true, "",
        execution.options.reuse_all ? "each thread is given freed memory again at most %s"
        : execution.options.reuse_of == Reuse::always
            ? "each thread is given freed memory again at most %s: the last of a size that a "
              "thread has freed"
            : "each thread is given freed memory again at most %s: the last that a thread has "
              "freed of a size whose addresses are compared");
  }
  // Of what clang has made none is seen.
  const bool has_weak = execution.counters.weak_exchanges != 0;
  assume_at_most(has_weak ? execution.options.weak_cas : 0, has_weak,
                 "compare_exchange_weak fails only on a different value",
                 "compare_exchange_weak fails for nothing at most %s in each thread");
  assume(
      execution.counters.library_trusted != 0,
      "the C++ library's own waiting does what the standard says; its std::atomic<std::shared_ptr> "
      "orders what stands beside it, too (see --library-as-written)");
  assume(execution.counters.std_barriers != 0,
         "a std::barrier is the standard's, not the C++ library's code (see --library-as-written); "
         "whichever thread arrives last calls its completion function");
  assume(execution.counters.std_latches != 0,
         "a std::latch is the standard's, not the C++ library's code (see --library-as-written)");
  assume(execution.counters.taken_together != 0,
         "std::lock and std::scoped_lock take several mutexes as the standard says, not by the C++ "
         "library's code (see --library-as-written)");
  text.add("],\"usual\":[");
  for (const char* between = ""; usual != 0; usual &= usual - 1, between = ",") {
    text.add("%s%d", between, __builtin_ctzll(usual));
  }
  text.add("]");
}

}  // namespace fencepost::checker::report
