// SPDX-License-Identifier: MIT
// Functions of <math.h>, <stdlib.h>, <signal.h> and <pthread.h> that compute, and read or write
// something of the program's besides: the second result of a number's parts, the state of a
// generator, a set of signals, a name. The program's calls are sent here (redefined-symbols.txt).
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

using fencepost::checker::must_be_a_thread;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::writes;

extern "C" {

// For double, float and long double.
#define FENCEPOST_REALS(functions) functions(double, ) functions(float, f) functions(long double, l)

#define FENCEPOST_MORE(type, suffix)                                \
  type fencepost_frexp##suffix(type x, int* exponent) {             \
    writes(exponent, sizeof *exponent, FENCEPOST_PC());             \
    return frexp##suffix(x, exponent);                              \
  }                                                                 \
  type fencepost_modf##suffix(type x, type* whole) {                \
    writes(whole, sizeof *whole, FENCEPOST_PC());                   \
    return modf##suffix(x, whole);                                  \
  }                                                                 \
  type fencepost_remquo##suffix(type x, type y, int* quotient) {    \
    writes(quotient, sizeof *quotient, FENCEPOST_PC());             \
    return remquo##suffix(x, y, quotient);                          \
  }                                                                 \
  type fencepost_lgamma##suffix##_r(type x, int* sign) {            \
    writes(sign, sizeof *sign, FENCEPOST_PC());                     \
    return lgamma##suffix##_r(x, sign);                             \
  }                                                                 \
  void fencepost_sincos##suffix(type x, type* sine, type* cosine) { \
    writes(sine, sizeof *sine, FENCEPOST_PC());                     \
    writes(cosine, sizeof *cosine, FENCEPOST_PC());                 \
    sincos##suffix(x, sine, cosine);                                \
  }
FENCEPOST_REALS(FENCEPOST_MORE)

// By compilers, of numbers of 128 bits.
__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;
Wide __divmodti4(Wide, Wide, Wide*);
WideUnsigned __udivmodti4(WideUnsigned, WideUnsigned, WideUnsigned*);
Wide fencepost___divmodti4(Wide a, Wide b, Wide* rest) {
  if (rest != nullptr) writes(rest, sizeof *rest, FENCEPOST_PC());
  return __divmodti4(a, b, rest);
}
WideUnsigned fencepost___udivmodti4(WideUnsigned a, WideUnsigned b, WideUnsigned* rest) {
  if (rest != nullptr) writes(rest, sizeof *rest, FENCEPOST_PC());
  return __udivmodti4(a, b, rest);
}

int fencepost_rand_r(unsigned* state) {
  writes(state, sizeof *state, FENCEPOST_PC());
  return rand_r(state);
}

// Generators whose state is the caller's: each number changes it.
#define FENCEPOST_DRAWS(name, state_type, result_type)           \
  int fencepost_##name(state_type* state, result_type* result) { \
    writes(state, sizeof *state, FENCEPOST_PC());                \
    writes(result, sizeof *result, FENCEPOST_PC());              \
    return name(state, result);                                  \
  }
FENCEPOST_DRAWS(drand48_r, drand48_data, double)
FENCEPOST_DRAWS(lrand48_r, drand48_data, long)
FENCEPOST_DRAWS(mrand48_r, drand48_data, long)
int fencepost_srand48_r(long seed, drand48_data* state) {
  writes(state, sizeof *state, FENCEPOST_PC());
  return srand48_r(seed, state);
}

#define FENCEPOST_DRAWS_BY_48_BITS(name, result_type)   \
  result_type fencepost_##name(unsigned short* state) { \
    writes(state, 3 * sizeof *state, FENCEPOST_PC());   \
    return name(state);                                 \
  }
FENCEPOST_DRAWS_BY_48_BITS(erand48, double)
FENCEPOST_DRAWS_BY_48_BITS(nrand48, long)
FENCEPOST_DRAWS_BY_48_BITS(jrand48, long)

int fencepost_sigemptyset(sigset_t* set) {
  writes(set, sizeof *set, FENCEPOST_PC());
  return sigemptyset(set);
}
int fencepost_sigfillset(sigset_t* set) {
  writes(set, sizeof *set, FENCEPOST_PC());
  return sigfillset(set);
}
int fencepost_sigaddset(sigset_t* set, int signal) {
  writes(set, sizeof *set, FENCEPOST_PC());
  return sigaddset(set, signal);
}
int fencepost_sigdelset(sigset_t* set, int signal) {
  writes(set, sizeof *set, FENCEPOST_PC());
  return sigdelset(set, signal);
}
int fencepost_sigismember(const sigset_t* set, int signal) {
  reads(set, sizeof *set, FENCEPOST_PC());
  return sigismember(set, signal);
}

// Nobody can ask for the name: pthread_getname_np is refused.
int fencepost_pthread_setname_np(pthread_t thread, const char* name) {
  must_be_a_thread(thread, FENCEPOST_PC());
  constexpr size_t kMost = 16;
  return reads_string(name, kMost, FENCEPOST_PC()) < kMost ? 0 : ERANGE;
}

}  // extern "C"
