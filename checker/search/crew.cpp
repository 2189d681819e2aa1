// SPDX-License-Identifier: MIT
#include "search/crew.hpp"

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

#include "execution/runtime.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kMostDeaths = 3;             // of workers over one parcel
constexpr double kGrace = 3;                    // seconds that a worker has to stop
constexpr long kNanosecondsAtMost = 100000000;  // between two looks at the clock
constexpr long kNanosecondsRefused = 1000000;

FENCEPOST_CHECKER_STATE char reason[256];

long wait_for(long pid, int* status, long options) {
  long got;
  do {
    got = kernel::call(SYS_wait4, pid, reinterpret_cast<long>(status), options, 0);
  } while (got == -EINTR);
  return got;
}

}  // namespace

Crew::Parcel* Crew::fresh_parcel() {
  if (spare_.empty()) return new (storage_take(sizeof(Parcel))) Parcel;
  Parcel* p = spare_.back();
  spare_.pop_back();
  p->bytes.clear();
  p->deaths = 0;
  return p;
}

void Crew::spare(Parcel* parcel) {
  if (parcel != nullptr) spare_.push_back(parcel);
}

void Crew::hire(unsigned number) {
  Member& m = members_[number];
  int ends[2];
  const long made = kernel::call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                                 reinterpret_cast<long>(ends));
  const long own_pid = kernel::call(SYS_getpid);
  const long pid = made < 0 ? made : kernel::call(SYS_clone, SIGCHLD);
  if (pid == 0) {
    kernel::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (kernel::call(SYS_getppid) != own_pid) kernel::call(SYS_exit_group, 0);
    kernel::call(SYS_close, ends[0]);
    for (const Member& other : members_) {
      if (other.fd >= 0) kernel::call(SYS_close, other.fd);
    }
    runtime.prepare_worker();
    worker::work(ends[1], m.slot, number);
  }
  if (made >= 0) kernel::call(SYS_close, ends[1]);
  if (pid < 0) {
    if (made >= 0) kernel::call(SYS_close, ends[0]);
    return;  // as long as there is another one, that will do
  }
  m.pid = pid;
  m.fd = ends[0];
  m.busy = false;
  m.asked = false;
}

void Crew::hand_out() {
  for (Member& m : members_) {
    if (queue_.empty()) return;
    if (m.fd < 0 || m.busy) continue;
    m.parcel = queue_.back();
    queue_.pop_back();
    m.slot->request.store(Request::none, std::memory_order_relaxed);
    m.asked = false;
    m.busy = true;
    // If it has died, we shall hear of that.
    Line(m.fd).send(Message::parcel, m.parcel->bytes);
  }
}

void Crew::ask_to_share() {
  if (elsewhere_) return;
  bool idle = false;
  for (const Member& m : members_) {
    if (m.asked) return;
    idle = idle || (m.fd >= 0 && !m.busy);
  }
  if (!idle) return;
  for (unsigned k = 0; k < members_.size(); ++k) {
    Member& m = members_[next_to_ask_];
    next_to_ask_ = (next_to_ask_ + 1) % members_.size();
    if (!m.busy) continue;
    m.asked = true;
    m.slot->request.store(Request::share, std::memory_order_relaxed);
    return;
  }
}

// Counts come with what is left to be done once they are counted.
void Crew::take_counts(Member& member, BytesIn* in) {
  runtime.totals.add(in->take<Totals>());
  member.slot->executions.store(0, std::memory_order_relaxed);
  member.slot->blocked.store(0, std::memory_order_relaxed);
  member.parcel->bytes.clear();
  member.parcel->deaths = 0;
}

// Says false if there is nobody at the other end any more.
bool Crew::hear_one(Member& m) {
  Message kind;
  if (!Line(m.fd).receive(&kind, &message_)) return false;
  BytesIn in(message_.data(), message_.size());
  switch (kind) {
    case Message::parcel:
      break;
    case Message::output:
      runtime.listener->relay(message_);
      break;
    case Message::violation:
      runtime.listener->adopt(&in);
      if (!runtime.options.all) stop();
      break;
    case Message::refusal: {
      runtime.inconclusive_pc = in.take<std::uint64_t>();
      std::snprintf(reason, sizeof reason, "%s", in.skip(in.left()));
      runtime.inconclusive = reason;
      stop();
      break;
    }
    case Message::committed: {
      take_counts(m, &in);
      m.asked = false;
      const bool goes_on = in.take<Request>() == Request::share;
      const auto given = in.take<std::uint32_t>();
      refused_ = given == 0;
      if (given != 0) {
        Parcel* p = fresh_parcel();
        put_bytes(&p->bytes, in.skip(given), given);
        queue_.push_back(p);
      }
      put_bytes(&m.parcel->bytes, in.skip(0), in.left());
      if (goes_on) break;
      m.busy = false;
      queue_.push_back(m.parcel);
      m.parcel = nullptr;
      break;
    }
    case Message::nobody:
      std::snprintf(reason, sizeof reason, "%s", in.skip(in.left()));
      runtime.inconclusive = reason;
      runtime.can_go_on = true;
      stop();
      return false;
    case Message::idle:
    case Message::over:
      take_counts(m, &in);
      spare(m.parcel);
      m.parcel = nullptr;
      m.busy = m.asked = false;
      break;
  }
  return true;
}

void Crew::hear(Member& m) {
  // What comes from another computer comes as a whole.
  bool there;
  do {
    there = hear_one(m);
  } while (there && elsewhere_ && m.busy);
  if (!there) bury(m);
}

// What it had to do is still to be done.
void Crew::lose(Member& m) {
  kernel::call(SYS_close, m.fd);
  m.fd = -1;
  if (!m.busy) return;
  m.busy = m.asked = false;
  queue_.push_back(m.parcel);
  m.parcel = nullptr;
}

// A worker has died. What it had to do is done again by another.
void Crew::bury(Member& m) {
  Parcel* const parcel = m.parcel;
  const bool busy = m.busy;
  lose(m);
  if (elsewhere_) return;
  int status = 0;
  wait_for(m.pid, &status, 0);
  if (busy && ++parcel->deaths >= kMostDeaths && !stopping_) {
    std::snprintf(reason, sizeof reason,
                  "%u processes died, one after another, over the same part of the search "
                  "(signal %d): is there too little memory for so many jobs?",
                  kMostDeaths, WTERMSIG(status));
    runtime.inconclusive = reason;
    runtime.can_go_on = true;
    stop();
  }
  if (!stopping_) hire(static_cast<unsigned>(&m - members_.data()));
}

void Crew::stop() {
  if (stopping_) return;
  stopping_ = true;
  stopping_since_ = kernel::seconds();
  for (Member& m : members_) {
    if (m.busy) m.slot->request.store(Request::stop, std::memory_order_relaxed);
  }
}

void Crew::wait_for_news() {
  pollfd news[kMostJobs];
  unsigned n = 0;
  for (const Member& m : members_) {
    if (m.fd >= 0) news[n++] = {m.fd, POLLIN, 0};
  }
  timespec patience{0, refused_ && !stopping_ ? kNanosecondsRefused : kNanosecondsAtMost};
  const long heard = kernel::call(SYS_ppoll, reinterpret_cast<long>(news), n,
                                  reinterpret_cast<long>(&patience), 0, 8);
  refused_ = false;
  if (heard <= 0) return;
  for (unsigned k = 0; k < n; ++k) {
    if (news[k].revents == 0) continue;
    for (Member& m : members_) {
      if (m.fd == news[k].fd) {
        hear(m);
        break;
      }
    }
  }
}

Totals Crew::so_far() const {
  Totals sum = runtime.totals;
  for (const Member& m : members_) {
    if (!m.busy) continue;
    sum.executions += m.slot->executions.load(std::memory_order_relaxed);
    sum.blocked += m.slot->blocked.load(std::memory_order_relaxed);
    sum.probes += m.slot->probes.load(std::memory_order_relaxed);
    sum.probed_executions += m.slot->probed_executions.load(std::memory_order_relaxed);
  }
  return sum;
}

// Their resource usage is known once they have been waited for.
void Crew::dismiss() {
  for (Member& m : members_) {
    if (m.fd < 0) continue;
    kernel::call(SYS_close, m.fd);
    int status;
    if (!elsewhere_) wait_for(m.pid, &status, 0);
    m.fd = -1;
  }
}

void Crew::hire_all() {
  Array<int> lines;
  for (const char* at = runtime.options.lines;
       at != nullptr && *at != '\0' && lines.size() < kMostJobs;) {
    char* end;
    lines.push_back(static_cast<int>(std::strtol(at, &end, 10)));
    if (end == at) break;
    at = end;
  }
  elsewhere_ = !lines.empty();
  const unsigned size = elsewhere_ ? lines.size() : runtime.options.jobs;
  auto* slots = static_cast<Slot*>(mmap(nullptr, size * sizeof(Slot), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (slots == MAP_FAILED) return;
  for (unsigned k = 0; k < size; ++k) {
    const int fd = elsewhere_ ? lines[k] : -1;
    members_.push_back({0, fd, new (slots + k) Slot{}, false, false, nullptr});
  }
  for (unsigned k = 0; k < size && !elsewhere_; ++k) hire(k);
}

// There is no time to finish what is being done, and it need not be.
void Crew::hurry() {
  const bool late = kernel::seconds() > stopping_since_ + kGrace;
  for (Member& m : members_) {
    if (!m.busy) continue;
    if (elsewhere_) {
      lose(m);
    } else if (late) {
      // A thread of the program may run on and on; what it had done since its last count is lost.
      kernel::call(SYS_kill, m.pid, SIGKILL);
    }
  }
}

void Crew::run() {
  Explorer& explorer = runtime.explorer;
  Parcel* all = fresh_parcel();
  runtime.write_alternatives(&all->bytes, explorer.alternatives());
  explorer.give_up(explorer.alternatives());
  queue_.push_back(all);

  hire_all();
  for (;;) {
    unsigned alive = 0;
    unsigned busy = 0;
    if (!stopping_) hand_out();
    for (const Member& m : members_) {
      alive += m.fd >= 0 ? 1 : 0;
      busy += m.busy ? 1 : 0;
    }
    if (busy == 0 && (stopping_ || queue_.empty())) break;
    if (alive == 0) {
      runtime.inconclusive = elsewhere_
                                 ? "nobody is left who explores"
                                 : "no process can be started to explore with (too little memory?)";
      runtime.can_go_on = true;
      break;
    }
    if (!stopping_ && queue_.empty() && !refused_) ask_to_share();
    wait_for_news();
    if (stopping_) {
      hurry();
    } else if (runtime.limit_is_met(so_far(), true)) {
      stop();
    } else if (runtime.progress_is_due()) {
      runtime.listener->progress(so_far());
    }
  }
  dismiss();

  for (Parcel* p : queue_) {
    BytesIn in(p->bytes.data(), p->bytes.size());
    runtime.read_alternatives(&in);
  }
}

}  // namespace fencepost::checker
