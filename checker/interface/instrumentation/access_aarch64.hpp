// SPDX-License-Identifier: MIT
// Runs an instruction of inline assembly that accesses memory, on the registers that were kept
// where it stands: the access is an operation of the checker, the result goes into the register.
//
// Orders are those from which compilers make these instructions: ldar, stlr and what both acquires
// and releases are seq_cst, ldapr is an acquire load, ldr and str are relaxed. An exclusive pair is
// a load and a compare-exchange with what was loaded: only registers are computed with in between
// (lab/fencepost/binary/machines/aarch64_exclusives.py), so a success that has missed other writes
// does the same as one that has loaded again. No pair is a full barrier.
#pragma once

#include <algorithm>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/fences.hpp"
#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "interface/entry.hpp"
#include "interface/instrumentation/instruction_aarch64.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {

// The registers where the call was made, which are all put back.
struct Registers {
  std::uint64_t general[31];  // x0 .. x30
  std::uint64_t flags;
  alignas(16) std::uint64_t vector[32][2];
  std::uint64_t* stack;  // where the call's frame ends, with x16, x17, x29 and x30 in it
};

// What a load-exclusive leaves behind for the store.
struct Monitor {
  std::uint64_t address;
  Value value;
  unsigned size;
  bool acquire;
};
extern Monitor monitors[64];  // one a thread

class Access {
 public:
  // After the call: the instruction, then the registers that may hold something, 31 bits and one
  // for all vectors, then whether the flags may.
  Access(Registers* registers, std::uint64_t pc)
      : registers_(*registers), pc_(pc), saved_(saved()) {
    const auto* code = reinterpret_cast<const std::uint32_t*>(pc);
    instruction_ = decoded(code[0]);
    address_ = address();
  }

  void run() {
    switch (instruction_.does) {
      case Does::unknown:
        return execution.unsupported(pc_, "inline assembly with an instruction that has no model");
      case Does::load:
        return put(load(load_order()));
      case Does::store:
        return store();
      case Does::load_exclusive:
        return load_exclusive();
      case Does::store_exclusive:
        return store_exclusive();
      case Does::compare_exchange:
        return compare_exchange();
      default:
        return modify();
    }
  }

 private:
  SavedRegisters saved() const {
    const auto* code = reinterpret_cast<const std::uint32_t*>(pc_);
    const std::uint32_t live = code[1];
    SavedRegisters s{};
    std::uint64_t h = 0;
    for (unsigned i = 0; i < 31; ++i) {
      if ((live >> i & 1) != 0) h = mix(h, registers_.general[i]);
    }
    if ((live >> 31) != 0) {
      for (const auto& vector : registers_.vector) h = mix(mix(h, vector[0]), vector[1]);
    }
    if (code[2] != 0) h = mix(h, registers_.flags);
    s.stack = reinterpret_cast<std::uint64_t>(registers_.stack);
    s.preserved[0] = h;
    return s;
  }

  std::uint64_t get(unsigned number) const { return number == 31 ? 0 : registers_.general[number]; }

  void put(unsigned number, std::uint64_t value) {
    if (number != 31) registers_.general[number] = value;
  }

  Value operand(unsigned first, unsigned second) const {
    if (!instruction_.pair) return truncated(get(first), instruction_.size);
    const unsigned half = 4 * instruction_.size;
    return truncated(get(first), instruction_.size / 2) |
           truncated(get(second), instruction_.size / 2) << half;
  }

  void put_operand(unsigned first, unsigned second, Value value) {
    const unsigned size = instruction_.pair ? instruction_.size / 2 : instruction_.size;
    put(first, static_cast<std::uint64_t>(truncated(value, size)));
    if (instruction_.pair) put(second, static_cast<std::uint64_t>(value >> (8 * size)));
  }

  void put(Value value) {
    if (instruction_.sign) {
      const unsigned unused = 64 - 8 * instruction_.size;
      const auto wide = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused);
      const auto extended = static_cast<std::uint64_t>(wide >> unused);
      return put(instruction_.value, instruction_.to_64_bits ? extended : extended & 0xffffffff);
    }
    put_operand(instruction_.value, instruction_.second, value);
  }

  std::uint64_t address() const {
    const std::uint64_t base = instruction_.base == 31
                                   ? reinterpret_cast<std::uint64_t>(registers_.stack)
                                   : get(instruction_.base);
    if (!instruction_.index) return base + static_cast<std::uint64_t>(instruction_.offset);
    std::uint64_t index = get(instruction_.other);
    if (instruction_.option == 2) index = static_cast<std::uint32_t>(index);
    if (instruction_.option == 6)
      index = static_cast<std::uint64_t>(static_cast<std::int32_t>(index));
    return base + (index << instruction_.shift);
  }

  // A function, so that weakening it to no order at all weakens what stands in it.
  Order order(Order asked) const { return orders_nothing(pc_) ? Order::relaxed : asked; }

  Order load_order() const {
    if (!instruction_.acquire) return Order::relaxed;
    return instruction_.processor ? Order::acquire : Order::seq_cst;
  }

  static Order both(bool acquire, bool release) {
    if (acquire) return release ? Order::seq_cst : Order::acquire;
    return release ? Order::release : Order::relaxed;
  }

  Value load(Order asked) {
    fencepost_saved_registers = saved_;
    const Value before = from_memory(address_, instruction_.size);
    if (!exploring()) return before;
    const Value value = atomic_load(address_, instruction_.size, order(asked), pc_, true);
    must_be_announced(before, value);
    return value;
  }

  void store() const {
    const Value value = operand(instruction_.value, instruction_.second);
    if (exploring()) {
      atomic_store(address_, instruction_.size, value,
                   order(instruction_.release ? Order::seq_cst : Order::relaxed), pc_);
    } else {
      std::memcpy(reinterpret_cast<void*>(address_), &value, instruction_.size);
    }
  }

  Monitor& monitor() const { return monitors[exploring() ? execution.current->id : 0]; }

  void load_exclusive() {
    const Value value = load(instruction_.acquire ? Order::acquire : Order::relaxed);
    monitor() = {address_, value, instruction_.size, instruction_.acquire};
    put(value);
  }

  // What the load found decides, whichever registers still hold it.
  void store_exclusive() {
    const Monitor found = monitor();
    if (found.address != address_ || found.size != instruction_.size) {
      return execution.unsupported(pc_, "an exclusive store of another word than was loaded");
    }
    saved_.preserved[0] = mix(mix(saved_.preserved[0], static_cast<std::uint64_t>(found.value)),
                              static_cast<std::uint64_t>(found.value >> 64));
    const Value desired = operand(instruction_.value, instruction_.second);
    const bool done = exchanged(found.value, desired, both(found.acquire, instruction_.release),
                                Order::relaxed) == found.value;
    put(instruction_.other, done ? 0 : 1);
  }

  // What was found.
  Value exchanged(Value wanted, Value desired, Order success, Order failure) {
    fencepost_saved_registers = saved_;
    const Value before = from_memory(address_, instruction_.size);
    if (!exploring()) {
      if (before == wanted)
        std::memcpy(reinterpret_cast<void*>(address_), &desired, instruction_.size);
      return before;
    }
    Value found = wanted;
    atomic_compare_exchange(address_, instruction_.size, &found, desired, order(success),
                            order(failure), false, pc_);
    must_be_announced(before, found);
    return found;
  }

  void compare_exchange() {
    const bool acquire = instruction_.acquire, release = instruction_.release;
    const Value found =
        exchanged(operand(instruction_.other, instruction_.other + 1),
                  operand(instruction_.value, instruction_.value + 1), both(acquire, release),
                  acquire ? both(true, release) : Order::relaxed);
    put_operand(instruction_.other, instruction_.other + 1, found);
  }

  void modify() {
    if (instruction_.value == 31 && exploring()) adds_without_result(pc_);
    const Order asked = both(instruction_.acquire, instruction_.release);
    const Value operand = truncated(get(instruction_.other), instruction_.size);
    switch (instruction_.does) {
      case Does::add:
        return put(changed(Operation::fetch_add, operand, asked));
      case Does::clear:
        return put(changed(Operation::fetch_and, truncated(~operand, instruction_.size), asked));
      case Does::exclusive_or:
        return put(changed(Operation::fetch_xor, operand, asked));
      case Does::set:
        return put(changed(Operation::fetch_or, operand, asked));
      case Does::exchange:
        return put(changed(Operation::exchange, operand, asked));
      default:
        return put(limited(operand, asked));
    }
  }

  Value changed(Operation what, Value operand, Order asked) {
    fencepost_saved_registers = saved_;
    const Value before = from_memory(address_, instruction_.size);
    if (exploring()) {
      const Value old =
          atomic_modify(what, address_, instruction_.size, operand, order(asked), pc_);
      must_be_announced(before, old);
      return old;
    }
    const Value value = result_of(what, before, operand);
    std::memcpy(reinterpret_cast<void*>(address_), &value, instruction_.size);
    return before;
  }

  // Of the larger or smaller of two: compared and exchanged until nobody has come between. What has
  // been loaded is no register of the program's, and part of its state all the same.
  Value limited(Value operand, Order asked) {
    const SavedRegisters at_load = saved_;
    while (true) {
      saved_ = at_load;
      const Value old = load(Order::relaxed);
      saved_.preserved[1] = mix(1, static_cast<std::uint64_t>(old));
      if (exchanged(old, limit(old, operand), asked, Order::relaxed) == old) return old;
    }
  }

  Value limit(Value one, Value other) const {
    const unsigned unused = 64 - 8 * instruction_.size;
    const auto a = static_cast<std::int64_t>(static_cast<std::uint64_t>(one) << unused);
    const auto b = static_cast<std::int64_t>(static_cast<std::uint64_t>(other) << unused);
    switch (instruction_.does) {
      case Does::signed_max:
        return a > b ? one : other;
      case Does::signed_min:
        return a < b ? one : other;
      case Does::unsigned_max:
        return std::max(one, other);
      default:
        return std::min(one, other);
    }
  }

  // A local variable that nobody else can have, which the compiler may keep in memory, changes
  // without any call.
  void must_be_announced(Value before, Value found) const {
    if (written_unannounced(address_, before, found)) {
      execution.unsupported(pc_,
                            "inline assembly reads a local variable of which the compiler does not "
                            "say when it changes (an operand that may be in memory or a register)");
    }
  }

  Registers& registers_;
  const std::uint64_t pc_;
  SavedRegisters saved_;
  Instruction instruction_;
  std::uint64_t address_ = 0;
};

}  // namespace fencepost::checker
