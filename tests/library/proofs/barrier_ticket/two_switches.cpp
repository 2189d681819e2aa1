// SPDX-License-Identifier: MIT
//
// One switch since a processor was looked at is not enough for a ticket: its fence may have been
// before, also on processors of x86.
//
// models: c++20 x86
// fails: one_is_enough -DSWITCHES=1
#include "switches.cpp"
