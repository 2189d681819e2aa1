// SPDX-License-Identifier: MIT
// What the program under test does, as operations of its executions (execution.hpp), and the search
// of them all: the program runs once for every graph.
//
// One class, whose functions are in the rooms of the checker by what they do:
// - execution/: accesses, plain (plain_accesses.cpp, races.cpp) and atomic (atomic_accesses.cpp,
//   fences.cpp), and the same where they are quickly done (replay.hpp); threads; what fails before
//   main begins (before_main.cpp), what runs when the process ends (process_end.cpp).
// - search/: all executions (search.cpp), shared among processes; identical threads (symmetry.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/execution.hpp"
#include "explore/estimator.hpp"

namespace fencepost::checker {

class Runtime : public Execution {
 public:
  // ---- life cycle (runtime.cpp, search.cpp)
  void initialise(const Options& options);
  [[noreturn]] void check(int (*program_main)(int, char**, char**), int argc, char** argv,
                          char** envp);

  Estimator estimator{explorer};

  double seconds() const;

  // ---- before_main.cpp
  void constructors_begin();
  void constructors_end();
  // Whether a constructor that fails now is a violation.
  bool fails_before_main() const;
  [[noreturn]] __attribute__((format(printf, 4, 5))) void violate_before_main(const char* kind,
                                                                              std::uint64_t pc,
                                                                              const char* format,
                                                                              ...);

  // ---- the search (search.cpp); by this process, or by a worker of its (worker_pool.hpp,
  // worker.hpp)
  Ended run_once();
  // Counts an execution; false if the exploration is over with it.
  bool tally(Ended how);
  // Runs the graph's execution, which has just ended so, once more: does the same come of it? If
  // not, there is no verdict.
  bool happens_again(Ended how);
  bool find_again(BytesIn* execution);
  void probe();
  void probe_once();
  bool progress_is_due();
  // Says which in `inconclusive`; what is left may then be explored another time. The clock is not
  // for every time.
  bool limit_is_met(const Counters& so_far, bool look_at_clock);
  // After a fork.
  void prepare_worker();

  // ---- atomic_accesses.cpp, plain_accesses.cpp, fences.cpp
  // `may_repeat`: called from an entry point that kept the registers, see loops.cpp.
  Value load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc, bool may_repeat);
  void store(std::uintptr_t address, unsigned size, Value value, Order order, std::uint64_t pc);
  Value modify(Operation what, std::uintptr_t address, unsigned size, Value operand, Order order,
               std::uint64_t pc);
  bool compare_exchange(std::uintptr_t address, unsigned size, void* expected, Value desired,
                        Order success, Order failure, bool weak, std::uint64_t pc);
  [[gnu::noinline]] Value new_load(std::uintptr_t address, unsigned size, Order order,
                                   std::uint64_t pc, bool may_repeat);
  [[gnu::noinline]] void new_store(std::uintptr_t address, unsigned size, Value value, Order order,
                                   std::uint64_t pc);
  void passed_at_once() {
    if (stack_used == kReplayUses) stack_used = kPassingUses;
  }
  void fence(Order order, std::uint64_t pc);
  // AArch64: an atomic instruction that gives no result. A fence for loads does not order what it
  // reads, so a program with both is refused.
  void adds_without_result(std::uint64_t pc);
  void light_fence(std::uint64_t pc);
  void heavy_fence(std::uint64_t pc);
  std::uint64_t nonatomic_fetch_add(std::uintptr_t address, unsigned size, std::uint64_t operand,
                                    std::uint64_t pc);
  // Did it take more than passing by?
  bool plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  void padding(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // The next plain access steps aside. By a signal handler.
  void ask_to_step_aside() {
    is_to_step_aside_ = true;
    looks_closely_ = true;
    passes_plain_ = false;
  }
  bool is_to_step_aside() const { return is_to_step_aside_; }
  void look_at(std::uintptr_t word, std::size_t size, std::uint64_t pc);
  void step_aside_if_asked() {
    if (!is_to_step_aside_) return;
    is_to_step_aside_ = false;
    step_aside();
  }

  // ---- replay.hpp
  template <typename T>
  bool replay_load(const volatile T* p, Order order, std::uint64_t pc, T* value);
  template <typename T>
  bool replay_store(volatile T* p, T value, Order order, std::uint64_t pc);
  template <typename T>
  bool replay_modify(Operation what, volatile T* p, T operand, Order order, std::uint64_t pc,
                     T* old);
  template <typename T>
  bool replay_compare_exchange(volatile T* p, const T* expected, T desired, Order success,
                               Order failure, bool weak, std::uint64_t pc);
  bool replay_fence(Order order, std::uint64_t pc);

  void uses_last(std::uint64_t pc);

  // ---- spins.cpp
  std::uint32_t seen_with_bound() const { return seen_with_bound_; }

  // ---- process_end.cpp
  // By atexit and its kin, also before main.
  void at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc);
  // The destructor of a thread-local object.
  void at_thread_end(const ExitHandler& handler, std::uint64_t pc);
  void begin_main();
  [[noreturn]] void end_process(EndsBy by, int status, std::uint64_t pc);

  // ---- deferred_violations.cpp
  // At the end of an execution: is it one, and what becomes of what was put aside or suspected?
  void judge_execution();

  bool exited = false;  // exit was called: who is blocked ends with the process
  bool main_returned = false;
  // What the program has done in any execution; see adds_without_result.
  bool load_fences = false;
  bool atomics_without_result = false;

  // What the process was started with.
  struct MainCall {
    int (*function)(int, char**, char**);
    int argc;
    char** argv;
    char** envp;
  };

  void refuse_unordered_reads(std::uint64_t pc);
  static void* call_main(void* nothing);
  [[gnu::noinline]] void look_at_first(std::uintptr_t word, std::size_t size, std::uint64_t pc);
  template <bool Covers>
  bool replay_plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  void cover(Cell* cell, const PlainAccess& access);  // coverage.hpp
  bool replay_covered(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  [[gnu::noinline]] void plain_and_all(std::uintptr_t address, std::size_t size, bool write,
                                       std::uint64_t pc);
  bool may_replay(unsigned count) const;
  bool is_replayed(EventId source) const;
  const Event* known_access(unsigned ahead, Kind kind, Operation what, std::uintptr_t address,
                            unsigned size, std::uint64_t pc) const;
  template <typename T>
  bool replay_rest(const Event* read, volatile T* p, T value, Operation what, Order order,
                   std::uint64_t pc);
  void same_write(const Event& write, const Event& like, Value value, std::uint64_t pc);
  static void goes_where(Event* write, const Event& read);
  Value whole(EventId id);
  void write_value(Event* write, Value value);
  bool begin_anew();
  Cell* plain_cell(std::uintptr_t address, std::uint8_t mask, bool write, bool own,
                   std::uint64_t pc);
  bool runs_at_exit(const ExitHandler& handler);
  void sort_exit_handlers();
  bool knows_that_it_is_alone();
  std::uint64_t known_exit_handlers(ExitList list);
  bool take_exit_handler(ExitList list, ExitHandler* handler, std::uint64_t pc);
  void run_exit_handlers(ExitList list, int status, std::uint64_t pc);
  void object_is_destroyed(const ExitHandler& handler, std::uint64_t pc);
  bool has_exit_handlers();
  void note_handlers_left();
  void keep_for_later();
  bool is_told_again(Ended how);
  bool is_sample() const;
  void add_fence(Operation what, Order order, std::uint16_t flags, std::uint64_t pc);
  [[noreturn]] void comes_too_late(const PlainAccess& end, const PlainAccess& access,
                                   std::uintptr_t address, const char* now, std::uint64_t pc);
  void race(const Cell* cell, const PlainAccess& access, std::uintptr_t address, const char* now,
            std::uint64_t pc);
  bool somebody_met_bound() const;
  bool is_done_with_bound(bool more);
  void plain_meets_atomic(Cell* cell, std::uintptr_t address, unsigned mask, bool write,
                          std::uint64_t pc);
  void check_atomic_access(std::uintptr_t address, unsigned size, bool write, std::uint64_t pc);

  MainCall main_call_{};
  // In samples: a hash of the plain accesses of an execution, thread by thread.
  bool tracing_ = false;
  bool passes_plain_ = true;    // neither that, nor is it noted what has been read
  bool looks_closely_ = false;  // tracing, with twins, or to step aside: at every plain access
  bool is_to_step_aside_ = false;
  std::uint64_t trace_[kMaxThreads] = {};
  std::uintptr_t own_thread_pointer_ = 0;
  Array<ExitHandler> started_with_[2];      // registered before main; by ExitList
  Array<ExitHandler> thread_started_with_;  // of main's thread
  unsigned ending_ = kMaxThreads;           // the thread that runs them
  double started_ = 0;
  bool constructing_ = false;  // static objects, before main
  double last_progress_ = 0;
  std::uint64_t seen_before_ = 0;  // executions of former sittings
};

extern Runtime runtime;

}  // namespace fencepost::checker
