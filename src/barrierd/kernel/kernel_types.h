/* SPDX-License-Identifier: MIT
 *
 * What the BPF program takes for granted of the kernel: its names for integers, which libbpf's
 * headers expect, and the few fields that are read. Where the fields lie is looked up in the
 * running kernel's type information when the program is loaded (CO-RE), so the build needs no
 * kernel.
 */
#pragma once

typedef __UINT8_TYPE__ __u8;
typedef __UINT16_TYPE__ __u16;
typedef __UINT32_TYPE__ __u32;
typedef __UINT64_TYPE__ __u64;
typedef __INT16_TYPE__ __s16;
typedef __INT32_TYPE__ __s32;
typedef __INT64_TYPE__ __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

enum {
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_RINGBUF = 27,
  BPF_F_MMAPABLE = 1 << 10,
  BPF_RB_FORCE_WAKEUP = 1 << 1
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq;

struct cfs_rq {
  struct rq* rq;
};

struct sched_entity {
  struct cfs_rq* cfs_rq; /* of the processor that the thread is on; not in kernels without groups */
};

struct task_struct {
  int on_cpu; /* 1 from before a processor turns to the thread until after it has left it */
  int pid;    /* 0: the thread that a processor executes when there is nothing to do */
  struct sched_entity se;
};

/* One for each processor, and for ever, as its idle thread is. */
struct rq {
  __u64 nr_switches; /* of threads, since the machine started */
  int cpu;
  struct task_struct* idle;
};

#pragma clang attribute pop
