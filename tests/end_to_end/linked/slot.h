// SPDX-License-Identifier: MIT
// A place for one value, of a library that was compiled without the checker.
#pragma once

struct slot;
struct slot* slot_make(void);
void slot_put(struct slot* s, int value);  // waits while it is full
int slot_take(struct slot* s);             // waits while it is empty
int slot_takes(void);                      // how many there were: all slots, all threads
int slot_race(const char* command);        // in a file of its own that does what is not modelled
