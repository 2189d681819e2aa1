// SPDX-License-Identifier: MIT
// What an instruction of AArch64 that accesses memory says, by its encoding (Arm Architecture
// Reference Manual, C4.1: loads and stores).
#pragma once

#include <cstdint>

#include "execution/accesses/values.hpp"

namespace fencepost::checker {

enum class Does : std::uint8_t {
  unknown,
  load,
  store,
  load_exclusive,
  store_exclusive,
  compare_exchange,
  exchange,
  add,
  clear,
  exclusive_or,
  set,
  signed_max,
  signed_min,
  unsigned_max,
  unsigned_min,
};

// A register of number 31 is the zero register, as an address the stack pointer.
struct Instruction {
  Does does = Does::unknown;
  unsigned size = 0;        // of what is accessed, both words of a pair
  bool pair = false;        // of two registers
  bool acquire = false;     // with the order that Arm calls load-acquire
  bool release = false;     // store-release
  bool processor = false;   // ldapr: does not wait for a store-release before it
  bool sign = false;        // extends the sign,
  bool to_64_bits = false;  // as far as this
  bool index = false;       // the address is the sum of two registers
  unsigned value = 31;      // the register that is stored, or loaded, the first of a pair
  unsigned second = 31;     // of a pair
  unsigned other = 31;      // operand, status or compared value
  unsigned base = 31;
  unsigned option = 0;  // how the index is extended
  unsigned shift = 0;   // and shifted
  std::int64_t offset = 0;
};

constexpr unsigned bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1U << (high - low + 1)) - 1);
}

constexpr void decode_exclusive(std::uint32_t word, Instruction* i) {
  const bool o2 = bits(word, 23, 23) != 0, loads = bits(word, 22, 22) != 0;
  const bool o1 = bits(word, 21, 21) != 0, o0 = bits(word, 15, 15) != 0;
  const unsigned size = bits(word, 31, 30);
  i->other = bits(word, 20, 16);
  i->size = 1U << size;
  if (o2 && !o1) {
    i->does = loads ? Does::load : Does::store;
    (loads ? i->acquire : i->release) = true;  // ldlar and stllr as ldar and stlr, which order less
    if (!o0) i->does = Does::unknown;
  } else if (o2 || (o1 && size < 2)) {  // cas, casp
    i->does = Does::compare_exchange;
    i->acquire = loads;
    i->release = o0;
    i->pair = !o2;
    if (i->pair) i->size = size == 0 ? 8 : 16;
    i->second = i->value + 1;
  } else {
    i->does = loads ? Does::load_exclusive : Does::store_exclusive;
    (loads ? i->acquire : i->release) = o0;
    i->pair = o1;
    if (i->pair) i->size *= 2;
    i->second = bits(word, 14, 10);
  }
}

constexpr void decode_atomic(std::uint32_t word, Instruction* i) {
  constexpr Does kDoes[] = {Does::add,          Does::clear,       Does::exclusive_or,
                            Does::set,          Does::signed_max,  Does::signed_min,
                            Does::unsigned_max, Does::unsigned_min};
  const unsigned operation = bits(word, 15, 12);
  i->size = 1U << bits(word, 31, 30);
  i->other = bits(word, 20, 16);
  i->acquire = bits(word, 23, 23) != 0;
  i->release = bits(word, 22, 22) != 0;
  if (operation < 8) {
    i->does = kDoes[operation];
  } else if (operation == 8) {
    i->does = Does::exchange;
  } else if (operation == 12 && i->acquire && !i->release && i->other == 31) {
    i->does = Does::load;
    i->processor = true;
  }
  // Nothing acquires if there is nothing that the value is loaded into.
  if (i->does != Does::load && i->value == 31) i->acquire = false;
}

constexpr void decode_plain(std::uint32_t word, Instruction* i) {
  const unsigned size = bits(word, 31, 30), operation = bits(word, 23, 22);
  if (operation >= 2 && size + operation > 4) return;  // a prefetch, and what is not allocated
  i->size = 1U << size;
  i->does = operation == 0 ? Does::store : Does::load;
  i->sign = operation >= 2;
  i->to_64_bits = operation == 2;
  if (bits(word, 24, 24) != 0) {
    i->offset = static_cast<std::int64_t>(bits(word, 21, 10)) << size;
  } else if (bits(word, 21, 21) != 0) {
    i->index = true;
    i->other = bits(word, 20, 16);
    i->option = bits(word, 15, 13);
    i->shift = bits(word, 12, 12) != 0 ? size : 0;
    if (bits(word, 11, 10) != 2) i->does = Does::unknown;
  } else {
    i->offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) << 43) >> 55;
    if (bits(word, 11, 10) != 0) i->does = Does::unknown;  // it changes the base, or is privileged
  }
}

constexpr Instruction decoded(std::uint32_t word) {
  Instruction i;
  i.value = bits(word, 4, 0);
  i.base = bits(word, 9, 5);
  if ((word & 0x3F000000) == 0x08000000) {
    decode_exclusive(word, &i);
  } else if ((word & 0x3F200C00) == 0x38200000) {
    decode_atomic(word, &i);
  } else if ((word & 0x3E000000) == 0x38000000) {
    decode_plain(word, &i);
  }
  return i;
}

// ldaxr w1, [x2]; stlxp w0, x1, x2, [x3]; casal x0, x1, [x2]; caspa x0, x1, x2, x3, [x4];
// ldaddal w0, w1, [x2]; stset w0, [x1]; ldrsw x0, [x1, #8]; ldur x0, [x1, #-8]
static_assert(decoded(0x885FFC41).does == Does::load_exclusive && decoded(0x885FFC41).acquire);
static_assert(decoded(0xC8208861).pair && decoded(0xC8208861).release &&
              decoded(0xC8208861).size == 16);
static_assert(decoded(0xC8E0FC41).does == Does::compare_exchange && decoded(0xC8E0FC41).acquire);
static_assert(decoded(0x48607C82).pair && decoded(0x48607C82).size == 16 &&
              !decoded(0x48607C82).release);
static_assert(decoded(0xB8E00041).does == Does::add && decoded(0xB8E00041).size == 4);
static_assert(decoded(0xB820303F).does == Does::set && decoded(0xB820303F).value == 31);
static_assert(decoded(0xB9800820).sign && decoded(0xB9800820).offset == 8);
static_assert(decoded(0xF85F8020).does == Does::load && decoded(0xF85F8020).offset == -8);

}  // namespace fencepost::checker
