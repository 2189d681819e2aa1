// SPDX-License-Identifier: MIT
//
// Places in the program, and the files that its code is in.
//
// Where code was unloaded other code may be loaded. So dlclose() is looked at, and what it has
// taken away is not found any more: its places, and the locks in its memory. What another thread
// loads there and uses before that is done is still taken for what was there before.
#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstring>

#include "../../preload/c_library/exported.hpp"
#include "../../preload/c_library/real.hpp"
#include "process.hpp"

FENCEPOST_EXPORTED(dlclose);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(dlclose);

/// Set in the number of a place, in the map of places, whose code was unloaded.
constexpr std::uint32_t unloaded = 1U << 31;

bool is_there(std::uint32_t known) noexcept { return known != 0 && known < unloaded; }

/// Where the code of each module is, by its number. The maker's.
struct memory {
  std::uint64_t begin;
  std::uint64_t end;
  const link_map* loaded;  // null: it was unloaded

  [[nodiscard]] bool has(std::uint64_t address) const noexcept {
    return begin <= address && address < end;
  }
};

constinit std::array<memory, most_modules> memory_of{};

bool is_standard(const module& one) noexcept {
  return std::strstr(one.path.data(), "/libstdc++.so") != nullptr ||
         std::strstr(one.path.data(), "/libc++.so") != nullptr;
}

std::uint32_t make_module(const dl_find_object& found) noexcept {
  const link_map* const loaded = found.dlfo_link_map;
  const memory its{reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
                   reinterpret_cast<std::uint64_t>(found.dlfo_map_end), loaded};
  table& all = here.kept.head->modules;
  const auto base = static_cast<std::uint64_t>(loaded->l_addr);
  const char* const name = loaded->l_name;
  const std::uint32_t used = all.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < used; ++at) {
    const module& one = here.kept.modules[at];
    const bool is_program = name == nullptr || *name == 0;
    if (one.base == base && (is_program || std::strncmp(one.path.data(), name, 503) == 0)) {
      memory_of[at] = its;
      return at;
    }
  }
  if (!make_room(all, here.kept.modules)) return 0;
  memory_of[used] = its;
  module& made = here.kept.modules[used];
  made.base = base;
  if (name == nullptr || *name == 0) {
    made.path = here.program;
  } else {
    std::strncpy(made.path.data(), name, made.path.size() - 1);
  }
  return count(all);
}

/// The place that was at `address` when this module was there before, or 0.
std::uint32_t place_in(std::uint32_t module, std::uint64_t address) noexcept {
  const std::uint32_t used = here.kept.head->sites.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < used; ++at) {
    const site& one = here.kept.sites[at];
    if (one.module == module && one.address.load(std::memory_order_relaxed) == address) return at;
  }
  return 0;
}

bool is_loaded(const memory& one) noexcept {
  dl_find_object found{};
  return ::_dl_find_object(reinterpret_cast<void*>(one.begin), &found) == 0 &&
         found.dlfo_link_map == one.loaded &&
         reinterpret_cast<std::uint64_t>(found.dlfo_map_start) == one.begin;
}

void forget(std::uint32_t module) noexcept {
  memory& gone = memory_of[module];
  gone.loaded = nullptr;
  const std::uint32_t sites = here.kept.head->sites.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < sites; ++at) {
    const std::uint64_t address = here.kept.sites[at].address.load(std::memory_order_relaxed);
    if (here.kept.sites[at].module == module && here.sites.find(address) == at) {
      here.sites.put(address, at | unloaded);
    }
  }
  const std::uint32_t locks = here.kept.head->locks.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = kinds + 1; at < locks; ++at) {
    lock& one = here.kept.locks[at];
    if (gone.has(one.address.load(std::memory_order_relaxed))) {
      one.ended.store(1, std::memory_order_relaxed);
    }
  }
}

void forget_what_was_unloaded() noexcept {
  if (here.now.load(std::memory_order_acquire) != state::recording) return;
  const maker mine;
  if (!mine.is_mine()) return;
  const std::uint32_t used = here.kept.head->modules.used.load(std::memory_order_relaxed);
  for (std::uint32_t at = 1; at < used; ++at) {
    if (memory_of[at].loaded != nullptr && !is_loaded(memory_of[at])) forget(at);
  }
}

}  // namespace

std::uint32_t make_site(std::uint64_t address) noexcept {
  const std::uint32_t known = here.sites.find(address);
  if (is_there(known)) return known;
  std::uint32_t from = 0;
  dl_find_object found{};
  // It takes no lock, unlike dladdr().
  if (::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0) from = make_module(found);
  if (const std::uint32_t before = known != 0 ? place_in(from, address) : 0; before != 0) {
    here.sites.put(address, before);
    return before;
  }
  table& all = here.kept.head->sites;
  if (!make_room(all, here.kept.sites)) return 0;
  const std::uint32_t next = all.used.load(std::memory_order_relaxed);
  site& made = here.kept.sites[next];
  made.module = from;
  made.is_standard = is_standard(here.kept.modules[from]) ? 1 : 0;
  made.address.store(address, std::memory_order_relaxed);
  if (!here.sites.put(address, next)) return 0;
  return count(all);
}

std::uint32_t site_of(const void* address) noexcept {
  const auto place = reinterpret_cast<std::uint64_t>(address);
  if (const std::uint32_t known = here.sites.find(place); is_there(known)) return known;
  const maker mine;
  return mine.is_mine() ? make_site(place) : 0;
}

}  // namespace fencepost::profiler

using namespace fencepost::profiler;

int dlclose(void* library) noexcept {
  const int error = real_dlclose(library);
  if (error == 0) forget_what_was_unloaded();
  return error;
}
