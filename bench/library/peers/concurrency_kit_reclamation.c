/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's epochs and hazard pointers. What is not its business is left to its users: when
 * to look whether something can be reclaimed. Here it is once for each thousand objects, as ours
 * does.
 */
#include <ck_epoch.h>
#include <ck_hp.h>
#include <stdlib.h>

#include "reclamation.h"

enum { batch = 1000 };

/* Epochs */

struct epoch_object {
  uint64_t value;
  ck_epoch_entry_t entry;
};

struct ck_epoch_box {
  _Alignas(64) struct epoch_object* shared;
  _Alignas(64) ck_epoch_t epoch;
};

struct ck_epoch_box* ck_epoch_new(void) {
  struct ck_epoch_box* const box = aligned_alloc(64, sizeof *box);
  box->shared = calloc(1, sizeof *box->shared);
  ck_epoch_init(&box->epoch);
  return box;
}

static ck_epoch_record_t* epoch_record(struct ck_epoch_box* box) {
  ck_epoch_record_t* record = ck_epoch_recycle(&box->epoch, NULL);
  if (record == NULL) {
    record = aligned_alloc(64, (sizeof *record + 63) / 64 * 64);
    ck_epoch_register(&box->epoch, record, NULL);
  }
  return record;
}

void ck_epoch_delete(struct ck_epoch_box* box) {
  ck_epoch_record_t* record;
  while ((record = ck_epoch_recycle(&box->epoch, NULL)) != NULL) {
    /* Records are for good: what is left are those few. */
  }
  free(box->shared);
  free(box);
}

void ck_epoch_reads(struct ck_epoch_box* box, uint64_t reads) {
  ck_epoch_record_t* const record = epoch_record(box);
  for (uint64_t n = 0; n != reads; ++n) {
    ck_epoch_begin(record, NULL);
    const struct epoch_object* const seen = ck_pr_load_ptr(&box->shared);
    __asm__ volatile("" ::"r"(seen->value));
    ck_epoch_end(record, NULL);
  }
  ck_epoch_unregister(record);
}

static void end_epoch_object(ck_epoch_entry_t* entry) {
  free((char*)entry - offsetof(struct epoch_object, entry));
}

void ck_epoch_replaces(struct ck_epoch_box* box, uint64_t objects) {
  ck_epoch_record_t* const record = epoch_record(box);
  for (uint64_t n = 0; n != objects; ++n) {
    struct epoch_object* const fresh = malloc(sizeof *fresh);
    fresh->value = n;
    struct epoch_object* const old = ck_pr_fas_ptr(&box->shared, fresh);
    ck_epoch_call(record, &old->entry, end_epoch_object);
    if (n % batch == batch - 1) ck_epoch_poll(record);
  }
  ck_epoch_barrier(record);
  ck_epoch_unregister(record);
}

/* Hazard pointers */

struct hp_object {
  uint64_t value;
  ck_hp_hazard_t hazard;
};

struct ck_hp_box {
  _Alignas(64) struct hp_object* shared;
  _Alignas(64) ck_hp_t hp;
};

struct ck_hp_box* ck_hp_new(void) {
  struct ck_hp_box* const box = aligned_alloc(64, sizeof *box);
  box->shared = calloc(1, sizeof *box->shared);
  ck_hp_init(&box->hp, 1, batch, free);
  return box;
}

void ck_hp_delete(struct ck_hp_box* box) {
  free(box->shared);
  free(box);
}

static ck_hp_record_t* hp_record(struct ck_hp_box* box) {
  ck_hp_record_t* record = ck_hp_recycle(&box->hp);
  if (record == NULL) {
    record = aligned_alloc(64, (sizeof *record + 63) / 64 * 64);
    ck_hp_register(&box->hp, record, aligned_alloc(64, 64));
  }
  return record;
}

void ck_hp_reads(struct ck_hp_box* box, uint64_t reads) {
  ck_hp_record_t* const record = hp_record(box);
  for (uint64_t n = 0; n != reads; ++n) {
    struct hp_object* seen;
    do {
      seen = ck_pr_load_ptr(&box->shared);
      ck_hp_set_fence(record, 0, seen);
    } while (seen != ck_pr_load_ptr(&box->shared));
    __asm__ volatile("" ::"r"(seen->value));
    ck_hp_set(record, 0, NULL);
  }
  ck_hp_unregister(record);
}

void ck_hp_replaces(struct ck_hp_box* box, uint64_t objects) {
  ck_hp_record_t* const record = hp_record(box);
  for (uint64_t n = 0; n != objects; ++n) {
    struct hp_object* const fresh = malloc(sizeof *fresh);
    fresh->value = n;
    struct hp_object* const old = ck_pr_fas_ptr(&box->shared, fresh);
    ck_hp_free(record, &old->hazard, old, old);
  }
  ck_hp_purge(record);
  ck_hp_unregister(record);
}
