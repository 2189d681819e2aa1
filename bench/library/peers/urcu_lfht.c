/* SPDX-License-Identifier: MIT
 *
 * liburcu's lock-free hash table under one flavour: FLAVOUR is its name, FLAVOUR_HEADER what it is
 * included by. As many buckets as ours has, so that neither resizes.
 */
#define _LGPL_SOURCE
#define URCU_API_MAP
#include FLAVOUR_HEADER

#include <stdlib.h>
#include <urcu/rculfhash.h>

#include "hash_map.h"

#define JOINED(a, b) a##b
#define NAMED(flavour, rest) JOINED(flavour, rest)
#define MINE(rest) NAMED(FLAVOUR, _lfht##rest)

struct element {
  struct cds_lfht_node node;
  uint64_t key;
  uint64_t value;
  struct rcu_head head;
};

struct MINE(_map) {
  struct cds_lfht* table;
};

static int matches(struct cds_lfht_node* node, const void* key) {
  return caa_container_of(node, struct element, node)->key == *(const uint64_t*)key;
}

static void end(struct rcu_head* head) { free(caa_container_of(head, struct element, head)); }

static struct element* found(struct cds_lfht* table, uint64_t key) {
  struct cds_lfht_iter place;
  cds_lfht_lookup(table, hash_of_key(key), matches, &key, &place);
  struct cds_lfht_node* const node = cds_lfht_iter_get_node(&place);
  return node == NULL ? NULL : caa_container_of(node, struct element, node);
}

static void insert(struct cds_lfht* table, uint64_t key) {
  struct element* const fresh = malloc(sizeof *fresh);
  cds_lfht_node_init(&fresh->node);
  fresh->key = key;
  fresh->value = key;
  rcu_read_lock();
  struct cds_lfht_node* const there =
      cds_lfht_add_unique(table, hash_of_key(key), matches, &key, &fresh->node);
  rcu_read_unlock();
  if (there != &fresh->node) free(fresh);
}

static void erase(struct cds_lfht* table, uint64_t key) {
  rcu_read_lock();
  struct element* const gone = found(table, key);
  if (gone != NULL && cds_lfht_del(table, &gone->node) == 0) call_rcu(&gone->head, end);
  rcu_read_unlock();
}

struct MINE(_map) * MINE(_new)(uint64_t keys) {
  struct MINE(_map)* const map = malloc(sizeof *map);
  uint64_t buckets = 64;
  while (buckets - buckets / 8 < keys / 2) buckets *= 2;
  map->table = cds_lfht_new(buckets, 1, 0, 0, NULL);
  rcu_register_thread();
  for (uint64_t key = 0; key < keys; key += 2) insert(map->table, key);
  rcu_unregister_thread();
  return map;
}

void MINE(_delete)(struct MINE(_map) * map) {
  struct cds_lfht_iter place;
  struct element* one;
  rcu_register_thread();
  rcu_read_lock();
  cds_lfht_for_each_entry(map->table, &place, one, node) {
    cds_lfht_del(map->table, &one->node);
    call_rcu(&one->head, end);
  }
  rcu_read_unlock();
  rcu_unregister_thread();
  rcu_barrier();
  cds_lfht_destroy(map->table, NULL);
  free(map);
}

uint64_t MINE(_work)(struct MINE(_map) * map, const uint32_t* stop, uint64_t seed, uint64_t keys,
                     uint64_t lookups) {
  uint64_t done = 0;
  rcu_register_thread();
  while (__atomic_load_n(stop, __ATOMIC_RELAXED) == 0) {
    for (int n = 0; n != 64; ++n) {
      seed ^= seed >> 12;
      seed ^= seed << 25;
      seed ^= seed >> 27;
      const uint64_t drawn = seed * UINT64_C(0x2545F4914F6CDD1D);
      const uint64_t key = (drawn >> 32) * keys >> 32;
      if ((drawn & 1023) < lookups) {
        rcu_read_lock();
        const struct element* const one = found(map->table, key);
        if (one != NULL) __asm__ volatile("" ::"r"(one->value));
        rcu_read_unlock();
      } else if (drawn & 1024) {
        insert(map->table, key);
      } else {
        erase(map->table, key);
      }
    }
    done += 64;
    rcu_quiescent_state();
  }
  rcu_unregister_thread();
  return done;
}
