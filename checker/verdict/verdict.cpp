// SPDX-License-Identifier: MIT
#include "verdict/verdict.hpp"

#include <algorithm>
#include <cstdio>

#include "execution/call_sites.hpp"
#include "execution/execution.hpp"
#include "execution/few_events.hpp"
#include "execution/loops/spins.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/checkpoint.hpp"
#include "search/search.hpp"
#include "search/workers/worker.hpp"
#include "sync/stuck.hpp"
#include "verdict/assumptions.hpp"
#include "verdict/call_sites_text.hpp"
#include "verdict/graph_text.hpp"
#include "verdict/kept_violation.hpp"
#include "verdict/output.hpp"

namespace fencepost::checker {
namespace {

using namespace report;

FENCEPOST_CHECKER_STATE constinit Text out;

void add_counts(Text& text, const Counters& counters) {
  text.add("\"executions\":%lu,\"blocked\":%lu,\"seconds\":%.6f",
           static_cast<unsigned long>(counters.executions),
           static_cast<unsigned long>(counters.blocked), counters.seconds + search.seconds());
}

void send_result(const char* word, const char* reason, std::uint64_t place) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"result\",\"model\":\"%s\",\"verdict\":\"%s\",",
           execution.options.model->name, word);
  add_counts(text, execution.counters);
  if (reason != nullptr) {
    text.add(",\"reason\":");
    text.add_quoted(reason);
    text.add(",\"place\":%lu", static_cast<unsigned long>(place));
  }
  text.add(",\"violations\":%lu,\"violation\":",
           static_cast<unsigned long>(execution.counters.violations));
  const Text& violation = kept_violation();
  if (violation.empty()) {
    text.add("null");
  } else {
    text.append(violation);
  }
  text.add(",");
  add_assumptions(text);
  if (call_sites.writing()) add_call_sites(text);
  if (execution.options.coverage) add_coverage(text);
  const Counters& counters = execution.counters;
  text.add(
      ",\"stats\":{\"replays\":%lu,\"revisits\":%lu,\"max_events\":%u,\"waits\":%u,"
      "\"from_first_thread\":%u,\"peak_rss_kb\":%ld,\"cpu_seconds\":%.6f}}",
      static_cast<unsigned long>(counters.replays),
      static_cast<unsigned long>(counters.revisits + execution.explorer.revisits()),
      counters.most_events, counters.waits, counters.from_first_thread,
      std::max(kernel::usage(RUSAGE_SELF).ru_maxrss, kernel::usage(RUSAGE_CHILDREN).ru_maxrss),
      counters.cpu_seconds + kernel::cpu_seconds());
  send(text);
}

// ... and what the user may want to know beside it.
const char* with_what_is_known(const char* reason) {
  FENCEPOST_CHECKER_STATE static char text[8192];
  int length = std::snprintf(text, sizeof text, "%.7000s", reason);
  const auto add = [&](const char* format, unsigned long number) {
    length += std::snprintf(text + length, sizeof text - length, format, number);
  };
  if (const std::uint64_t spin = suggested_spin(); spin != 0) {
    add("; a loop that looks at one object until a counter runs out is explored round by round "
        "(see --bounded-spins): at pc 0x%lx",
        spin);
  }
  if (const std::uint32_t events = event_bound.seen_with; events != 0) {
    add("; so far no violation, of executions in which no thread has more than %lu events", events);
  }
  return text;
}

// Ends the process: there is a violation, or no verdict for this reason, or it holds.
[[noreturn]] void end(const char* reason, std::uint64_t pc) {
  if (execution.is_worker) worker::leave(reason, pc);
  const bool violated = !kept_violation().empty();
  const char* word = violated ? "violated" : reason != nullptr ? "inconclusive" : "holds";
  send_result(word, violated || reason == nullptr ? reason : with_what_is_known(reason), pc);
  if (reason == nullptr) checkpoint::remove();
  leave(violated ? 1 : reason != nullptr ? 2 : 0);
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit Verdict verdict;

void Verdict::progress(const Counters& so_far) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"progress\",");
  add_counts(text, so_far);
  const auto seen = static_cast<double>(so_far.executions);
  const auto probes = static_cast<double>(so_far.probes);
  const double mean = probes == 0 ? 0 : so_far.probed_executions / probes;
  if (mean > seen && mean < 1e300) {
    text.add(",\"estimate\":%.0f}", mean);
  } else {
    text.add(",\"estimate\":null}");  // the probes have missed where most executions lie
  }
  send(text);
}

void Verdict::adds_execution(Ended how) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"execution\",\"blocked\":%s,", how == Ended::blocked ? "true" : "false");
  add_graph(text, execution.graph(), false);
  text.add("}");
  send(text);
}

void Verdict::begin_anew() {
  drop_violation();
  if (!execution.options.dump) return;
  out.add("{\"type\":\"begins-anew\"}");
  send(out);
}

namespace {

// Why it cannot be said that all holds: threads wait, and it is not known that this is wrong.
const char* why_unended() {
  FENCEPOST_CHECKER_STATE static char text[640];
  const Counters& counters = execution.counters;
  const unsigned limits = execution.options.timeouts;
  if (counters.executions == 0 && counters.blocked != 0) {
    std::snprintf(text, sizeof text, "no execution comes to its end%s%s%s",
                  unended()[0] == '\0' ? "" : ": in the first ", unended(),
                  limits == 0 ? "" : " (a larger --timeouts may tell)");
    return text;
  }
  if (counters.out_of_limits == 0) return nullptr;
  std::snprintf(text, sizeof text,
                "thread %d times out as often as --timeouts=%u lets it and then waits with a time "
                "limit again, while nobody else can go on: whether it helps the others, or polls "
                "for ever, is not explored (a larger --timeouts may tell)",
                __builtin_ctzll(counters.out_of_limits), limits);
  return text;
}

const char* why_unfinished() {
  FENCEPOST_CHECKER_STATE static char text[200];
  std::snprintf(text, sizeof text,
                "no violation where no loop turns more than %u time%s (--unroll=%u), and this one "
                "may; with --within-bounds that is enough",
                execution.options.unroll, execution.options.unroll == 1 ? "" : "s",
                execution.options.unroll);
  return text;
}

}  // namespace

void Verdict::finish() {
  if (execution.inconclusive == nullptr && execution.counters.wanted_store != 0 &&
      execution.counters.cut_store != 0) {
    execution.inconclusive =
        "a loop repeats a seq_cst read-modify-write that changes nothing, and under this model one "
        "more of those might permit an execution that was discarded";
  }
  const bool alone = execution.options.jobs <= 1 && execution.options.channels == nullptr &&
                     execution.counters.resumed == 0 && execution.options.part < 0;
  if (execution.inconclusive == nullptr && !alone &&
      execution.counters.visited.meets(execution.counters.believed_private)) {
    execution.inconclusive =
        "a loop was cut by one process as if nobody else looked at a local variable that some "
        "thread of another process may look at: explore with one job, in one sitting";
  }
  if (execution.inconclusive == nullptr && !alone &&
      execution.counters.tried.meets(execution.counters.withheld)) {
    execution.inconclusive =
        "a loop was cut by one process as if nobody saw it take a lock that some thread of another "
        "process tries: explore with one job, in one sitting";
  }
  if (execution.inconclusive == nullptr && kept_violation().empty() && !execution.is_worker &&
      execution.counters.unfinished_loop != 0 && !execution.options.within_bounds) {
    execution.inconclusive = why_unfinished();
    execution.inconclusive_pc = execution.counters.unfinished_loop;
  }
  if (execution.inconclusive == nullptr && kept_violation().empty() && !execution.is_worker) {
    execution.inconclusive = why_unended();
    if (execution.inconclusive != nullptr) execution.inconclusive_pc = unended_place();
  }
  end(execution.inconclusive, execution.inconclusive_pc);
}

void Verdict::inconclusive_now(const char* reason, std::uint64_t pc) { end(reason, pc); }

}  // namespace fencepost::checker
