// SPDX-License-Identifier: MIT
// std::thread's two functions that otherwise lie in the C++ library: here, their callers are the
// program's own lines, and a trace can name them.
#include <pthread.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "interface/threads.hpp"

namespace checker = fencepost::checker;

namespace {

void* run(void* state) {
  std::unique_ptr<std::thread::_State> owned{static_cast<std::thread::_State*>(state)};
  owned->_M_run();
  return nullptr;
}

}  // namespace

namespace std {

void thread::_M_start_thread(_State_ptr state, void (*)()) {
  // Its owner is the caller's variable.
  if (checker::exploring()) {
    checker::runtime.plain(checker::address_of(&state), sizeof state, true, FENCEPOST_PC());
  }
  const unsigned id = checker::create_thread(
      {.entry = run, .argument = state.release(), .owned = true, .detached = false},
      FENCEPOST_PC());
  _M_id = thread::id(id + 1UL);
}

void thread::join() {
  int error = EINVAL;
  if (_M_id != id()) error = checker::join_thread(_M_id._M_thread, nullptr, FENCEPOST_PC());
  if (error != 0) __throw_system_error(error);
  _M_id = id();
}

}  // namespace std
