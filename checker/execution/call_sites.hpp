// SPDX-License-Identifier: MIT
// The calls of atomic operations and fences in the program's code, by the address that they return
// to: which orders each asks for, and which order it gets instead.
//
// A memory order is an argument of the instrumented call, so that another one can be tried without
// compiling again. What is asked for is written down only on request, and what is found here stays
// from one execution to the next.
//
// A fence may be a function of the program's own, with a system call in it. A call of such a
// function can be watched, and be told to order nothing: what happens inside happens, with relaxed
// orders and without fences.
#pragma once

#include <cstdint>

#include "graph/event.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

struct CallSite {
  std::uint64_t pc;
  std::uintptr_t from;  // of a load: where it has read first
  Operation what;
  std::uint8_t size;
  // Sets of orders, one bit each: with a run-time argument there may be several.
  std::uint8_t asked;
  std::uint8_t asked_for_failure;  // of compare-exchange
  bool called;
  bool overridden;
  bool watched;  // a call of a function of the program's own
  bool orders_nothing;
  Order order;
  Order failure;
};

class CallSites {
 public:
  // Reads "PC=ORDER,PC=ORDER/FAILURE,PC=call,PC=none,…": hexadecimal addresses, and orders as
  // results name them. A relaxed fence is none. `call` is a call to be watched, `none` one that is
  // to order nothing. Returns a message on a mistake, else nullptr.
  const char* override_orders(const char* text);
  void write_down() { writing_ = true; }

  // The order that a call gets. Leaves `failure`, of compare-exchange, in place or replaces it.
  Order order(std::uint64_t pc, Operation what, unsigned size, Order asked,
              Order* failure = nullptr) {
    return in_use() ? looked_up(pc, what, size, asked, failure) : asked;
  }

  bool in_use() const { return overriding_ || writing_ || watching_; }
  bool watching() const { return watching_; }
  // Of a call of any kind, where some are watched: whether it is to order nothing.
  bool orders_nothing(std::uint64_t pc);

  bool writing() const { return writing_; }
  // Of a call that was asked for its order, and is written down.
  void loads_from(std::uint64_t pc, std::uintptr_t address);
  // All that were called, in no particular order.
  const Array<CallSite>& table() const { return table_; }

 private:
  Order looked_up(std::uint64_t pc, Operation what, unsigned size, Order asked, Order* failure);
  CallSite* find(std::uint64_t pc, bool add);
  void grow();

  Array<CallSite> table_;  // open addressing; pc 0 is a free slot
  std::uint32_t used_ = 0;
  bool overriding_ = false;
  bool writing_ = false;
  bool watching_ = false;
};

extern CallSites call_sites;

}  // namespace fencepost::checker
