// SPDX-License-Identifier: MIT
//
// What makes an interrupt a fence for tickets are the barriers of the program that writes the
// stamps. Without them it is none under C++; processors that keep stores in order, and loads, would
// do without.
//
// expect: c++20=holds
// case: as_it_is
// case: no_barriers -DBARRIERS=0
// expect: c++20=violated
#include "interrupts.cpp"
