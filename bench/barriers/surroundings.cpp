// SPDX-License-Identifier: MIT
#include "surroundings.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options.hpp"
#include "processors.hpp"

namespace bench {

readers::readers(bool are_wanted) {
  const int count = are_wanted ? processors() - 1 : 0;
  for (int n = 0; n != count; ++n) all_.push_back(std::make_unique<reader>());
  for (int n = 0; n != count; ++n) {
    reader& one = *all_[static_cast<std::size_t>(n)];
    one.thread = std::thread([this, &one, n] {
      pin(n);
      for (std::uint64_t counted = 1; !is_over_.load(std::memory_order_relaxed); ++counted)
        one.counted.store(counted, std::memory_order_relaxed);
    });
  }
  for (const auto& one : all_) {
    while (one->counted.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  }
}

readers::~readers() {
  is_over_.store(true, std::memory_order_relaxed);
  for (const auto& one : all_) one->thread.join();
}

void readers::look(std::vector<std::uint64_t>& counts) const {
  for (std::size_t n = 0; n != all_.size(); ++n)
    counts[n] = all_[n]->counted.load(std::memory_order_relaxed);
}

double readers::cpu_seconds() const {
  double all = 0;
  for (const auto& one : all_) {
    clockid_t clock{};
    timespec used{};
    if (::pthread_getcpuclockid(one->thread.native_handle(), &clock) == 0 &&
        ::clock_gettime(clock, &used) == 0)
      all += static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  }
  return all;
}

load::load(bool is_wanted) {
  const int count = is_wanted ? processors() : 0;
  for (int n = 0; n != count; ++n) {
    const pid_t child = ::fork();
    if (child < 0) refuse("cannot start a process that keeps a processor busy");
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setpriority(PRIO_PROCESS, 0, 19);
      pin(n);
      for (volatile unsigned long turns = 0;;) turns = turns + 1;
    }
    all_.push_back(child);
  }
}

double load::end() {
  const double before = cpu_seconds(RUSAGE_CHILDREN);
  for (const pid_t one : all_) ::kill(one, SIGKILL);
  for (const pid_t one : all_) ::waitpid(one, nullptr, 0);
  all_.clear();
  return cpu_seconds(RUSAGE_CHILDREN) - before;
}

}  // namespace bench
