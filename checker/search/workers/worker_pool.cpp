// SPDX-License-Identifier: MIT
#include "search/workers/worker_pool.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/alternatives.hpp"
#include "search/search.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kMostDeaths = 3;             // of workers over one work item
constexpr double kGrace = 3;                    // seconds that a worker has to stop
constexpr long kNanosecondsAtMost = 100000000;  // between two looks at the clock
constexpr long kNanosecondsRefused = 1000000;
constexpr char kLimitReached[] = "the limit on executions was reached";

FENCEPOST_CHECKER_STATE char reason[256];

long wait_for(long pid, int* status, long options) {
  long got;
  do {
    got = kernel::call(SYS_wait4, pid, reinterpret_cast<long>(status), options, 0);
  } while (got == -EINTR);
  return got;
}

}  // namespace

WorkerPool::WorkItem* WorkerPool::new_item() {
  if (recycled_.empty()) return new (storage_take(sizeof(WorkItem))) WorkItem;
  WorkItem* p = recycled_.back();
  recycled_.pop_back();
  p->bytes.clear();
  p->deaths = 0;
  return p;
}

void WorkerPool::recycle(WorkItem* item) {
  if (item != nullptr) recycled_.push_back(item);
}

void WorkerPool::spawn(unsigned number) {
  Worker& w = workers_[number];
  int ends[2];
  const long made = kernel::call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                                 reinterpret_cast<long>(ends));
  const long own_pid = kernel::call(SYS_getpid);
  const long pid = made < 0 ? made : kernel::call(SYS_clone, SIGCHLD);
  if (pid == 0) {
    kernel::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (kernel::call(SYS_getppid) != own_pid) kernel::call(SYS_exit_group, 0);
    kernel::call(SYS_close, ends[0]);
    for (const Worker& other : workers_) {
      if (other.fd >= 0) kernel::call(SYS_close, other.fd);
    }
    search.prepare_worker();
    worker::work(ends[1], w.slot, allowance_, number);
  }
  if (made >= 0) kernel::call(SYS_close, ends[1]);
  if (pid < 0) {
    if (made >= 0) kernel::call(SYS_close, ends[0]);
    return;  // as long as there is another one, that will do
  }
  w.pid = pid;
  w.fd = ends[0];
  w.busy = false;
  w.asked = false;
}

void WorkerPool::hand_out() {
  if (stopping_ || is_used_up()) return;
  for (Worker& w : workers_) {
    if (queue_.empty()) return;
    if (w.fd < 0 || w.busy) continue;
    w.item = queue_.back();
    queue_.pop_back();
    w.slot->request.store(Request::none, std::memory_order_relaxed);
    w.asked = false;
    w.busy = true;
    // If it has died, we shall hear of that.
    Channel(w.fd).send(Message::work_item, w.item->bytes);
  }
}

void WorkerPool::ask_to_share() {
  if (elsewhere_) return;
  bool idle = false;
  for (const Worker& w : workers_) {
    if (w.asked) return;
    idle = idle || (w.fd >= 0 && !w.busy);
  }
  if (!idle) return;
  for (unsigned k = 0; k < workers_.size(); ++k) {
    Worker& w = workers_[next_to_ask_];
    next_to_ask_ = (next_to_ask_ + 1) % workers_.size();
    if (!w.busy) continue;
    w.asked = true;
    w.slot->request.store(Request::share, std::memory_order_relaxed);
    return;
  }
}

// Counts come with what is left to be done once they are counted.
void WorkerPool::take_counts(Worker& worker, BytesIn* in) {
  execution.counters.add(in->take<Counters>());
  worker.slot->executions.store(0, std::memory_order_relaxed);
  worker.slot->blocked.store(0, std::memory_order_relaxed);
  worker.item->bytes.clear();
  worker.item->deaths = 0;
}

// Says false if there is nobody at the other end any more.
bool WorkerPool::receive_one(Worker& w) {
  Message kind;
  if (!Channel(w.fd).receive(&kind, &message_)) return false;
  BytesIn in(message_.data(), message_.size());
  switch (kind) {
    case Message::work_item:
      break;
    case Message::output:
      execution.listener->relay(message_);
      break;
    case Message::violation:
      execution.listener->adopt(&in);
      if (!execution.options.all) stop();
      break;
    case Message::refusal: {
      execution.inconclusive_pc = in.take<std::uint64_t>();
      std::snprintf(reason, sizeof reason, "%s", in.skip(in.left()));
      execution.inconclusive = reason;
      stop();
      break;
    }
    case Message::committed: {
      take_counts(w, &in);
      w.asked = false;
      const bool goes_on = in.take<Request>() == Request::share;
      const auto given = in.take<std::uint32_t>();
      refused_ = given == 0;
      if (given != 0) {
        WorkItem* p = new_item();
        put_bytes(&p->bytes, in.skip(given), given);
        queue_.push_back(p);
      }
      put_bytes(&w.item->bytes, in.skip(0), in.left());
      if (goes_on) break;
      w.busy = false;
      queue_.push_back(w.item);
      w.item = nullptr;
      // From another computer that is how a part ends, and here the allowance.
      break;
    }
    case Message::nobody:
      std::snprintf(reason, sizeof reason, "%s", in.skip(in.left()));
      execution.stop_for_now(reason);
      stop();
      return false;
    case Message::idle:
    case Message::over:
      take_counts(w, &in);
      recycle(w.item);
      w.item = nullptr;
      w.busy = w.asked = false;
      break;
  }
  return true;
}

void WorkerPool::receive(Worker& w) {
  // What comes from another computer comes as a whole.
  bool there;
  do {
    there = receive_one(w);
  } while (there && elsewhere_ && w.busy);
  if (!there) reap(w);
}

// What it had to do is still to be done.
void WorkerPool::abandon(Worker& w) {
  kernel::call(SYS_close, w.fd);
  w.fd = -1;
  if (!w.busy) return;
  w.busy = w.asked = false;
  queue_.push_back(w.item);
  w.item = nullptr;
}

// A worker has died. What it had to do is done again by another.
void WorkerPool::reap(Worker& w) {
  WorkItem* const item = w.item;
  const bool busy = w.busy;
  abandon(w);
  if (elsewhere_) return;
  int status = 0;
  wait_for(w.pid, &status, 0);
  if (busy && ++item->deaths >= kMostDeaths && !stopping_) {
    std::snprintf(reason, sizeof reason,
                  "%u processes died, one after another, over the same part of the search "
                  "(signal %d): is there too little memory for so many jobs?",
                  kMostDeaths, WTERMSIG(status));
    execution.stop_for_now(reason);
    stop();
  }
  // What it had seen is seen again.
  if (allowance_ != nullptr) {
    *allowance_ += static_cast<std::int64_t>(w.slot->executions + w.slot->blocked);
  }
  if (!stopping_) spawn(static_cast<unsigned>(&w - workers_.data()));
}

void WorkerPool::stop() {
  if (stopping_) return;
  stopping_ = true;
  stopping_since_ = kernel::seconds();
  for (Worker& w : workers_) {
    if (w.busy) w.slot->request.store(Request::stop, std::memory_order_relaxed);
  }
}

void WorkerPool::wait_for_messages() {
  pollfd news[kMostJobs];
  unsigned n = 0;
  for (const Worker& w : workers_) {
    if (w.fd >= 0) news[n++] = {w.fd, POLLIN, 0};
  }
  timespec patience{0, refused_ && !stopping_ ? kNanosecondsRefused : kNanosecondsAtMost};
  const long heard = kernel::call(SYS_ppoll, reinterpret_cast<long>(news), n,
                                  reinterpret_cast<long>(&patience), 0, 8);
  refused_ = false;
  if (heard <= 0) return;
  for (unsigned k = 0; k < n; ++k) {
    if (news[k].revents == 0) continue;
    for (Worker& w : workers_) {
      if (w.fd == news[k].fd) {
        receive(w);
        break;
      }
    }
  }
}

Counters WorkerPool::so_far() const {
  Counters sum = execution.counters;
  for (const Worker& w : workers_) {
    if (!w.busy) continue;
    sum.executions += w.slot->executions.load(std::memory_order_relaxed);
    sum.blocked += w.slot->blocked.load(std::memory_order_relaxed);
    sum.probes += w.slot->probes.load(std::memory_order_relaxed);
    sum.probed_executions += w.slot->probed_executions.load(std::memory_order_relaxed);
  }
  return sum;
}

// Their resource usage is known once they have been waited for.
void WorkerPool::join() {
  for (Worker& w : workers_) {
    if (w.fd < 0) continue;
    kernel::call(SYS_close, w.fd);
    int status;
    if (!elsewhere_) wait_for(w.pid, &status, 0);
    w.fd = -1;
  }
}

void WorkerPool::spawn_all() {
  Array<int> channels;
  for (const char* at = execution.options.channels;
       at != nullptr && *at != '\0' && channels.size() < kMostJobs;) {
    char* end;
    channels.push_back(static_cast<int>(std::strtol(at, &end, 10)));
    if (end == at) break;
    at = end;
  }
  elsewhere_ = !channels.empty();
  const unsigned size = elsewhere_ ? channels.size() : execution.options.jobs;
  const std::size_t shared_size = size * sizeof(Slot) + sizeof(Allowance);
  void* const shared =
      mmap(nullptr, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  auto* const slots = static_cast<Slot*>(shared);
  if (!elsewhere_ && execution.options.max_executions != 0) {
    allowance_ = new (slots + size) Allowance(static_cast<std::int64_t>(search.executions_left()));
  }
  for (unsigned k = 0; k < size; ++k) {
    const int fd = elsewhere_ ? channels[k] : -1;
    workers_.push_back({0, fd, new (slots + k) Slot{}, false, false, nullptr});
  }
  for (unsigned k = 0; k < size && !elsewhere_; ++k) spawn(k);
}

// There is no time to finish what is being done, and it need not be.
void WorkerPool::cancel() {
  const bool late = kernel::seconds() > stopping_since_ + kGrace;
  for (Worker& w : workers_) {
    if (!w.busy) continue;
    if (elsewhere_) {
      abandon(w);
    } else if (late) {
      // A thread of the program may run on and on; what it had done since its last count is lost.
      kernel::call(SYS_kill, w.pid, SIGKILL);
    }
  }
}

// While somebody is at an execution, it may turn out not to count.
bool WorkerPool::is_used_up() const { return allowance_ != nullptr && *allowance_ <= 0; }

// Those elsewhere know of no limit: it is looked for whenever one of them has answered.
bool WorkerPool::is_enough() const {
  if (!elsewhere_ || execution.options.max_executions == 0 || search.executions_left() != 0) {
    return false;
  }
  bool is_left = !queue_.empty();
  for (const Worker& w : workers_) is_left = is_left || w.busy;
  if (is_left) execution.stop_for_now(kLimitReached);
  return is_left;
}

void WorkerPool::run() {
  Explorer& explorer = execution.explorer;
  WorkItem* all = new_item();
  write_alternatives(&all->bytes, explorer.alternatives());
  explorer.give_up(explorer.alternatives());
  queue_.push_back(all);

  spawn_all();
  for (;;) {
    unsigned alive = 0;
    unsigned busy = 0;
    hand_out();
    for (const Worker& w : workers_) {
      alive += w.fd >= 0 ? 1 : 0;
      busy += w.busy ? 1 : 0;
    }
    if (busy == 0 && (stopping_ || queue_.empty())) break;
    if (busy == 0 && is_used_up()) {
      execution.stop_for_now(kLimitReached);
      break;
    }
    if (alive == 0) {
      execution.stop_for_now(
          elsewhere_ ? "nobody is left who explores"
                     : "no process can be started to explore with (too little memory?)");
      break;
    }
    if (!stopping_ && queue_.empty() && !refused_) ask_to_share();
    wait_for_messages();
    if (stopping_) {
      cancel();
    } else if (search.must_stop(true) || is_enough()) {
      stop();
    } else if (search.progress_is_due()) {
      execution.listener->progress(so_far());
    }
  }
  join();

  for (WorkItem* p : queue_) {
    BytesIn in(p->bytes.data(), p->bytes.size());
    read_alternatives(&in);
  }
}

}  // namespace fencepost::checker
