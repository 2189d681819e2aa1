// SPDX-License-Identifier: MIT
#include "execution/call_sites.hpp"

#include <cstdlib>
#include <cstring>

#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit CallSites call_sites;

namespace {

struct OrderName {
  const char* name;
  Order order;
};
constexpr OrderName kNames[] = {{"rlx", Order::relaxed},
                                {"acq", Order::acquire},
                                {"rel", Order::release},
                                {"acq_rel", Order::acq_rel},
                                {"sc", Order::seq_cst}};

// The order that `*text` begins with, which then points behind it.
bool take_order(const char** text, Order* order) {
  const std::size_t length = std::strcspn(*text, "/,");
  for (const OrderName& known : kNames) {
    if (std::strlen(known.name) != length || std::strncmp(*text, known.name, length) != 0) continue;
    *order = known.order;
    *text += length;
    return true;
  }
  return false;
}

// Whether `*text` begins with this word, which it then points behind.
bool take_word(const char** text, const char* word) {
  const std::size_t length = std::strcspn(*text, ",");
  if (std::strlen(word) != length || std::strncmp(*text, word, length) != 0) return false;
  *text += length;
  return true;
}

std::uint32_t slot_of(std::uint64_t pc, std::uint32_t size) {
  return static_cast<std::uint32_t>(pc * 0x9E3779B97F4A7C15ULL >> 40) & (size - 1);
}

constexpr std::uint8_t bit(Order order) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(order));
}

}  // namespace

void CallSites::grow() {
  Array<CallSite> old;
  old.assign(table_.data(), table_.size());
  const std::uint32_t size = table_.empty() ? 256 : table_.size() * 2;
  table_.resize(size);
  std::memset(static_cast<void*>(table_.data()), 0, size * sizeof(CallSite));
  for (const CallSite& site : old) {
    if (site.pc == 0) continue;
    std::uint32_t i = slot_of(site.pc, size);
    while (table_[i].pc != 0) i = (i + 1) & (size - 1);
    table_[i] = site;
  }
}

CallSite* CallSites::find(std::uint64_t pc, bool add) {
  if (used_ * 2 >= table_.size()) grow();
  const std::uint32_t mask = table_.size() - 1;
  std::uint32_t i = slot_of(pc, table_.size());
  for (; table_[i].pc != 0; i = (i + 1) & mask) {
    if (table_[i].pc == pc) return &table_[i];
  }
  if (!add) return nullptr;
  ++used_;
  table_[i].pc = pc;
  return &table_[i];
}

const char* CallSites::override_orders(const char* text) {
  while (*text != '\0') {
    char* end = nullptr;
    const std::uint64_t pc = std::strtoull(text, &end, 16);
    if (end == text || *end != '=' || pc == 0) return "FENCEPOST_ORDERS: not an address";
    text = end + 1;
    CallSite* site = find(pc, true);
    const bool orders_nothing = take_word(&text, "none");
    if (orders_nothing || take_word(&text, "call")) {
      site->watched = true;
      site->orders_nothing = orders_nothing;
      watching_ = true;
      if (*text == ',') ++text;
      continue;
    }
    if (!take_order(&text, &site->order)) return "FENCEPOST_ORDERS: not an order";
    site->failure = site->order;
    if (*text == '/') {
      ++text;
      if (!take_order(&text, &site->failure)) return "FENCEPOST_ORDERS: not an order";
    }
    site->overridden = true;
    overriding_ = true;
    if (*text == ',') ++text;
  }
  return nullptr;
}

bool CallSites::orders_nothing(std::uint64_t pc) {
  CallSite* site = find(pc, false);
  if (site == nullptr || !site->watched) return false;
  if (writing_) site->called = true;
  return site->orders_nothing;
}

void CallSites::loads_from(std::uint64_t pc, std::uintptr_t address) {
  CallSite* site = find(pc, false);
  if (site != nullptr && site->from == 0) site->from = address;
}

Order CallSites::looked_up(std::uint64_t pc, Operation what, unsigned size, Order asked,
                           Order* failure) {
  CallSite* site = find(pc, writing_);
  if (site == nullptr) return asked;
  if (writing_) {
    site->called = true;
    site->what = what;
    site->size = static_cast<std::uint8_t>(size);
    site->asked |= bit(asked);
    if (failure != nullptr) site->asked_for_failure |= bit(*failure);
  }
  if (!site->overridden) return asked;
  if (failure != nullptr) *failure = site->failure;
  return site->order;
}

}  // namespace fencepost::checker
