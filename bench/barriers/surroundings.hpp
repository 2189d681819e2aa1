// SPDX-License-Identifier: MIT
//
// What runs beside a waiter: threads of its process, which a barrier has to reach, and processes
// of low priority, which keep every processor busy.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace bench {

/// A thread of this process on each processor but the waiter's, the last. Each counts as long as
/// it runs, so that the waiter can tell whether it does.
class readers {
 public:
  /// Returns when all of them count.
  explicit readers(bool are_wanted);
  ~readers();

  /// What each has counted.
  void look(std::vector<std::uint64_t>& counts) const;
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  /// CPU time of all of them.
  [[nodiscard]] double cpu_seconds() const;

 private:
  struct alignas(64) reader {
    std::atomic<std::uint64_t> counted{0};
    std::thread thread{};
  };
  std::atomic<bool> is_over_{false};
  std::vector<std::unique_ptr<reader>> all_;
};

/// A process for each processor, at nice 19, that computes without pause. Made before any thread
/// is.
class load {
 public:
  explicit load(bool is_wanted);
  ~load() { end(); }
  load(const load&) = delete;
  load& operator=(const load&) = delete;

  /// Ends them. CPU time of all of them.
  double end();

 private:
  std::vector<pid_t> all_;
};

}  // namespace bench
