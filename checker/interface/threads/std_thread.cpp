// SPDX-License-Identifier: MIT
// std::thread's functions that otherwise lie in the C++ library: here, their callers are the
// program's own lines, which a trace can name and what they do to the thread's object is seen.
#include <pthread.h>

#include <cerrno>
#include <condition_variable>
#include <future>
#include <system_error>
#include <thread>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;

namespace {

[[noreturn]] void refuse_at_thread_end(const char* call, std::uint64_t pc) {
  checker::execution.unsupported(pc, "'%s' leaves to the C++ library what is done as a thread ends",
                                 call);
}

}  // namespace

namespace std {

void thread::_M_start_thread(_State_ptr state, void (*)()) {
  struct Entry {  // here, where the state's type may be named
    static void* run(void* state) {
      unique_ptr<_State> owned{static_cast<_State*>(state)};
      owned->_M_run();
      return nullptr;
    }
  };
  // Its owner is the caller's variable.
  if (checker::exploring()) {
    checker::plain_access(checker::address_of(&state), sizeof state, true, FENCEPOST_PC());
  }
  const unsigned id = checker::create_thread(
      {.entry = Entry::run, .argument = state.release(), .owned = true, .detached = false},
      FENCEPOST_PC());
  _M_id = thread::id(id + 1UL);
}

void thread::join() {
  int error = EINVAL;
  checker::reads(this, sizeof *this, FENCEPOST_PC());
  if (_M_id != id()) error = checker::join_thread(_M_id._M_thread, nullptr, FENCEPOST_PC());
  if (error != 0) __throw_system_error(error);
  checker::writes(this, sizeof *this, FENCEPOST_PC());
  _M_id = id();
}

void thread::detach() {
  int error = EINVAL;
  checker::reads(this, sizeof *this, FENCEPOST_PC());
  if (_M_id != id()) error = checker::detach_thread(_M_id._M_thread, FENCEPOST_PC());
  if (error != 0) __throw_system_error(error);
  checker::writes(this, sizeof *this, FENCEPOST_PC());
  _M_id = id();
}

// Every std::packaged_task has a virtual function that calls it, so it is refused when it runs.
void __future_base::_State_baseV2::_Make_ready::_M_set() {
  refuse_at_thread_end("std::__future_base::_State_baseV2::_Make_ready::_M_set()", FENCEPOST_PC());
}

void notify_all_at_thread_exit(condition_variable&, unique_lock<mutex>) {
  refuse_at_thread_end("std::notify_all_at_thread_exit()", FENCEPOST_PC());
}

}  // namespace std
