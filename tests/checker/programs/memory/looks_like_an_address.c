// SPDX-License-Identifier: MIT
// A number that would be an address of thread-local storage, if such a thread had begun.
//
// case: of_thread_storage
// expect: all=violated:assertion at=fails
#include <assert.h>
#include <stdatomic.h>

static atomic_ulong bits;

int main(void) {
  atomic_fetch_or(&bits, 0x200000040000ul);
  assert(atomic_load(&bits) == 0);  // @fails
  return 0;
}
