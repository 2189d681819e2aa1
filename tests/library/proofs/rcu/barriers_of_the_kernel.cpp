// SPDX-License-Identifier: MIT
//
// What makes an interrupt a fence for a batch are the barriers of the program that writes the
// stamps: without them an object is reclaimed under its reader.
//
// expect: c++20=holds
// case: as_it_is
// case: no_barriers -DBARRIERS=0
// expect: c++20=violated
#include "reclaimed_by_ticket.cpp"
