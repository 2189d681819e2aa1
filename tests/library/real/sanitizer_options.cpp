// SPDX-License-Identifier: MIT
//
// For every test of this folder, whichever of them are linked together.

// Some cancel threads. The address sanitizer takes the end of such a thread for an access behind
// its stack, for it has seen no function return: it has marked what lies there, and then takes its
// stack for signals away.
extern "C" const char* __asan_default_options() { return "use_sigaltstack=0"; }
