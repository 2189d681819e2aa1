/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The interrupt clock: on every interrupt, and on switches of threads, the time goes into the line
 * of the processor on which it happened. The lines lie in a map that readers have mapped.
 *
 * What a stamp means. Let a reader write, execute a full fence, read the time `t`, and later find a
 * stamp v > t for processor c. Then every thread that ran on c either finished its accesses before,
 * and the reader sees them, or begins them after, and sees what the reader wrote:
 *
 *     on c:   accesses ... | v = clock; exchange(stamp, v) | accesses ...
 *
 * The exchange is a full barrier by the rules of BPF, on every architecture, whatever an interrupt
 * or its return may be. Accesses before it are visible to who reads the stamp. Those behind it come
 * after the clock was read, for the exchange waits for its operand: v > t, and the reader's write
 * was visible at t. A program that is missed leaves an older time, which says less and is no lie.
 *
 * Idle processors take no interrupts. A processor that does take one looks whether others are idle
 * and advances their stamps in their place. It asks the kernel's own record, not one of ours, which
 * might be out of date: the field on_cpu of the idle thread of c. The scheduler
 *
 *     leaves user mode; full barrier (on taking the queue's lock); idle->on_cpu = 1 ... idles ...
 *     idle->on_cpu = 0 (release); full barrier (when the borrowed address space is given back);
 *     returns to user mode
 *
 * so on_cpu == 1 says that c executes no thread of a process. The looking processor reads the
 * clock, passes a full barrier that depends on it, reads on_cpu == 1 and writes the stamp with a
 * full barrier. What threads did on c before is visible to who reads the stamp, by the first
 * barrier. What they will do comes behind the store of 0, which comes after the load of 1, which
 * came after the clock: they see what the reader wrote, by the second. Those are the barriers that
 * membarrier(2) itself relies on (Documentation/scheduler/membarrier.rst).
 *
 * Nothing here has to happen for that to be right. If a program is missed, if a link is detached in
 * between, if processors come and go, stamps stand still and nothing else.
 *
 * Virtual time is a number that advances now and then. A program reads it before its barrier and
 * writes what it read behind it. If that is more than a reader had read behind its own barrier, it
 * was read later, and all that was said above of the time holds: no clock need be read.
 *
 * Waiters may sleep until they are woken. Who looks for idle processors also looks whether somebody
 * does, and if so tells the daemon how far all processors have come.
 *
 * The idle thread of a processor is one for ever. Its address is noted the first time it is seen,
 * in a map that nobody else reads: until then nobody vouches for that processor.
 */
#include "kernel_types.h"
/* Behind it, for it needs the names. */
#include <bpf/bpf_helpers.h>

#include "fencepost/interrupt_clock/layout.h"

/* What the kernel asks for before it lets a program read its memory. */
char licence[] SEC("license") = "Dual MIT/GPL";

/* Set by the daemon before the program is loaded. */
const volatile __u32 processors = 1;
const volatile __u64 rescan = 100000;

enum { switches_stamped = 4 }; /* after each interrupt */

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, fencepost_clock_first_slot + 1); /* the daemon sets it */
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, union fencepost_clock_line);
} interrupt_clock SEC(".maps");

/* The address of each processor's idle thread; 0: not seen yet. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1); /* the daemon sets it */
  __type(key, __u32);
  __type(value, __u64);
} idle_threads SEC(".maps");

static __always_inline union fencepost_clock_line* line(__u32 index) {
  return bpf_map_lookup_elem(&interrupt_clock, &index);
}

/* Written by whoever waits; read as a hint. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct fencepost_clock_waiters);
} waiters SEC(".maps");

/* For the daemon: each entry is the time that all processors have passed. */
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096); /* the daemon sets it to a page */
} passed SEC(".maps");

/* Reads once, now, and what others write meanwhile. */
static __always_inline __u64 read_once(const __UINT64_TYPE__* word) {
  return *(const volatile __UINT64_TYPE__*)word;
}

/* Notes the idle thread of this processor, if `thread` is it and nobody has yet. */
static __always_inline void note_if_idle(__u32 processor, struct fencepost_clock_slot* own,
                                         const struct task_struct* thread) {
  if (own->idle_noted || thread->pid != 0) return;
  __u64* noted = bpf_map_lookup_elem(&idle_threads, &processor);
  if (!noted) return;
  *noted = (__u64)thread;
  own->idle_noted = 1;
}

struct look {
  __u64 time;         /* of the clock, before a full barrier */
  __u64 virtual_time; /* and the other one */
  __u64 earliest;     /* stamp of any processor that was looked at */
  __u32 own;          /* the processor that looks */
};

/* Advances the stamps of a processor that idles. */
static __always_inline void vouch(__u32 processor, struct fencepost_clock_slot* its,
                                  const struct look* look) {
  const __u64* noted = bpf_map_lookup_elem(&idle_threads, &processor);
  if (!noted || *noted == 0) return;
  const struct task_struct* idle = (const struct task_struct*)*noted;
  int on_cpu = 0;
  if (bpf_probe_read_kernel(&on_cpu, sizeof on_cpu, &idle->on_cpu) != 0 || on_cpu != 1) return;
  const __u64 before = read_once(&its->stamp);
  const __u64 virtual_before = read_once(&its->virtual_stamp);
  /* If somebody else was quicker, there is a newer stamp than `before`, and that will do. */
  if (before >= look->time) return;
  __sync_val_compare_and_swap(&its->stamp, before, look->time);
  if (virtual_before < look->virtual_time) {
    __sync_val_compare_and_swap(&its->virtual_stamp, virtual_before, look->virtual_time);
  }
  its->vouched++;
}

static long look_at(__u32 processor, struct look* look) {
  union fencepost_clock_line* its = line(fencepost_clock_first_slot + processor);
  if (!its) return 0;
  if (processor != look->own) vouch(processor, &its->slot, look);
  /* One that was never seen may not be there at all. */
  const __u64 stamp = read_once(&its->slot.stamp);
  if (stamp != 0 && stamp < look->earliest) look->earliest = stamp;
  return 0;
}

/* `virtual_time`: read before the exchange, which is a full barrier. */
static __always_inline void stamp(struct fencepost_clock_slot* own, __u64 now, __u64 virtual_time) {
  __sync_lock_test_and_set(&own->stamp, now);
  *(volatile __UINT64_TYPE__*)&own->virtual_stamp = virtual_time;
}

/* Until when somebody wants to be woken. */
static __always_inline __u64 waited_until(void) {
  const __u32 first = 0;
  const struct fencepost_clock_waiters* all = bpf_map_lookup_elem(&waiters, &first);
  return all ? read_once(&all->until) : 0;
}

static __always_inline int on_interrupt(void) {
  const __u32 processor = bpf_get_smp_processor_id();
  union fencepost_clock_line* own = line(fencepost_clock_first_slot + processor);
  union fencepost_clock_line* shared = line(1);
  if (!own || !shared) return 0;
  struct look look = {.time = bpf_ktime_get_ns(),
                      .virtual_time = read_once(&shared->state.virtual_time),
                      .earliest = ~0ull,
                      .own = processor};
  stamp(&own->slot, look.time, look.virtual_time);
  own->slot.interrupts++;
  own->slot.credit = switches_stamped;
  note_if_idle(processor, &own->slot, bpf_get_current_task_btf());

  /* One processor at a time looks for idle ones, and not more often than it says in the header, or
   * eight times as often while somebody waits. */
  const __u64 last = read_once(&shared->state.heartbeat);
  if (look.time < last + rescan / 8) return 0;
  const int waited = look.time < waited_until();
  if (!waited && look.time < last + rescan) return 0;
  if (__sync_val_compare_and_swap(&shared->state.heartbeat, last, look.time) != last) return 0;
  __sync_fetch_and_add(&shared->state.virtual_time, 1);
  bpf_loop(processors, look_at, &look, 0);
  if (waited && look.earliest > read_once(&shared->state.told) && look.earliest != ~0ull) {
    shared->state.told = look.earliest;
    bpf_ringbuf_output(&passed, &look.earliest, sizeof look.earliest, BPF_RB_FORCE_WAKEUP);
  }
  return 0;
}

/* The names of interrupts on x86. */
SEC("tp_btf/local_timer_entry") int local_timer(void* context) { return on_interrupt(); }
SEC("tp_btf/reschedule_entry") int reschedule(void* context) { return on_interrupt(); }
SEC("tp_btf/call_function_entry") int call_function(void* context) { return on_interrupt(); }
SEC("tp_btf/call_function_single_entry")
int call_function_single(void* context) { return on_interrupt(); }

/* The names that other architectures share. */
SEC("tp_btf/irq_handler_entry") int irq_handler(void* context) { return on_interrupt(); }
SEC("tp_btf/hrtimer_expire_entry") int hrtimer(void* context) { return on_interrupt(); }
SEC("tp_btf/ipi_entry") int ipi(void* context) { return on_interrupt(); }

/* Everywhere. Its arguments: whether it was a preemption, the thread that stops, the next one.
 *
 * Threads may be switched hundreds of thousands of times a second, and a stamp costs as much as a
 * tenth of a switch. A waiter has nothing of a stamp that is followed by another at once: a few
 * after each interrupt will do, and the other switches pass by. */
SEC("tp_btf/sched_switch") int task_switch(__u64* context) {
  const __u32 processor = bpf_get_smp_processor_id();
  union fencepost_clock_line* own = line(fencepost_clock_first_slot + processor);
  if (!own) return 0;
  own->slot.switches++;
  if (own->slot.credit == 0) return 0;
  own->slot.credit--;
  const union fencepost_clock_line* shared = line(1);
  if (!shared) return 0;
  const __u64 virtual_time = read_once(&shared->state.virtual_time);
  stamp(&own->slot, bpf_ktime_get_ns(), virtual_time);
  note_if_idle(processor, &own->slot, (const struct task_struct*)context[2]);
  return 0;
}
