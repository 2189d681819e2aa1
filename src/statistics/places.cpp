// SPDX-License-Identifier: MIT
//
// Places in the program, and the files that its code is in.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "process.hpp"

namespace fencepost::statistics {

namespace {

bool is_standard(const module& one) noexcept {
  return std::strstr(one.path.data(), "/libstdc++.so") != nullptr ||
         std::strstr(one.path.data(), "/libc++.so") != nullptr;
}

std::uint32_t make_module(const link_map* loaded) noexcept {
  table& all = here.kept.head->modules;
  const auto base = static_cast<std::uint64_t>(loaded->l_addr);
  const char* const name = loaded->l_name;
  const std::uint32_t used = all.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < used; ++at) {
    const module& one = here.kept.modules[at];
    const bool is_program = name == nullptr || *name == 0;
    if (one.base == base && (is_program || std::strncmp(one.path.data(), name, 503) == 0)) {
      return at;
    }
  }
  if (!make_room(all, here.kept.modules)) return 0;
  module& made = here.kept.modules[used];
  made.base = base;
  if (name == nullptr || *name == 0) {
    made.path = here.program;
  } else {
    std::strncpy(made.path.data(), name, made.path.size() - 1);
  }
  return count(all);
}

}  // namespace

std::uint32_t make_site(std::uint64_t address) noexcept {
  if (const std::uint32_t known = here.sites.find(address); known != 0) return known;
  table& all = here.kept.head->sites;
  if (!make_room(all, here.kept.sites)) return 0;
  const std::uint32_t next = all.used.load(std::memory_order_relaxed);
  site& made = here.kept.sites[next];
  dl_find_object found{};
  // It takes no lock, unlike dladdr().
  if (::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0) {
    made.module = make_module(found.dlfo_link_map);
    made.is_standard = is_standard(here.kept.modules[made.module]) ? 1 : 0;
  }
  made.address.store(address, std::memory_order_relaxed);
  if (!here.sites.put(address, next)) return 0;
  return count(all);
}

std::uint32_t site_of(const void* address) noexcept {
  const auto place = reinterpret_cast<std::uint64_t>(address);
  if (const std::uint32_t known = here.sites.find(place); known != 0) return known;
  const maker mine;
  return mine.is_mine() ? make_site(place) : 0;
}

}  // namespace fencepost::statistics
