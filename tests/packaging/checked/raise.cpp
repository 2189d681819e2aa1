// SPDX-License-Identifier: MIT
#include "raise.hpp"

bool raise(std::atomic<int>& own, const std::atomic<int>& other) {
  own.store(VALUE, order);
  return other.load(order) == VALUE;
}
