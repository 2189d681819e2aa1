// SPDX-License-Identifier: MIT
// The search of all executions; by this process, or by a worker of its (worker_pool.hpp,
// worker.hpp).
#pragma once

#include <cstdint>

#include "execution/endings.hpp"
#include "execution/execution.hpp"
#include "explore/estimator.hpp"
#include "graph/bytes.hpp"

namespace fencepost::checker {

class Search {
 public:
  void initialise(const Options& wanted);
  // Runs the program, which main is a part of, in all ways.
  [[noreturn]] void check(int (*program_main)(int, char**, char**), int argc, char** argv,
                          char** envp);
  // After a fork.
  void prepare_worker();

  double seconds() const;
  // The clock starts.
  void starts_now();

  Ended run_once();
  // Counts an execution; false if the exploration is over with it.
  bool tally(Ended how);
  // Goes through an execution that is said to violate. Is there a violation, to be kept?
  bool find_again(BytesIn* said);
  void probe();
  bool progress_is_due();
  // Has the user interrupted, or is the time over? What is left may be explored another time. The
  // clock is not for every time.
  bool must_stop(bool look_at_clock);
  // Of those that may be seen in this sitting, where there is a limit.
  std::uint64_t executions_left() const;
  // Is the execution run again as a whole?
  bool is_sample() const;

  Estimator estimator{execution.explorer};

 private:
  // What the process was started with.
  struct MainCall {
    int (*function)(int, char**, char**);
    int argc;
    char** argv;
    char** envp;
  };

  static void* call_main(void* nothing);
  // Runs the graph's execution, which has just ended so, once more: does the same come of it? If
  // not, there is no verdict.
  bool happens_again(Ended how);
  bool is_told_again(Ended how);
  void probe_once();
  bool begin_anew();
  void keep_for_later();

  MainCall main_call_{};
  double started_ = 0;
  double last_progress_ = 0;
  std::uint64_t seen_before_ = 0;  // executions of former sittings
};

extern Search search;

}  // namespace fencepost::checker
