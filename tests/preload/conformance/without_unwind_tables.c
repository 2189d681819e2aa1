/* SPDX-License-Identifier: MIT
 *
 * Compiled without unwind tables, as some C programs are: from here nothing finds the callers.
 */
#include <pthread.h>

#include "case.h"

void without_unwind_tables(void) {
  begin_without_unwind_tables();
  for (;;) pthread_testcancel();
}
