// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "slot.h"

int slot_race(const char* command) { return system(command); }
