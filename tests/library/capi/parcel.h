/* SPDX-License-Identifier: MIT
 *
 * What goes through rings. */
#pragma once

#include <string.h>

#include "check.h"

/* Of a size that is no power of two, and more than a word. */
struct parcel {
  uint32_t producer;
  uint32_t number;
  unsigned char check[5];
};

static inline struct parcel parcel_of(uint32_t producer, uint32_t number) {
  struct parcel parcel;
  memset(&parcel, 0, sizeof parcel);
  parcel.producer = producer;
  parcel.number = number;
  for (int n = 0; n < 5; ++n) parcel.check[n] = (unsigned char)(producer * 31 + number + n);
  return parcel;
}

static inline void is_intact(const struct parcel* parcel) {
  const struct parcel wanted = parcel_of(parcel->producer, parcel->number);
  CHECK(memcmp(&wanted, parcel, sizeof wanted) == 0);
}
