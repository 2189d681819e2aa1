// SPDX-License-Identifier: MIT
#include "verdict/report.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "graph/state_section.hpp"
#include "program/call_sites.hpp"
#include "program/checkpoint.hpp"
#include "program/kernel.hpp"
#include "program/worker.hpp"

namespace fencepost::checker::report {
namespace {

// Not _exit: that is an entry point of the program.
[[noreturn]] void leave(int status) {
  kernel::call(SYS_exit_group, status);
  __builtin_unreachable();
}

class Text {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    char piece[1024];
    std::va_list arguments;
    va_start(arguments, format);
    const int n = std::vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    for (int i = 0; i < n && i < static_cast<int>(sizeof piece) - 1; ++i)
      bytes_.push_back(piece[i]);
  }
  void add_quoted(const char* text) {
    bytes_.push_back('"');
    for (; *text != '\0'; ++text) {
      const auto c = static_cast<unsigned char>(*text);
      if (c < 0x20) {
        add("\\u%04x", c);
        continue;
      }
      if (c == '"' || c == '\\') bytes_.push_back('\\');
      bytes_.push_back(*text);
    }
    bytes_.push_back('"');
  }
  void append(const Text& other) {
    for (char c : other.bytes_) bytes_.push_back(c);
  }
  void clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  Bytes& bytes() { return bytes_; }
  void send() {
    bytes_.push_back('\n');
    if (worker::here()) {
      worker::output(bytes_);
    } else {
      relay(bytes_);
    }
    bytes_.clear();
  }

 private:
  Bytes bytes_;
};

FENCEPOST_CHECKER_STATE constinit Text out;
FENCEPOST_CHECKER_STATE constinit Text kept;
FENCEPOST_CHECKER_STATE std::uint32_t kept_events;
FENCEPOST_CHECKER_STATE bool kept_is_news;
FENCEPOST_CHECKER_STATE constinit Array<std::uint32_t> steps;

const char* name(Kind k) {
  switch (k) {
    case Kind::begin:
      return "begin";
    case Kind::end:
      return "end";
    case Kind::create:
      return "create";
    case Kind::join:
      return "join";
    case Kind::read:
      return "R";
    case Kind::write:
      return "W";
    case Kind::fence:
      return "F";
    case Kind::choice:
      return "choice";
  }
  return "?";
}

const char* name(Order o) {
  switch (o) {
    case Order::plain:
      return "na";
    case Order::relaxed:
      return "rlx";
    case Order::acquire:
      return "acq";
    case Order::release:
      return "rel";
    case Order::acq_rel:
      return "acq_rel";
    case Order::seq_cst:
      return "sc";
  }
  return "?";
}

const char* name(ObjectKind k) {
  switch (k) {
    case ObjectKind::atomic:
      return "atomic";
    case ObjectKind::mutex:
      return "mutex";
    case ObjectKind::futex_queue:
      return "futex-queue";
    case ObjectKind::condition:
      return "condition";
    case ObjectKind::membarrier:
      return "membarrier";
    case ObjectKind::spin_lock:
      return "spin-lock";
    case ObjectKind::rwlock:
      return "rwlock";
    case ObjectKind::semaphore:
      return "semaphore";
  }
  return "?";
}

const char* name(const Event& e) {
  switch (e.what) {
    case What::none:
      return "";
    case What::load:
      return "load";
    case What::store:
      return "store";
    case What::exchange:
      return "exchange";
    case What::fetch_add:
      return "fetch_add";
    case What::fetch_sub:
      return "fetch_sub";
    case What::fetch_and:
      return "fetch_and";
    case What::fetch_or:
      return "fetch_or";
    case What::fetch_xor:
      return "fetch_xor";
    case What::fetch_nand:
      return "fetch_nand";
    case What::compare_exchange:
      return e.kind == Kind::read && !succeeds(e) ? "cas-failed" : "cas";
    case What::fence:
      return "fence";
    case What::light_fence:
      return "light-fence";
    case What::heavy_fence:
      return "heavy-fence";
    case What::nonatomic_fetch_add:
      return "nonatomic-fetch_add";
    case What::membarrier_register:
      return "membarrier-register";
    case What::membarrier_registered:
      return "membarrier-registered";
    case What::plain_write:
      return "plain-write";
    case What::mutex_lock:
      return e.kind == Kind::read && is_blocked(e) ? "mutex-wait" : "mutex-lock";
    case What::mutex_trylock:
      return e.kind == Kind::read && !succeeds(e) ? "mutex-trylock-failed" : "mutex-trylock";
    case What::mutex_unlock:
      return "mutex-unlock";
    case What::mutex_init:
      return "mutex-init";
    case What::spin_lock:
      return e.kind == Kind::read && is_blocked(e) ? "spin-lock-wait" : "spin-lock";
    case What::spin_trylock:
      return e.kind == Kind::read && !succeeds(e) ? "spin-trylock-failed" : "spin-trylock";
    case What::spin_unlock:
      return "spin-unlock";
    case What::spin_init:
      return "spin-init";
    case What::rwlock_read:
      return e.kind == Kind::read && is_blocked(e) ? "rwlock-read-wait" : "rwlock-read";
    case What::rwlock_tryread:
      return e.kind == Kind::read && !succeeds(e) ? "rwlock-tryread-failed" : "rwlock-tryread";
    case What::rwlock_announce:
      return "rwlock-announce";
    case What::rwlock_withdraw:
      return "rwlock-withdraw";
    case What::rwlock_write:
      return e.kind == Kind::read && is_blocked(e) ? "rwlock-write-wait" : "rwlock-write";
    case What::rwlock_trywrite:
      return e.kind == Kind::read && !succeeds(e) ? "rwlock-trywrite-failed" : "rwlock-trywrite";
    case What::rwlock_readers_left:
      return "rwlock-readers-left";
    case What::rwlock_unlock:
      return "rwlock-unlock";
    case What::rwlock_init:
      return "rwlock-init";
    case What::semaphore_wait:
      return e.kind == Kind::read && is_blocked(e) ? "semaphore-wait-blocked" : "semaphore-wait";
    case What::semaphore_trywait:
      return e.kind == Kind::read && !succeeds(e) ? "semaphore-trywait-failed"
                                                  : "semaphore-trywait";
    case What::semaphore_post:
      return "semaphore-post";
    case What::semaphore_value:
      return "semaphore-value";
    case What::semaphore_init:
      return "semaphore-init";
    case What::barrier_arrive:
      return "barrier-arrive";
    case What::barrier_leave:
      return "barrier-leave";
    case What::barrier_serial:
      return "barrier-serial";
    case What::futex_wait:
      return "futex-wait";
    case What::futex_wake:
      return "futex-wake";
    case What::futex_value:
      return "futex-value";
    case What::futex_timeout:
      return "futex-timeout";
    case What::futex_woken:
      return "futex-woken";
    case What::cond_wait:
      return "cond-wait";
    case What::cond_wake:
      return "cond-signal";
    case What::cond_timeout:
      return "cond-timeout";
    case What::cond_woken:
      return "cond-woken";
    case What::which_waiter:
      return "which-waiter";
    case What::times_out:
      return "times-out";
    case What::spurious_wakeup:
      return "spurious-wakeup";
    case What::weak_failure:
      return "weak-failure";
  }
  return "?";
}

// Puts the events in one order that agrees with program order and reads-from; steps[k] is the
// packed id of the k-th.
void linearize(Graph& g) {
  std::uint32_t at[kMaxThreads] = {};
  steps.clear();
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned t = 0; t < g.threads(); ++t) {
      for (; at[t] < g.size(t); ++at[t]) {
        const Event& e = g.at(t, at[t]);
        const bool depends = e.kind == Kind::read || e.kind == Kind::begin || e.kind == Kind::join;
        const auto missing = [&](EventId source) {
          return source != kInitial && source.thread() != t &&
                 at[source.thread()] <= source.index();
        };
        bool waits = depends && missing(e.from);
        for (unsigned k = 1; e.kind == Kind::read && k <= e.more; ++k) {
          waits = waits || missing(g.source(event_id(t, at[t]), e.location + k));
        }
        if (waits) break;
        steps.push_back(event_id(t, at[t]).raw);
        moved = true;
      }
    }
  }
}

void add_source(Text& text, EventId from) {
  if (from == kInitial) {
    text.add(",\"rf\":\"init\"");
  } else {
    text.add(",\"rf\":[%u,%u]", from.thread(), from.index());
  }
}

// Of an access of bytes that are accessed in other sizes too: piece by piece.
void add_pieces(Text& text, Graph& g, EventId id) {
  const Event& e = g.at(id);
  if (e.size > 8) text.add(",\"high\":%lu", static_cast<unsigned long>(g.parts(id).value_high));
  text.add(",\"pieces\":[");
  for (unsigned k = 0; k <= e.more; ++k) {
    const Object& o = runtime.object(e.location + k);
    const EventId w = e.kind == Kind::read ? g.source(id, e.location + k) : id;
    text.add("%s{\"loc\":%lu,\"size\":%u,\"val\":%lu", k == 0 ? "" : ",",
             static_cast<unsigned long>(o.address), o.size,
             static_cast<unsigned long>(g.value_of(e.location + k, w)));
    if (e.kind == Kind::read) add_source(text, w);
    text.add("}");
  }
  text.add("]");
}

void add_graph(Text& text, Graph& g) {
  linearize(g);
  text.add("\"events\":[");
  for (std::uint32_t s = 0; s < steps.size(); ++s) {
    const EventId id{steps[s]};
    const Event& e = g.at(id);
    text.add("%s{\"t\":%u,\"i\":%u,\"k\":\"%s\",\"step\":%u,\"pc\":%lu", s == 0 ? "" : ",",
             id.thread(), id.index(), name(e.kind), s, static_cast<unsigned long>(e.pc));
    if (e.what != What::none) text.add(",\"what\":\"%s\"", name(e));
    if (e.kind == Kind::fence) text.add(",\"order\":\"%s\"", name(e.order));
    if (e.kind == Kind::create || e.kind == Kind::join) {
      text.add(",\"%s\":%lu", e.what == What::barrier_arrive ? "loc" : "thread",
               static_cast<unsigned long>(e.operand));
    }
    if (e.kind == Kind::join && e.what != What::none && e.from != kInitial) {
      text.add(",\"rf\":[%u,%u]", e.from.thread(), e.from.index());
    }
    if (e.kind == Kind::choice) {
      text.add(",\"val\":%lu,\"options\":%lu", static_cast<unsigned long>(e.value),
               static_cast<unsigned long>(e.operand));
    }
    if (e.kind == Kind::read || e.kind == Kind::write) {
      const Object& o = runtime.object(e.location);
      const bool rmw = e.kind == Kind::write ? (e.flags & kRmw) != 0 : succeeds(e);
      text.add(",\"rmw\":%s,\"order\":\"%s\",\"loc\":%lu,\"object\":\"%s\",\"size\":%u,\"val\":%lu",
               rmw ? "true" : "false", name(e.order), static_cast<unsigned long>(o.address),
               name(o.kind), e.size, static_cast<unsigned long>(e.value));
    }
    if (e.kind == Kind::read) {
      add_source(text, e.from);
    }
    const bool access = e.kind == Kind::read || e.kind == Kind::write;
    if (access && runtime.is_cut(e.location)) add_pieces(text, g, id);
    text.add("}");
  }
  text.add("],\"mo\":[");
  bool first = true;
  for (LocationId l : g.active()) {
    const Object& o = runtime.object(l);
    text.add("%s{\"loc\":%lu,\"object\":\"%s\",\"size\":%u,\"order\":[", first ? "" : ",",
             static_cast<unsigned long>(o.address), name(o.kind), o.size);
    first = false;
    Location& location = g.location(l);
    for (std::uint32_t k = 0; k < location.writes.size(); ++k) {
      text.add("%s[%u,%u]", k == 0 ? "" : ",", location.writes[k].thread(),
               location.writes[k].index());
    }
    text.add("]}");
  }
  text.add("]");
}

const char* why(const Thread& t) {
  switch (t.block) {
    case Block::none:
      return "";
    case Block::join:
      return "waits for a thread to end";
    case Block::futex:
      return "sleeps on a futex";
    case Block::condition:
      return "sleeps on a condition variable";
    case Block::mutex:
      return "waits for a mutex";
    case Block::spin_lock:
      return "waits for a spin lock";
    case Block::read_lock:
      return "waits for a read-write lock, to read";
    case Block::write_lock:
      return "waits for a read-write lock, to write";
    case Block::semaphore:
      return "waits for a semaphore";
    case Block::barrier:
      return "waits at a barrier";
    case Block::spin:
      return "spins";
    case Block::violation:
      return "has been stopped";
  }
  return "";
}

// The names of the orders in a set of them.
void add_orders(Text& text, std::uint8_t orders) {
  text.add("[");
  bool first = true;
  for (unsigned o = 0; o < 8; ++o) {
    if ((orders >> o & 1) == 0) continue;
    text.add("%s\"%s\"", first ? "" : ",", name(static_cast<Order>(o)));
    first = false;
  }
  text.add("]");
}

void add_sites(Text& text) {
  text.add(",\"sites\":[");
  bool first = true;
  for (const CallSite& site : call_sites.table()) {
    if (!site.called) continue;
    Event e{};
    e.kind = Kind::write;
    e.what = site.what;
    text.add("%s{\"pc\":%lu,\"what\":\"%s\",\"size\":%u,\"orders\":", first ? "" : ",",
             static_cast<unsigned long>(site.pc), name(e), site.size);
    add_orders(text, site.asked);
    text.add(",\"failure\":");
    add_orders(text, site.asked_for_failure);
    text.add("}");
    first = false;
  }
  text.add("]");
}

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

void add_counts(Text& text, const Totals& totals) {
  text.add("\"executions\":%lu,\"blocked\":%lu,\"seconds\":%.6f",
           static_cast<unsigned long>(totals.executions),
           static_cast<unsigned long>(totals.blocked), totals.seconds + runtime.seconds());
}

double cpu_seconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

void send_result(const char* verdict, const char* reason, std::uint64_t place) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"result\",\"model\":\"%s\",\"verdict\":\"%s\",", runtime.options.model->name,
           verdict);
  add_counts(text, runtime.totals);
  if (reason != nullptr) {
    text.add(",\"reason\":");
    text.add_quoted(reason);
    text.add(",\"place\":%lu", static_cast<unsigned long>(place));
  }
  text.add(",\"violations\":%lu,\"violation\":",
           static_cast<unsigned long>(runtime.totals.violations));
  if (kept.empty()) {
    text.add("null");
  } else {
    text.append(kept);
  }
  text.add(",\"assumptions\":[");
  text.add_quoted(runtime.options.model->assumption);
  const auto assume = [&](bool holds, const char* what) {
    if (!holds) return;
    text.add(",");
    text.add_quoted(what);
  };
  assume(true, "data races are judged by C++ happens-before under every model");
  assume(true,
         "the compiler flags used here; code that is not instrumented (libraries) has no races");
  assume(true, "a futex word's waits and wakes are totally ordered and synchronise in that order");
  assume(true, "what comes after main returns (static destructors, atexit) is not executed");
  assume(true,
         "fairness: a thread that can go on does so in time, and what is written is seen in time");
  const auto assume_of = [&](std::uint64_t threads, const char* what) {
    if (threads == 0) return;
    text.add(",\"");
    add_threads(text, threads);
    text.add(" %s\"", what);
  };
  assume_of(runtime.totals.daemons, "may wait for ever (daemons), and in some execution does");
  assume_of(runtime.totals.left_waiting, "may still wait when exit is called: they end with it");
  assume(true, "repeated states of spin loops are recognised by a 64-bit hash");
  assume(runtime.totals.process_shared != 0,
         "what is to be shared among processes (PTHREAD_PROCESS_SHARED) is this process's alone");
  assume(
      runtime.totals.heavy_fences != 0,
      "a heavy fence (membarrier) is P1202's: a seq_cst fence, and as seen by it each light fence "
      "of another thread is one too");
  assume(runtime.options.no_membarrier, "the kernel has no membarrier (--no-membarrier)");
  assume(!runtime.options.timeouts, "timed waits do not time out (see --timeouts)");
  assume(runtime.options.timeouts, "each thread times out at most once");
  assume(!runtime.options.spurious, "waits return only when woken (see --spurious)");
  assume(runtime.options.spurious, "each thread wakes spuriously at most once");
  assume(!runtime.options.weak_cas, "compare_exchange_weak fails only on a different value");
  assume(runtime.totals.library_trusted != 0,
         "the C++ library's own waiting does what the standard says (see --library-as-written)");
  text.add("]");
  if (call_sites.writing()) add_sites(text);
  rusage own{};
  rusage workers{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &workers);
  const Totals& totals = runtime.totals;
  text.add(
      ",\"stats\":{\"replays\":%lu,\"revisits\":%lu,\"max_events\":%u,\"peak_rss_kb\":%ld,"
      "\"cpu_seconds\":%.6f}}",
      static_cast<unsigned long>(totals.replays),
      static_cast<unsigned long>(totals.revisits + runtime.explorer.revisits()), totals.most_events,
      std::max(own.ru_maxrss, workers.ru_maxrss), cpu_seconds(own) + cpu_seconds(workers));
  text.send();
}

// Ends the process: there is a violation, or no verdict for this reason, or it holds.
[[noreturn]] void end(const char* reason, std::uint64_t pc) {
  if (worker::here()) worker::leave(reason, pc);
  const bool violated = !kept.empty();
  const char* verdict = violated ? "violated" : reason != nullptr ? "inconclusive" : "holds";
  send_result(verdict, reason, pc);
  if (reason == nullptr) checkpoint::remove();
  leave(violated ? 1 : reason != nullptr ? 2 : 0);
}

}  // namespace

void progress(const Totals& so_far) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"progress\",");
  add_counts(text, so_far);
  const auto seen = static_cast<double>(so_far.executions);
  const auto probes = static_cast<double>(so_far.probes);
  const double mean = probes == 0 ? 0 : so_far.probed_executions / probes;
  if (mean > seen) {
    text.add(",\"estimate\":%.0f}", mean);
  } else {
    text.add(",\"estimate\":null}");  // the probes have missed where most executions lie
  }
  text.send();
}

void execution(Ended how) {
  Text& text = out;
  text.clear();
  text.add("{\"type\":\"execution\",\"blocked\":%s,", how == Ended::blocked ? "true" : "false");
  add_graph(text, runtime.graph());
  text.add("}");
  text.send();
}

bool keep_violation() {
  Graph& g = runtime.graph();
  const Violation& v = runtime.violation;
  if (!kept.empty() && kept_events <= g.event_count()) return false;
  kept_events = g.event_count();
  kept_is_news = true;
  Text& text = kept;
  text.clear();
  text.add("{\"kind\":\"%s\",\"message\":", v.kind);
  text.add_quoted(v.message);
  text.add(",\"thread\":%u,\"pc\":%lu,", v.thread, static_cast<unsigned long>(v.pc));
  add_graph(text, g);
  if (v.other != nullptr) {
    text.add(",\"other\":{\"t\":%u,\"i\":%u,\"what\":\"%s\",\"loc\":%lu,\"pc\":%lu}",
             v.other_before.thread(), v.other_before.index(), v.other,
             static_cast<unsigned long>(v.address), static_cast<unsigned long>(v.other_pc));
  }
  text.add(",\"highlight\":[");
  for (unsigned i = 0; i < v.highlights; ++i) {
    text.add("%s[%u,%u]", i == 0 ? "" : ",", v.highlight[i].thread(), v.highlight[i].index());
  }
  text.add("],\"threads\":[");
  for (unsigned i = 0; i < runtime.thread_count(); ++i) {
    const Thread& t = runtime.thread(i);
    const char* state = t.state == ThreadState::finished  ? "finished"
                        : t.state == ThreadState::blocked ? "blocked"
                                                          : "running";
    text.add("%s{\"id\":%u,\"state\":\"%s\",\"why\":\"%s\",\"object\":%lu,\"pc\":%lu}",
             i == 0 ? "" : ",", i, state, t.state == ThreadState::blocked ? why(t) : "",
             static_cast<unsigned long>(t.state == ThreadState::blocked ? t.block_object : 0),
             static_cast<unsigned long>(t.block_pc));
  }
  text.add("]}");
  return true;
}

void drop_violation() {
  kept.clear();
  kept_is_news = false;
}

bool take_news(Bytes* news) {
  if (!kept_is_news) return false;
  kept_is_news = false;
  put(news, kept_events);
  put_bytes(news, kept.bytes().data(), kept.bytes().size());
  return true;
}

void forget() { kept_is_news = false; }

void begin_anew() {
  drop_violation();
  if (!runtime.options.dump) return;
  out.add("{\"type\":\"begins-anew\"}");
  out.send();
}

void adopt(BytesIn* in) {
  const auto events = in->take<std::uint32_t>();
  if (in->left() == 0 || (!kept.empty() && kept_events <= events)) return;
  kept_events = events;
  const std::size_t size = in->left();
  kept.clear();
  put_bytes(&kept.bytes(), in->skip(size), size);
}

void put_kept(Bytes* to) {
  put(to, static_cast<std::uint32_t>(sizeof kept_events + kept.bytes().size()));
  put(to, kept_events);
  put_bytes(to, kept.bytes().data(), kept.bytes().size());
}

// Ends the process if the reader has gone or the disk is full: there is nobody left to tell.
void relay(const Bytes& line) {
  for (std::uint32_t done = 0; done < line.size();) {
    const long n =
        kernel::call(SYS_write, runtime.options.fd, reinterpret_cast<long>(line.data() + done),
                     static_cast<long>(line.size() - done));
    if (n == -EINTR) continue;
    if (n <= 0) {
      constexpr char message[] = "fencepost check: the result cannot be written\n";
      kernel::call(SYS_write, 2, reinterpret_cast<long>(message), sizeof message - 1);
      leave(2);
    }
    done += static_cast<std::uint32_t>(n);
  }
}

void finish() {
  if (runtime.inconclusive == nullptr && runtime.totals.wanted_store != 0 &&
      runtime.totals.cut_store != 0) {
    runtime.inconclusive =
        "a loop repeats a seq_cst read-modify-write that changes nothing, and under this model one "
        "more of those might permit an execution that was discarded";
  }
  end(runtime.inconclusive, runtime.inconclusive_pc);
}

void inconclusive_now(const char* reason, std::uint64_t pc) { end(reason, pc); }

}  // namespace fencepost::checker::report
