// SPDX-License-Identifier: MIT
//
// One switch since a processor was looked at is not enough for a ticket: its fence may have been
// before, also on processors of x86.
//
// expect: c++20,x86=holds
// case: as_it_is
// case: one_is_enough -DSWITCHES=1
// expect: c++20,x86=violated
#include "switches.cpp"
