// SPDX-License-Identifier: MIT
// What compilers call for atomic accesses that they do not know to be lock-free: because of a size,
// or an alignment that they do not see. The library of that name (libatomic) looks at the address,
// and does with one instruction what is aligned and of a power of two up to 16 bytes; that is what
// is modelled. It has locks for the rest, which are in no standard: that is refused.
#include <bit>
#include <cstring>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/entry.hpp"
#include "machine/program_code.hpp"

namespace checker = fencepost::checker;
using checker::address_of;
using checker::execution;
using checker::Operation;
using checker::reads;
using checker::Value;
using checker::writes;

namespace {

constexpr std::size_t kMost = 16;

// Libraries have atomic objects of their own.
bool models(std::uint64_t pc) { return checker::exploring() && checker::is_program_code(pc); }

bool is_one_access(std::size_t size, const volatile void* p) {
  return size <= kMost && std::has_single_bit(size) && address_of(p) % size == 0;
}

unsigned must_be_one_access(std::size_t size, const volatile void* p, std::uint64_t pc) {
  if (!is_one_access(size, p)) {
    execution.unsupported(pc,
                          "an atomic access of %lu bytes at address 0x%lx, which is not lock-free "
                          "(the compiler's library takes a lock for it)",
                          static_cast<unsigned long>(size),
                          static_cast<unsigned long>(address_of(p)));
  }
  return static_cast<unsigned>(size);
}

checker::Order order_at(std::uint64_t pc, int order) {
  return checker::orders_nothing(pc) ? checker::Order::relaxed : checker::order_of(order);
}

Value load(std::size_t size, const volatile void* p, int order, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  Value value = 0;
  if (models(pc)) {
    const unsigned bytes = must_be_one_access(size, p, pc);
    value = checker::atomic_load(address_of(p), bytes, order_at(pc, order), pc, true);
  } else {
    std::memcpy(&value, const_cast<const void*>(p), size);
  }
  return value;
}

void store(std::size_t size, volatile void* p, Value value, int order, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (models(pc)) {
    const unsigned bytes = must_be_one_access(size, p, pc);
    checker::atomic_store(address_of(p), bytes, value, order_at(pc, order), pc);
  } else {
    std::memcpy(const_cast<void*>(p), &value, size);
  }
}

Value modify(Operation what, std::size_t size, volatile void* p, Value operand, int order,
             std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (models(pc)) {
    const unsigned bytes = must_be_one_access(size, p, pc);
    return checker::atomic_modify(what, address_of(p), bytes, operand, order_at(pc, order), pc);
  }
  Value old = 0;
  std::memcpy(&old, const_cast<const void*>(p), size);
  const Value value = checker::result_of(what, old, operand);
  std::memcpy(const_cast<void*>(p), &value, size);
  return old;
}

bool compare_exchange(std::size_t size, volatile void* p, void* expected, Value desired,
                      int success, int failure, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (models(pc)) {
    const unsigned bytes = must_be_one_access(size, p, pc);
    return checker::atomic_compare_exchange(address_of(p), bytes, expected, desired,
                                            order_at(pc, success), order_at(pc, failure), false,
                                            pc);
  }
  if (std::memcmp(const_cast<const void*>(p), expected, size) == 0) {
    std::memcpy(const_cast<void*>(p), &desired, size);
    return true;
  }
  std::memcpy(expected, const_cast<const void*>(p), size);
  return false;
}

// What lies in the caller's variables; more than one access has is refused before it is looked at.
Value given(std::size_t size, const volatile void* p, const void* from, std::uint64_t pc) {
  Value value = 0;
  if (models(pc)) must_be_one_access(size, p, pc);
  reads(from, size, pc);
  std::memcpy(&value, from, size);
  return value;
}

void give(std::size_t size, void* to, Value value, std::uint64_t pc) {
  writes(to, size, pc);
  std::memcpy(to, &value, size);
}

}  // namespace

// Each is called without `fencepost_` (tsan_entries.hpp): those names the compiler has for its own.
extern "C" {

void fencepost___atomic_load(std::size_t size, const volatile void* p, void* result, int order) {
  give(size, result, load(size, p, order, FENCEPOST_PC()), FENCEPOST_PC());
}
void fencepost___atomic_store(std::size_t size, volatile void* p, const void* value, int order) {
  store(size, p, given(size, p, value, FENCEPOST_PC()), order, FENCEPOST_PC());
}
void fencepost___atomic_exchange(std::size_t size, volatile void* p, const void* value,
                                 void* result, int order) {
  const checker::SavedRegisters registers = checker::fencepost_saved_registers;
  const Value wanted = given(size, p, value, FENCEPOST_PC());
  checker::fencepost_saved_registers = registers;
  const Value old = modify(Operation::exchange, size, p, wanted, order, FENCEPOST_PC());
  give(size, result, old, FENCEPOST_PC());
}
bool fencepost___atomic_compare_exchange(std::size_t size, volatile void* p, void* expected,
                                         const void* desired, int success, int failure) {
  const checker::SavedRegisters registers = checker::fencepost_saved_registers;
  const Value wanted = given(size, p, desired, FENCEPOST_PC());
  reads(expected, size, FENCEPOST_PC());
  checker::fencepost_saved_registers = registers;
  const bool done = compare_exchange(size, p, expected, wanted, success, failure, FENCEPOST_PC());
  if (!done) writes(expected, size, FENCEPOST_PC());
  return done;
}

Value fencepost___atomic_load_16(const volatile void* p, int order) {
  return load(kMost, p, order, FENCEPOST_PC());
}
void fencepost___atomic_store_16(volatile void* p, Value value, int order) {
  store(kMost, p, value, order, FENCEPOST_PC());
}
Value fencepost___atomic_exchange_16(volatile void* p, Value value, int order) {
  return modify(Operation::exchange, kMost, p, value, order, FENCEPOST_PC());
}
bool fencepost___atomic_compare_exchange_16(volatile void* p, void* expected, Value desired,
                                            int success, int failure) {
  const checker::SavedRegisters registers = checker::fencepost_saved_registers;
  reads(expected, kMost, FENCEPOST_PC());
  checker::fencepost_saved_registers = registers;
  const bool done = compare_exchange(kMost, p, expected, desired, success, failure, FENCEPOST_PC());
  if (!done) writes(expected, kMost, FENCEPOST_PC());
  return done;
}

#define FENCEPOST_FETCH(operation)                                                              \
  Value fencepost___atomic_fetch_##operation##_16(volatile void* p, Value operand, int order) { \
    return modify(Operation::fetch_##operation, kMost, p, operand, order, FENCEPOST_PC());      \
  }
FENCEPOST_FETCH(add)
FENCEPOST_FETCH(sub)
FENCEPOST_FETCH(and)
FENCEPOST_FETCH(or)
FENCEPOST_FETCH(xor)
FENCEPOST_FETCH(nand)

// Of 16 bytes libatomic says no: its loads write.
bool fencepost___atomic_is_lock_free(std::size_t size, const volatile void* p) {
  return size < kMost && is_one_access(size, p);
}

// The exceptions of an atomic compound assignment of floating-point numbers. Who asks for them is
// refused: fetestexcept is not modelled.
void __atomic_feraiseexcept(int) {}

}  // extern "C"
