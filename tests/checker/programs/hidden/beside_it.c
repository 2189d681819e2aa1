// SPDX-License-Identifier: MIT
// What is read on one of two ways alone is not read on the other: of two members that lie side by
// side gcc would load both before it decides; of bytes that are put together, or of which one is
// left out, the word that they lie in.
//
// case: the_other_child
// flags: -DLOOK=child -O2
// expect: all=holds executions=1
//
// case: the_same_child
// flags: -DLOOK=child -DTHE_SAME -O2
// expect: all=data-race at=write
//
// case: where_a_flag_asks_for_it
// flags: -DLOOK=child -O2 -fhoist-adjacent-loads
// expect: all=refused says="a flag has gcc leave out or move"
//
// case: the_byte_left_out
// flags: -DLOOK=bytes -O2
// expect: all=holds executions=1
//
// case: a_byte_that_is_read
// flags: -DLOOK=bytes -DTHE_SAME -O2
// expect: all=data-race at=write
//
// case: where_a_flag_asks_for_the_word
// flags: -DLOOK=bytes -O2 -fexpensive-optimizations
// expect: all=refused says="a flag has gcc leave out or move"
//
// case: the_other_child_with_clang
// flags: -DLOOK=child -O2
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: the_byte_left_out_with_clang
// flags: -DLOOK=bytes -O2
// options: --cc clang-14
// expect: all=holds executions=1
#include <pthread.h>
#include <stdint.h>

static struct node {
  struct node *left, *right;
  int key;
} node;
static uint8_t four[4];

__attribute__((unused, noinline)) static int child(int key) {
  const struct node* const next = key < node.key ? node.left : node.right;
  return next != NULL;
}

__attribute__((unused, noinline)) static int bytes(int unused) {
  (void)unused;
  return (four[3] | four[2] << 8 | (uint32_t)four[0] << 24) == 1;
}

static void* change(void* nothing) {
#ifdef THE_SAME
  node.right = NULL, four[2] = 0;  // @write
#else
  node.left = NULL, four[1] = 0;  // @write
#endif
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, change, NULL);
  const int found = LOOK(1);
  pthread_join(other, NULL);
  return found;
}
