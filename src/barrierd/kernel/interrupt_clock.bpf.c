/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The interrupt clock: on every interrupt the time goes into the line of the processor on which it
 * happened. The lines lie in a map that readers have mapped.
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
 * Idle processors take no interrupts, and where threads are switched all the time nobody wants to
 * pay for a program at each switch. So a processor that takes an interrupt looks at the others now
 * and then, in the kernel's own records and not in any of ours, which might be out of date, and
 * advances their stamps in their place. It reads the clock, passes a full barrier that depends on
 * it, reads the record of c and writes the stamp with a full barrier. Meanwhile the scheduler on c
 *
 *     leaves user mode; full barrier (behind the lock of the queue); nr_switches++;
 *     next->on_cpu = 1 ... previous->on_cpu = 0 (release);
 *     full barrier (when a borrowed address space is given back); returns to user mode
 *
 * (__schedule()). Those are the barriers that membarrier(2) itself relies on
 * (Documentation/scheduler/membarrier.rst). The two records:
 *
 * - on_cpu of the idle thread of c is 1: c executes no thread of a process. What threads did on c
 *   before is visible to who reads the stamp, by the first barrier. What they will do comes behind
 *   the store of 0, which comes after the load of 1, which came after the clock: they see what the
 *   reader wrote, by the second barrier.
 * - nr_switches has grown by two since it was read before, which was after the time w. The second
 *   addition's barrier comes behind the first addition, which comes after that earlier load, which
 *   came after w: what follows the barrier sees what was visible at w. What precedes it is visible
 *   to who reads the stamp, which then is w. (A single addition's barrier may have been before w.)
 *   The time w and the count are noted in one word, so that several processors that look at once
 *   cannot mix them up.
 *
 * Nothing here has to happen for that to be right. If a program is missed, if a link is detached in
 * between, if processors come and go, stamps stand still and nothing else.
 *
 * Virtual time is a number that advances now and then. A program reads it before its barrier and
 * writes what it read behind it. If that is more than a reader had read behind its own barrier, it
 * was read later, and all that was said above of the time holds: no clock need be read.
 *
 * Waiters may sleep until they are woken. Who looks at the other processors also looks whether
 * somebody does, and if so tells the daemon how far all processors have come.
 */
#include "kernel_types.h"
/* Behind it, for it needs the names. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "fencepost/interrupt_clock/layout.h"

/* What the kernel asks for before it lets a program read its memory. */
char licence[] SEC("license") = "Dual MIT/GPL";

/* Set by the daemon before the program is loaded. */
const volatile __u32 processors = 1;
const volatile __u64 rescan = 100000;

/* Written by the daemon: until then nobody is taken for waiting. */
__u64 unheard_until = 0;

/* Where the kernel's records of a processor are, from its first interrupt on. */
struct records {
  __u64 idle;  /* its idle thread; 0: not known */
  __u64 queue; /* of its threads; 0: not known */
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1); /* the daemon sets it */
  __type(key, __u32);
  __type(value, struct records);
} known SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, fencepost_clock_first_slot + 1); /* the daemon sets it */
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, union fencepost_clock_line);
} interrupt_clock SEC(".maps");

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

/* Notes where the records of this processor are, if nobody has looked at its switches yet. */
static __always_inline void note_records(__u32 processor, const struct fencepost_clock_slot* own) {
  if (own->noted) return;
  struct records* its = bpf_map_lookup_elem(&known, &processor);
  if (!its || its->idle) return;
  const struct task_struct* current = bpf_get_current_task_btf();
  if (bpf_core_field_exists(current->se.cfs_rq) && bpf_core_field_exists(struct cfs_rq, rq)) {
    const struct rq* queue = current->se.cfs_rq->rq;
    if ((__u32)queue->cpu != processor) return;
    its->queue = (__u64)queue;
    its->idle = (__u64)queue->idle;
  } else if (current->pid == 0) {
    its->idle = (__u64)current;
  }
}

struct look {
  __u64 time;         /* of the clock, before a full barrier */
  __u64 virtual_time; /* and the other one */
  __u64 earliest;     /* stamp of any processor that was looked at */
};

/* Whether it did. If somebody else is quicker, there is a newer stamp than `before`, which will do.
 */
static __always_inline int advance(__UINT64_TYPE__* stamp, __u64 time) {
  const __u64 before = read_once(stamp);
  if (before >= time) return 0;
  __sync_val_compare_and_swap(stamp, before, time);
  return 1;
}

/* Advances a stamp to the time that was noted, if the processor has switched threads twice since,
 * and notes a later one, `time` with the count of switches that was read behind it. Between the two
 * switches the note stands.
 *
 * A note is the time in units of `1 << unit` and the last 16 bits of the count. Where switches are
 * missed because there were 65,536 in between, the stamp is not advanced. */
static __always_inline void look_for_switches(__UINT64_TYPE__* stamp, __UINT64_TYPE__* note,
                                              __u64 time, unsigned unit, __u16 count) {
  const __u64 noted = read_once(note);
  const __u16 since = count - (__u16)noted;
  if (since == 1) return;
  if (since > 1) advance(stamp, noted >> 16 << unit);
  *(volatile __UINT64_TYPE__*)note = time >> unit << 16 | count;
}

static __always_inline void advance_for(struct fencepost_clock_slot* slot,
                                        const struct records* its, const struct look* look) {
  const struct rq* queue = (const struct rq*)its->queue;
  __u64 count = 0;
  if (queue && bpf_probe_read_kernel(&count, sizeof count, &queue->nr_switches) == 0) {
    slot->switches = count;
    look_for_switches(&slot->stamp, &slot->noted, look->time, 10, count);
    look_for_switches(&slot->virtual_stamp, &slot->virtual_noted, look->virtual_time, 0, count);
  }
  const struct task_struct* idle = (const struct task_struct*)its->idle;
  int on_cpu = 0;
  if (idle && bpf_probe_read_kernel(&on_cpu, sizeof on_cpu, &idle->on_cpu) == 0 && on_cpu == 1) {
    if (advance(&slot->stamp, look->time)) slot->vouched++;
    advance(&slot->virtual_stamp, look->virtual_time);
  }
}

static long look_at(__u32 processor, struct look* look) {
  union fencepost_clock_line* its = line(fencepost_clock_first_slot + processor);
  const struct records* records = bpf_map_lookup_elem(&known, &processor);
  if (!its || !records) return 0;
  struct fencepost_clock_slot* slot = &its->slot;
  advance_for(slot, records, look);
  /* One that was never seen may not be there at all. */
  const __u64 stamp = read_once(&slot->stamp);
  if (stamp != 0 && stamp < look->earliest) look->earliest = stamp;
  return 0;
}

/* `virtual_time`: read before the exchange, which is a full barrier. */
static __always_inline void stamp(struct fencepost_clock_slot* own, __u64 now, __u64 virtual_time) {
  __sync_lock_test_and_set(&own->stamp, now);
  *(volatile __UINT64_TYPE__*)&own->virtual_stamp = virtual_time;
}

/* Whether somebody wants to be woken, as far as the daemon listens. */
static __always_inline int is_waited_at(__u64 time) {
  const __u32 first = 0;
  const struct fencepost_clock_waiters* all = bpf_map_lookup_elem(&waiters, &first);
  return all && time < read_once(&all->until) && time >= read_once(&unheard_until);
}

static __always_inline int on_interrupt(void) {
  const __u32 processor = bpf_get_smp_processor_id();
  union fencepost_clock_line* own = line(fencepost_clock_first_slot + processor);
  union fencepost_clock_line* shared = line(1);
  if (!own || !shared) return 0;
  struct look look = {.time = bpf_ktime_get_ns(),
                      .virtual_time = read_once(&shared->state.virtual_time),
                      .earliest = ~0ull};
  stamp(&own->slot, look.time, look.virtual_time);
  own->slot.interrupts++;
  note_records(processor, &own->slot);

  /* One processor at a time looks at the others, and not more often than it says in the header, or
   * eight times as often while somebody waits. */
  const __u64 last = read_once(&shared->state.heartbeat);
  if (look.time < last + rescan / 8) return 0;
  const int waited = is_waited_at(look.time);
  if (!waited && look.time < last + rescan) return 0;
  if (__sync_val_compare_and_swap(&shared->state.heartbeat, last, look.time) != last) return 0;
  __sync_fetch_and_add(&shared->state.virtual_time, 1);
  bpf_loop(processors, look_at, &look, 0);
  if (waited && look.earliest > read_once(&shared->state.told) && look.earliest != ~0ull) {
    shared->state.told = look.earliest;
    if (bpf_ringbuf_output(&passed, &look.earliest, sizeof look.earliest, BPF_RB_FORCE_WAKEUP) == 0)
      __sync_fetch_and_add(&shared->state.calls, 1);
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
