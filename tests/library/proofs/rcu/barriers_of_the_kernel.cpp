// SPDX-License-Identifier: MIT
//
// What makes an interrupt a fence for a batch are the barriers of the program that writes the
// stamps: without them an object is reclaimed under its reader.
//
// models: c++20
// fails: no_barriers -DBARRIERS=0
#include "reclaimed_by_ticket.cpp"
