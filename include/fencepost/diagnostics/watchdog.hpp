// SPDX-License-Identifier: MIT
//
// The thread that looks from time to time, and says once what it finds: see diagnostics.hpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "fencepost/diagnostics/findings.hpp"
#include "fencepost/diagnostics/reports.hpp"
#include "fencepost/futex.hpp"

namespace fencepost::diagnostics {

/// Looks at every recorded lock from time to time, for as long as it lives, in a thread of its own.
class watchdog {
 public:
  struct limits {
    nanoseconds interval = std::chrono::seconds(1);      ///< between two looks, 1 ms at least
    nanoseconds longest_wait = std::chrono::seconds(5);  ///< waits that are worth a warning
  };
  /// Gets each finding as a sentence, without a newline, in the watchdog's thread.
  using reporter = std::function<void(const std::string&)>;

  /// Reports to standard error.
  watchdog();
  explicit watchdog(limits limit, reporter report = to_standard_error);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// Looks now, in the calling thread.
  void look();

  static void to_standard_error(const std::string& finding);

 private:
  enum class kind { deadlock, lost_wakeup, long_wait };
  using finding = std::tuple<kind, pid_t, std::uint64_t>;  // a wait, by thread and number

  void run();

  const limits limit_;
  const reporter report_;
  std::mutex looking_;
  std::set<finding> reported_;
  std::mutex guard_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

inline watchdog::watchdog() : watchdog(limits{}) {}

inline watchdog::watchdog(limits limit, reporter report)
    : limit_(limit), report_(std::move(report)), thread_([this] { run(); }) {}

inline watchdog::~watchdog() {
  {
    const std::lock_guard in(guard_);
    end_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

inline void watchdog::run() {
  std::unique_lock in(guard_);
  const auto interval = std::max(limit_.interval, nanoseconds(1'000'000));
  // Not wait_for(): what is added to the present there may be more than the clock can tell.
  while (!ending_.wait_until(in, futex::deadline_after(interval), [this] { return end_; })) {
    in.unlock();
    look();
    in.lock();
  }
}

inline void watchdog::look() {
  const std::lock_guard in(looking_);
  std::set<finding> still;
  const auto is_new = [&](kind what, const detail::snapshot& wait) {
    const finding found{what, wait.thread, wait.number};
    still.insert(found);
    return !reported_.contains(found);
  };
  for (const auto& cycle : detail::cycles()) {
    bool news = false;
    for (const detail::snapshot& wait : cycle) news |= is_new(kind::deadlock, wait);
    if (news) report_(to_string(detail::each<wait_report>(cycle, detail::report)));
  }
  for (const detail::snapshot& wait : detail::lost()) {
    if (is_new(kind::lost_wakeup, wait)) {
      report_("lost wake-up: " + to_string(detail::report(wait)));
    }
  }
  for (const detail::snapshot& wait : detail::look_at_all()) {
    if (detail::is_waiting(wait.what) && detail::since(wait.began) >= limit_.longest_wait &&
        is_new(kind::long_wait, wait)) {
      report_("long wait: " + to_string(detail::report(wait)));
    }
  }
  reported_ = std::move(still);
}

inline void watchdog::to_standard_error(const std::string& finding) {
  std::fprintf(stderr, "fencepost: %s\n", finding.c_str());
}

}  // namespace fencepost::diagnostics
