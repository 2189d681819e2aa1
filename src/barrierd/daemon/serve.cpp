// SPDX-License-Identifier: MIT
//
// As a service the process holds the links: the clock ends with it, however it ends. When it is
// killed, nothing is left in the kernel but a map that nobody writes to, which every reader takes
// for dead, and the next start replaces. While it runs it sleeps, but when there are waiters to
// wake; every few seconds it looks whether its clock is alive, and ends with an error if not, so
// that whoever supervises it starts it anew.
#include "daemon/serve.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "daemon/privileges.hpp"
#include "daemon/processor_visit.hpp"
#include "daemon/waker.hpp"
#include "failure.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "kernel/attached_clock.hpp"
#include "kernel/messages.hpp"

namespace barrierd {
namespace {

constexpr int look_every = 5000;  // milliseconds

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;

/// What systemd is told, if it asked for it (man 3 sd_notify).
void tell_supervisor(const char* state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  // A supervisor that does not listen is not waited for: that would hold up waiters, and SIGTERM.
  const timeval longest{1, 0};
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest));
  static_cast<void>(::sendto(socket, state, std::strlen(state), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address),
                             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length)));
  ::close(socket);
}

/// The clock as its readers see it, once it has begun to beat.
const interrupt_clock& beating(const folder& at) {
  auto trouble = interrupt_clock_trouble::none;
  const interrupt_clock* const clock = interrupt_clock::open(at.clock().c_str(), trouble);
  if (clock == nullptr) {
    throw failure("the clock cannot be read after it was pinned: " +
                  std::string(to_string(trouble)));
  }
  return *clock;
}

/// Puts a clock into the folder's place; the folder must be locked.
void begin(attached_clock& clock, folder& at, bool links) {
  visit_processors();
  clock.pin(at, links);
  at.keep();
}

void refuse_another(folder& at) {
  if (at.lock()) return;
  throw failure("another fencepost-barrierd runs at this directory; end it with --stop first");
}

/// Blocks what ends a service, and is readable once it has come.
int blocked_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before {};
    // Who is started by nohup goes on.
    const bool is_ignored = ::sigaction(one, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (one != SIGHUP || !is_ignored) ::sigaddset(&set, one);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0) throw failure_of("signalfd", errno);
  return signals;
}

/// Wakes waiters until a signal comes, which ends the service, or the clock has died.
void keep(const interrupt_clock& clock, waker& waiters, int signals) {
  std::array<pollfd, 2> both{{{signals, POLLIN, 0}, {waiters.descriptor(), POLLIN, 0}}};
  std::uint64_t next_look = 0;
  for (;;) {
    const int ready = ::poll(both.data(), both.size(), look_every);
    if (ready < 0 && errno != EINTR) throw failure_of("poll", errno);
    if (ready > 0 && both[0].revents != 0) return;
    if (ready > 0 && both[1].revents != 0) waiters.wake();
    const std::uint64_t now = interrupt_clock::now();
    if (now < next_look) continue;
    if (!clock.alive(now)) {
      throw failure("nothing is written any more: somebody has detached the programs");
    }
    tell_supervisor("WATCHDOG=1");
    next_look = now + look_every * std::uint64_t{1'000'000};
  }
}

}  // namespace

int serve(const arguments& chosen) {
  const int signals = blocked_signals();
  // A limit of the size of files is to be an error like others, and that nobody reads what is said
  // here none at all.
  for (const int one : {SIGXFSZ, SIGPIPE}) ::signal(one, SIG_IGN);
  require_capabilities();
  folder at(chosen.directory, true, chosen.mount);
  refuse_another(at);
  attached_clock clock(chosen.hooks, static_cast<std::uint32_t>(::getpid()));
  waker waiters(clock.passed(), clock.waiters(), clock.unheard_until());
  if (!waiters.trouble().empty()) {
    std::fprintf(
        stderr,
        "fencepost-barrierd: %s. Nobody is woken, and who waits looks at the clock now and "
        "then; a new start tries again\n",
        waiters.trouble().c_str());
  }
  at.lead_to_wakeups(waiters.file());
  begin(clock, at, false);
  try {
    drop_capabilities();
    const interrupt_clock& seen = beating(at);
    std::printf("fencepost-barrierd: %s: %u slots, generation %llu\n", at.clock().c_str(),
                seen.slots_count(), static_cast<unsigned long long>(seen.header().generation));
    std::fflush(stdout);
    tell_supervisor("READY=1");
    keep(seen, waiters, signals);
  } catch (const failure&) {
    at.remove_all();
    throw;
  }
  tell_supervisor("STOPPING=1");
  at.remove_all();
  return 0;
}

int once(const arguments& chosen) {
  require_capabilities();
  folder at(chosen.directory, true, chosen.mount);
  refuse_another(at);
  attached_clock clock(chosen.hooks, 0);
  at.lead_to_wakeups("");
  // Nobody wakes, so nobody need be looked for.
  clock.unheard_until() = ~0ULL;
  begin(clock, at, true);
  const interrupt_clock& seen = beating(at);
  std::printf("fencepost-barrierd: %s: %u slots, generation %llu, pinned\n", at.clock().c_str(),
              seen.slots_count(), static_cast<unsigned long long>(seen.header().generation));
  return 0;
}

namespace {

/// Asks that process to end. Empty, or why it is none to be asked.
std::string ask_to_end(pid_t owner) {
  // From here on the number cannot come to mean another process.
  const long process = ::syscall(SYS_pidfd_open, owner, 0);
  if (process < 0) return "cannot find process " + std::to_string(owner);
  char name[32];
  const std::string path = "/proc/" + std::to_string(owner) + "/comm";
  const long length = fencepost::processors::read_file(path.c_str(), name, sizeof name);
  constexpr const char* expected = "fencepost-barri";  // the kernel keeps 15 letters
  std::string why;
  if (length < 15 || std::memcmp(name, expected, 15) != 0) {
    why = "process " + std::to_string(owner) + " is no fencepost-barrierd";
  } else if (::syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0) != 0 &&
             errno != ESRCH) {
    throw failure_of("cannot end process " + std::to_string(owner), errno);
  }
  ::close(static_cast<int>(process));
  return why;
}

/// Ends the daemon that holds the lock, which the clock names that it has pinned; one that is about
/// to start, when it has.
void end_daemon(folder& at) {
  pid_t asked = 0;
  std::string why;
  for (int tries = 0; !at.lock(); ++tries) {
    if (tries == 1000) throw failure(why);
    auto trouble = interrupt_clock_trouble::none;
    const interrupt_clock* const clock = interrupt_clock::open(at.clock().c_str(), trouble);
    const pid_t owner = clock == nullptr ? 0 : static_cast<pid_t>(clock->header().owner);
    if (owner > 0 && owner != asked) {
      why = ask_to_end(owner);
      if (why.empty()) {
        asked = owner;
        why = "process " + std::to_string(owner) + " does not end";
      }
    } else if (asked == 0) {
      why = "a fencepost-barrierd holds the directory, but has pinned no clock that names it (" +
            std::string(clock == nullptr ? to_string(trouble) : "its clock is of no process") +
            "): end it by its process number";
    }
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

int stop(const arguments& chosen) {
  folder at(chosen.directory, false, false);
  if (!at.lock()) end_daemon(at);
  at.remove_all();
  at.unmount();
  return 0;
}

}  // namespace barrierd
