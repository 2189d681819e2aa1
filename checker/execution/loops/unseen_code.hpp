// SPDX-License-Identifier: MIT
// Code of the program that is not instrumented, so that its accesses to memory are not seen: shared
// libraries, and objects and archives that were compiled by somebody else and are taken on trust.
//
// What it writes is an effect all the same: a loop in which it counts does not repeat itself
// (loops.cpp).
//
// - A call from the program into a library goes by way of a stub that counts it
//   (lab/fencepost/binary/unseen_calls.py), unless the function is known to change nothing. One by
//   address, as of a virtual function, is announced, and counted if it goes to a library. A call
//   is an effect, and no more has to be known of it. A call that uses a stream is an access of it,
//   but for the standard streams, which any number of threads may use.
// - Nobody knows when what is taken on trust runs. So there memory is compared at every operation
//   that the checker sees with what the thread was left with at the one before. The thread's own
//   stack is left out; its live part is compared where loops are recognised. No other thread runs
//   in between.
//
// A loop may call a library in each round and be back where it was. If a thread comes to many
// events and many such calls, the search begins anew and compares memory.
#pragma once

#include <cstdint>

extern "C" {
extern const char fencepost_unseen_code[] __attribute__((weak));  // defined by the link
extern std::uint32_t fencepost_unseen_calls;  // since the last operation that the checker has seen

// The last of them.
struct NotedCall {
  std::uintptr_t used;  // an address plus what UseOfStream says; 0: none
  std::uint64_t pc;
};
// Of a stream's buffer, or else; kFirstWord: of another object.
enum UseOfStream : std::uintptr_t { kRead = 1, kWholeStream = 2, kState = 4, kFirstWord = 6 };
extern NotedCall fencepost_noted_calls[16];
}

namespace fencepost::checker {

extern bool compares_memory;

// What the current thread has called since its last operation, and streams that it used in that.
void notice_calls();
// At the beginning and the end of an entry point, where memory is compared.
void notice_unseen_writes();
void leave_memory();
// A thread has so many events that it may be in a loop without end. Was that not recognised because
// of calls?
void blame_calls(std::uint64_t pc);

inline bool has_unseen_code() { return fencepost_unseen_code != nullptr || compares_memory; }

}  // namespace fencepost::checker
