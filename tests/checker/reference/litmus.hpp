// SPDX-License-Identifier: MIT
//
// A litmus test in one line of text, for the naive enumerator and for the program that the checker
// explores:
//
//   x=y=0; T0: W x 1 rlx; F sc; r0=R y acq; T1: r0=U y add 1 acq_rel; if r0==0 { W x r0+2 rel }
//
//   W loc value order              store
//   [reg=] R loc order             load
//   [reg=] X loc value order       exchange
//   [reg=] U loc op value order    fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor
//   [reg=] C loc expected desired success failure
//                                  strong compare-exchange; reg receives the value that was read
//   [reg=] N loc value             addition that is not atomic but that no heavy fence divides
//   F order                        fence; F light and F heavy: the two sides of an asymmetric one
//   if reg==n { ... } else { ... } also reg!=n; else may be left out
//
// In a test of accesses of different sizes every location is one byte, those that are initialised
// one after another are neighbours, and loc may be a range: `W x:z 513 rlx` stores three bytes, the
// least significant one at x.
//
// A value is n, reg or reg+n; registers r0..r7 belong to their thread and start at 0; orders are
// rlx, acq, rel, acq_rel, sc. Locations are named where they are initialised. A condition on the
// final state is a conjunction: `0:r1=0 1:r0=2 x=1`.
//
// Nothing here allocates memory, so a program under the checker can use it without adding events.
#pragma once

namespace litmus {

inline constexpr int max_threads = 4;
inline constexpr int max_locations = 4;
inline constexpr int max_registers = 8;
inline constexpr int max_instructions = 48;
inline constexpr int max_terms = 12;

enum class order { relaxed, acquire, release, acq_rel, seq_cst };

enum class kind {
  load,
  store,
  exchange,
  fetch_add,
  fetch_sub,
  fetch_and,
  fetch_or,
  fetch_xor,
  compare_exchange,
  nonatomic_add,
  fence,
  light_fence,
  heavy_fence,
  branch_unless_equal,  // to target unless register == constant
  branch_if_equal,      // to target if register == constant
  jump,                 // to target
};

struct value {
  int reg = -1;  // -1: constant alone
  int constant = 0;
  bool operator==(const value&) const = default;
};

struct instruction {
  kind what = kind::fence;
  int location = -1;
  int width = 1;       // locations from there on
  bool bytes = false;  // as the program's
  value operand;       // stored, added, …; of a branch: register and constant
  value expected;      // compare_exchange only
  order success = order::relaxed;
  order failure = order::relaxed;
  int result = -1;  // register, -1: none
  int target = 0;   // branches only
  bool operator==(const instruction&) const = default;
};

struct code {
  int size = 0;
  instruction instructions[max_instructions];
  bool operator==(const code&) const = default;
};

struct program {
  int location_count = 0;
  bool bytes = false;  // locations are single bytes, some accesses are wider
  char names[max_locations][8] = {};
  int initial[max_locations] = {};
  int thread_count = 0;
  code threads[max_threads];
};

// Parses into `out`; returns nullptr or what is wrong.
const char* parse(const char* text, program& out);

// One thread's local state; zero-initialised at the start.
struct thread_state {
  int next = 0;
  int registers[max_registers] = {};
};

// An instruction whose operands are known: what the thread asks of memory.
struct request {
  bool any = false;  // false: the thread has ended
  kind what = kind::fence;
  int location = -1;
  int width = 1;
  unsigned mask = ~0U;  // of the bits that the locations have
  int operand = 0;
  int expected = 0;
  order success = order::relaxed;
  order failure = order::relaxed;
};

// Steps over branches to the next access or fence.
request next_request(const code& thread, thread_state& state);

// Completes that request: `read` is the value read, if it reads.
void complete(const code& thread, thread_state& state, int read);

// The part of a value that location k of an access has, and the reverse: what was put together from
// the locations before it, and location k.
int piece(const program& p, int value, int k);
int joined(const program& p, int value, int k, int piece);

bool is_fence(kind what);

// Is it a read-modify-write, a compare-exchange that fails included?
bool is_atomic_update(kind what);

bool reads(kind what);

// The value that the request writes after reading `read`; false if it writes nothing (a load, a
// fence, a compare-exchange that fails).
bool writes(const request& what, int read, int& written);

struct term {
  int thread = -1;  // -1: the final value of a location
  int index = 0;    // register or location
  int value = 0;
};

struct condition {
  int size = 0;
  term terms[max_terms];
};

const char* parse_condition(const char* text, const program& of, condition& out);

bool satisfied(const condition& what, const thread_state (&threads)[max_threads],
               const int (&memory)[max_locations]);

}  // namespace litmus
