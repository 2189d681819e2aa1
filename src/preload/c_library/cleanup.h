/* SPDX-License-Identifier: MIT
 *
 * What the calling thread does where it leaves a function in another way than by its return:
 * because it ends, or by a longjmp() to a frame further out.
 *
 * pthread_cleanup_push() serves the end alone, in C: a longjmp() leaves its frame registered,
 * though it is there no more. These are the functions that glibc's own waits use, and that programs
 * were compiled to once. They look at no table of exception handlers either, so that a thread may
 * be cancelled at any instruction.
 */
#pragma once

#include <pthread.h>

void _pthread_cleanup_push(struct _pthread_cleanup_buffer* own, void (*routine)(void*),
                           void* argument);
/** With 0, does not call the routine. */
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer* own, int execute);
