// SPDX-License-Identifier: MIT
//
// A mtx_t that is all zeros locks and unlocks as a plain one does that was initialised.
#include <threads.h>

#include "functions.h"

int main(void) {
  static mtx_t zero;
  mtx_t plain;
  CHECK(mtx_init(&plain, mtx_plain) == thrd_success);
  mtx_t* const both[] = {&zero, &plain};
  for (int n = 0; n != 2; ++n) {
    CHECK(mtx_trylock(both[n]) == thrd_success && mtx_trylock(both[n]) == thrd_busy);
    CHECK(mtx_unlock(both[n]) == thrd_success && mtx_lock(both[n]) == thrd_success);
    CHECK(mtx_trylock(both[n]) == thrd_busy && mtx_unlock(both[n]) == thrd_success);
  }
  return 0;
}
