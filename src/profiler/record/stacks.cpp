// SPDX-License-Identifier: MIT
//
// The calls that led to a wait.
#include <unwind.h>

#include <array>
#include <tuple>

#include "process.hpp"

namespace fencepost::profiler {

namespace {

struct frames {
  const void* innermost;
  std::array<std::uint64_t, std::tuple_size_v<decltype(stack::frames)>> at;
  std::size_t count;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) noexcept {
  auto& all = *static_cast<frames*>(argument);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  const bool is_innermost = address == reinterpret_cast<std::uint64_t>(all.innermost);
  if (all.count == 0 && !is_innermost) return _URC_NO_REASON;  // still inside this library
  all.at[all.count++] = address;
  return all.count < all.at.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

_Unwind_Reason_Code look_outside(_Unwind_Context* context, void* argument) noexcept {
  auto& all = *static_cast<frames*>(argument);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  if (all.count == 0 && address != reinterpret_cast<std::uint64_t>(all.innermost)) {
    return _URC_NO_REASON;
  }
  all.at[0] = address;
  all.count = 1;
  return here.kept.sites[make_site(address)].is_standard != 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::uint32_t make_stack(const lock& one, const frames& all) noexcept {
  decltype(stack::frames) sites{};
  std::uint64_t key = 0xcbf29ce484222325 ^ one.site;
  for (std::size_t at = 0; at < all.count; ++at) {
    // Not its address, where other code may have been before.
    sites[at] = make_site(all.at[at]);
    key = (key ^ sites[at]) * 0x100000001b3;
    key ^= key >> 29;
  }
  key |= 1;
  if (const std::uint32_t known = here.stacks.find(key); known != 0) return known;
  table& table_of = here.kept.head->stacks;
  const std::uint32_t next = table_of.used.load(std::memory_order_relaxed);
  if (!make_room(table_of, here.kept.stacks)) return 0;
  stack& made = here.kept.stacks[next];
  made.key.store(key, std::memory_order_relaxed);
  made.site = one.site;
  made.kind = one.kind;
  made.frames = sites;
  if (!here.stacks.put(key, next)) return 0;
  return count(table_of);
}

}  // namespace

const void* outside_standard_library(const void* from) noexcept {
  if (here.kept.sites[site_of(from)].is_standard == 0) return from;
  const maker mine;
  if (!mine.is_mine()) return from;
  frames all{from, {}, 0};
  _Unwind_Backtrace(look_outside, &all);
  return all.count != 0 ? reinterpret_cast<const void*>(all.at[0]) : from;
}

std::uint32_t stack_to(const lock& one, const void* from) noexcept {
  if (!here.wants_stacks) return 0;
  const maker mine;
  if (!mine.is_mine()) return 0;
  frames all{from, {}, 0};
  _Unwind_Backtrace(add_frame, &all);
  return all.count != 0 ? make_stack(one, all) : 0;
}

void add_to_stack(std::uint32_t entry, std::uint64_t waited) noexcept {
  if (entry == 0) return;
  stack& one = here.kept.stacks[entry];
  one.waited.fetch_add(waited, std::memory_order_relaxed);
  one.count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace fencepost::profiler
