// SPDX-License-Identifier: MIT
// case: nothing_to_run
// expect: all=error says="main"
#include <stdatomic.h>

atomic_int x;

void not_main(void);
void not_main(void) { atomic_store(&x, 1); }
