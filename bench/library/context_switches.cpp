// SPDX-License-Identifier: MIT
//
// What does the interrupt clock cost threads that do nothing but switch?
//
// Two threads on one processor, which pass a byte to and fro through pipes, or wake each other by a
// futex: every turn is a switch. What a switch costs depends more on where a process lies in memory
// than on anything else, so in one window the same two threads go on with fencepost-barrierd and
// without it, by turns. The daemon runs in a mount namespace of its own. That needs root; elsewhere
// the variant is left out. No other clock should run on the machine meanwhile.
//
// Counters, for one window:
//   nanoseconds         of the processor's time for each switch
//   over_no_clock       the same, divided by that without the daemon
//   switches            how many
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "fencepost/futex.hpp"
#include "subject.hpp"

#ifndef BENCH_BARRIERD
#define BENCH_BARRIERD ""  // it is not built
#endif

namespace {

using clock_type = std::chrono::steady_clock;

/// The daemon, while this exists.
class running_daemon {
 public:
  running_daemon() {
    char name[] = "/tmp/fencepost-switches-XXXXXX";
    if (::mkdtemp(name) == nullptr) return;
    folder_ = name;
    int said[2];
    if (::pipe(said) != 0) return;
    process_ = ::fork();
    if (process_ == 0) become_daemon(said);
    ::close(said[1]);
    char letter = 0;
    began_ = ::read(said[0], &letter, 1) == 1;
    ::close(said[0]);
  }
  running_daemon(const running_daemon&) = delete;
  running_daemon& operator=(const running_daemon&) = delete;
  ~running_daemon() {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove(folder_, ignored);
  }

  bool began() const { return began_; }

 private:
  [[noreturn]] void become_daemon(const int (&said)[2]) const {
    // What it mounts ends with it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::unshare(CLONE_NEWNS) == 0 &&
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::dup2(said[1], STDOUT_FILENO) >= 0) {
      ::close(said[0]);
      ::close(said[1]);
      ::execl(BENCH_BARRIERD, BENCH_BARRIERD, "--mount", "--directory", folder_.c_str(), nullptr);
    }
    ::_exit(1);
  }

  std::string folder_;
  pid_t process_ = -1;
  bool began_ = false;
};

long switches_so_far() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw + used.ru_nivcsw;
}

/// Each variant of work: turn(side), by two threads, until it says that it is over.
class pipes {
 public:
  pipes() {
    for (auto& one : ends_) {
      if (::pipe(one.data()) != 0) std::abort();
    }
  }
  pipes(const pipes&) = delete;
  pipes& operator=(const pipes&) = delete;
  ~pipes() {
    for (const auto& one : ends_) {
      ::close(one[0]);
      ::close(one[1]);
    }
  }
  bool turn(unsigned side, bool over) {
    char letter = over ? 'o' : '.';
    if (side == 0 && ::write(ends_[0][1], &letter, 1) != 1) return false;
    if (::read(ends_[side == 0 ? 1 : 0][0], &letter, 1) != 1) return false;
    if (side == 1 && ::write(ends_[1][1], &letter, 1) != 1) return false;
    return letter == '.';
  }

 private:
  std::array<std::array<int, 2>, 2> ends_{};
};

class futexes {
 public:
  bool turn(unsigned side, bool over) {
    while (next_.load(std::memory_order_acquire) != side) fencepost::futex::wait(next_, 1 - side);
    if (over) over_ = true;
    const bool go_on = !over_;
    next_.store(1 - side, std::memory_order_release);
    fencepost::futex::wake_one(next_);
    return go_on;
  }

 private:
  fencepost::futex::word next_{0};
  bool over_ = false;
};

/// What was switched, and how much of the processor's time that took.
struct switched {
  double cpu = 0;
  double count = 0;
  double nanoseconds() const { return cpu / count * 1e9; }
};

/// The two threads, on the first processor.
template <class Work>
class pair_of_threads {
 public:
  pair_of_threads() {
    bench::pin(0);  // and the other, which inherits it
    other_ = std::thread([this] {
      while (work_.turn(1, false)) continue;
    });
  }
  pair_of_threads(const pair_of_threads&) = delete;
  pair_of_threads& operator=(const pair_of_threads&) = delete;
  ~pair_of_threads() {
    work_.turn(0, true);
    other_.join();
  }

  void go_on(std::chrono::duration<double> length, switched& found) {
    const auto before = static_cast<double>(switches_so_far());
    const double cpu_before = bench::process_cpu_seconds();
    const auto end = clock_type::now() + length;
    while (clock_type::now() < end) work_.turn(0, false);
    found.cpu += bench::process_cpu_seconds() - cpu_before;
    found.count += static_cast<double>(switches_so_far()) - before;
  }

 private:
  Work work_;
  std::thread other_;
};

template <class Work>
double without_clock(benchmark::State& state) {
  pair_of_threads<Work> threads;
  switched found;
  threads.go_on(bench::window_length(), found);
  state.counters["nanoseconds"] = found.nanoseconds();
  state.counters["switches"] = found.count;
  return bench::window_length().count();
}

/// With the daemon and without it, by turns, for so many times each: the same threads and memory.
template <class Work>
double with_clock(benchmark::State& state) {
  constexpr int turns = 10;
  const std::chrono::duration<double> length = bench::window_length() / (2 * turns);
  pair_of_threads<Work> threads;
  switched with;
  switched without;
  const auto go_on = [&](switched& found) {
    switched warming_up;  // caches, which the daemon has used when it began or ended
    threads.go_on(length / 2, warming_up);
    threads.go_on(length, found);
  };
  for (int turn = 0; turn != turns; ++turn) {
    const bool is_first = turn % 2 == 0;
    if (!is_first) go_on(without);
    {
      const running_daemon daemon;
      if (!daemon.began()) {
        bench::wrong(state, "fencepost-barrierd does not start");
        return 0;
      }
      go_on(with);
    }
    if (is_first) go_on(without);
  }
  state.counters["nanoseconds"] = with.nanoseconds();
  // The kernel cleans up behind each daemon, elsewhere.
  state.counters["first_processor_only"] = 1;
  state.counters["over_no_clock"] = with.nanoseconds() / without.nanoseconds();
  state.counters["switches"] = with.count;
  return bench::window_length().count();
}

template <class Work>
void register_work(const std::string& name) {
  bench::register_window(name + "/no_clock", without_clock<Work>);
  if (::geteuid() == 0 && ::access(BENCH_BARRIERD, X_OK) == 0)
    bench::register_window(name + "/interrupt_clock", with_clock<Work>);
}

}  // namespace

void bench::register_benchmarks() {
  register_work<pipes>("pipe");
  register_work<futexes>("futex");
}
