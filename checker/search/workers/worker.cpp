// SPDX-License-Identifier: MIT
#include "search/workers/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <cstring>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/alternatives.hpp"
#include "search/search.hpp"
#include "search/workers/channel.hpp"

namespace fencepost::checker::worker {
namespace {

FENCEPOST_CHECKER_STATE constinit Channel channel{-1};
FENCEPOST_CHECKER_STATE Slot* slot;
FENCEPOST_CHECKER_STATE Allowance* allowance;
FENCEPOST_CHECKER_STATE constinit Bytes message;
// Of a fork the kernel tells the time to who waits for it; of a process elsewhere it must be told.
FENCEPOST_CHECKER_STATE bool is_elsewhere;
FENCEPOST_CHECKER_STATE double cpu_seconds_told;

void publish() {
  const Counters& t = execution.counters;
  slot->executions.store(t.executions, std::memory_order_relaxed);
  slot->blocked.store(t.blocked, std::memory_order_relaxed);
  slot->probes.store(t.probes, std::memory_order_relaxed);
  slot->probed_executions.store(t.probed_executions, std::memory_order_relaxed);
}

// Nobody listens any more: whoever shared out the search has ended.
void send(Message kind) {
  if (!channel.send(kind, message)) kernel::call(SYS_exit_group, 0);
  message.clear();
}

// The violation first, so that it is known when the executions up to it have been counted.
void begin_count() {
  message.clear();
  if (execution.listener->take_news(&message)) send(Message::violation);
  execution.counters.revisits = execution.explorer.revisits();
  if (is_elsewhere) {
    const double used = kernel::cpu_seconds();
    execution.counters.cpu_seconds = used - cpu_seconds_told;
    cpu_seconds_told = used;
  }
  put(&message, execution.counters);
}

void counted() {
  execution.counters = Counters{};
  execution.explorer.forget_revisits();
  publish();
}

// Says what was requested.
Request answer() {
  const Request request = slot->request.exchange(Request::none, std::memory_order_relaxed);
  Explorer& explorer = execution.explorer;
  begin_count();
  put(&message, request);
  const std::size_t size_at = message.size();
  put(&message, std::uint32_t{0});
  if (request == Request::share || execution.options.split) {
    const std::uint32_t half = explorer.alternatives() / 2;
    write_alternatives(&message, half);
    explorer.give_up(half);
  }
  const auto given = static_cast<std::uint32_t>(message.size() - size_at - sizeof(std::uint32_t));
  std::memcpy(message.data() + size_at, &given, sizeof given);
  write_alternatives(&message, explorer.alternatives());
  if (request == Request::stop) explorer.give_up(explorer.alternatives());
  send(Message::committed);
  counted();
  return request;
}

std::uint64_t seen() { return execution.counters.executions + execution.counters.blocked; }

bool time_is_up() {
  const Options& o = execution.options;
  return (o.part_runs != 0 && execution.counters.replays >= o.part_runs) ||
         (o.part_seconds > 0 && search.seconds() >= o.part_seconds);
}

void give_back_allowance() {
  if (allowance != nullptr) allowance->fetch_add(1, std::memory_order_relaxed);
}

// If not, one execution of the allowance, if there is one, has been taken: a request that comes
// now waits until it has been seen.
bool must_answer() {
  if (slot->request.load(std::memory_order_relaxed) != Request::none) return true;
  if (allowance == nullptr || allowance->fetch_sub(1, std::memory_order_relaxed) > 0) return false;
  give_back_allowance();
  slot->request.store(Request::stop, std::memory_order_relaxed);
  return true;
}

// Says false if it stops.
bool explore() {
  while (execution.explorer.next()) {
    if (must_answer()) {
      execution.explorer.put_back();
      if (answer() == Request::stop) return false;
      continue;
    }
    const std::uint64_t before = seen();
    if (!search.tally(search.run_once())) leave(execution.inconclusive, execution.inconclusive_pc);
    if (seen() == before) give_back_allowance();
    publish();
    if (time_is_up()) slot->request.store(Request::stop, std::memory_order_relaxed);
    if ((execution.counters.replays & 63) == 0 && search.progress_is_due()) search.probe();
  }
  return true;
}

}  // namespace

void work(int socket, Slot* own, Allowance* of_all, unsigned number) {
  channel = Channel{socket};
  execution.is_worker = true;
  slot = own;
  allowance = of_all;
  execution.counters = Counters{};
  execution.explorer.forget_revisits();
  search.estimator.seed(number + 1);
  execution.listener->forget();
  Bytes item;
  Message kind;
  while (channel.receive(&kind, &item)) {
    BytesIn in(item.data(), item.size());
    if (!read_alternatives(&in)) leave("a part of the search is garbled", 0);
    if (!explore()) continue;
    // Nothing is left to share: to say so answers any request.
    slot->request.store(Request::none, std::memory_order_relaxed);
    begin_count();
    send(Message::idle);
    counted();
  }
  kernel::call(SYS_exit_group, 0);
  __builtin_unreachable();
}

void work_elsewhere(int socket) {
  FENCEPOST_CHECKER_STATE static Slot own{};
  // Whoever started it is who listens.
  kernel::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  is_elsewhere = true;
  work(socket, &own, nullptr, execution.options.seed);
}

void output(const Bytes& text) {
  if (!channel.send(Message::output, text)) kernel::call(SYS_exit_group, 0);
}

void leave(const char* reason, std::uint64_t pc) {
  begin_count();
  Bytes counts;
  put_bytes(&counts, message.data(), message.size());
  if (reason != nullptr) {
    message.clear();
    put(&message, pc);
    put_bytes(&message, reason, std::strlen(reason) + 1);
    send(Message::refusal);
  }
  message.assign(counts.data(), counts.size());
  send(Message::over);
  kernel::call(SYS_exit_group, 0);
  __builtin_unreachable();
}

}  // namespace fencepost::checker::worker
