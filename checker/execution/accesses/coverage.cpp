// SPDX-License-Identifier: MIT
#include "execution/accesses/coverage.hpp"

#include <cstring>

#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Coverage coverage;

namespace {

constexpr unsigned kMostPassedOn = 256;

std::uint32_t slot_of(std::uint64_t pc, std::uint32_t size) {
  return static_cast<std::uint32_t>(pc * 0x9E3779B97F4A7C15ULL >> 40) & (size - 1);
}

bool is_attempt(const Event& e) {
  switch (e.what) {
    case Operation::compare_exchange:
    case Operation::mutex_trylock:
    case Operation::spin_trylock:
    case Operation::semaphore_trywait:
      return e.kind == Kind::read;
    default:
      return false;
  }
}

// Was somebody else still there, or yet to come, when this happened?
bool others_are_there(const Graph& g, EventId e) {
  const Graph::Clock known = g.hb(e);
  for (unsigned t = 0; t < g.threads(); ++t) {
    if (t != e.thread() && known[t] < g.size(t)) return true;
  }
  return false;
}

}  // namespace

void Coverage::grow() {
  Array<CoveredSite> old;
  old.assign(table_.data(), table_.size());
  const std::uint32_t size = table_.empty() ? 256 : table_.size() * 2;
  table_.resize(size);
  std::memset(static_cast<void*>(table_.data()), 0, size * sizeof(CoveredSite));
  for (const CoveredSite& site : old) {
    if (site.pc == 0) continue;
    std::uint32_t i = slot_of(site.pc, size);
    while (table_[i].pc != 0) i = (i + 1) & (size - 1);
    table_[i] = site;
  }
}

CoveredSite& Coverage::at(std::uint64_t pc, Operation what, std::uint64_t value) {
  if (used_ * 2 >= table_.size()) [[unlikely]]
    grow();
  const std::uint32_t mask = table_.size() - 1;
  std::uint32_t i = slot_of(pc, table_.size());
  for (; table_[i].pc != 0; i = (i + 1) & mask) {
    if (table_[i].pc == pc) return table_[i];
  }
  ++used_;
  table_[i] = {pc, value, what, 0};
  return table_[i];
}

bool Coverage::is_overwritten(std::uint64_t pc) const {
  if (table_.empty()) return false;
  const std::uint32_t mask = table_.size() - 1;
  for (std::uint32_t i = slot_of(pc, table_.size()); table_[i].pc != 0; i = (i + 1) & mask) {
    if (table_[i].pc == pc) return (table_[i].shown & kOverwritten) != 0;
  }
  return false;
}

void Coverage::note_load(Graph& g, EventId read, CoveredSite* site) {
  const Event& e = g.at(read);
  // Of sixteen bytes the first eight tell too little.
  if (e.value != site->value || e.size > 8) site->shown |= kVaries;
  std::uint8_t shown = kAmongOthers;
  for (unsigned k = 0; k <= e.more; ++k) {
    const LocationId location = e.location + k;
    const EventId source = g.source(read, location);
    if (source == kInitial) continue;
    shown |= kReadsStored;
    if (g.location(location).writes.size() > g.rank(source, location)) shown |= kOverwritten;
  }
  if ((shown & ~site->shown) != 0 && others_are_there(g, read)) site->shown |= shown;
}

void Coverage::note_plain(Cell* cell, const PlainAccess& access, const Graph& g, bool others) {
  if (!access.write()) {
    // An atomic read, which has no address here, is looked at in the end.
    if (others && access.pc != 0) note_plain_read(cell, access, g);
    return;
  }
  if (access.free() && !others) return;  // all is given back in the end
  for (const PassedOn& read : passed_on_) {
    if (read.cell == cell && (read.mask & access.mask()) != 0) {
      at(read.pc, Operation::none, 0).shown |= kOverwritten;
    }
  }
}

void Coverage::note_plain_read(Cell* cell, const PlainAccess& read, const Graph& g) {
  const Graph::Clock at_first = g.hb(event_id(read.thread(), 0));
  bool stored = false;
  for (unsigned i = 0; i < cell->count; ++i) {
    const PlainAccess& other = cell->access[i];
    // What was written before the thread was there is no message to it.
    stored |= other.write() && !other.free() && other.thread() != read.thread() &&
              (other.mask() & read.mask()) != 0 && at_first[other.thread()] <= other.index();
  }
  if (!stored) return;
  CoveredSite& site = at(read.pc, Operation::none, 0);
  if ((site.shown & kOverwritten) != 0) return;
  site.shown |= kAmongOthers | kReadsStored;
  if (cell->has_objects() || passed_on_.size() >= kMostPassedOn) {
    site.shown |= kOverwritten;
    return;
  }
  cell->passed_on = true;
  for (const PassedOn& known : passed_on_) {
    if (known.cell == cell && known.pc == read.pc && known.mask == read.mask()) return;
  }
  passed_on_.push_back({cell, read.pc, read.mask()});
}

void Coverage::note(Graph& g) {
  for (unsigned t = 0; t < g.threads(); ++t) {
    const Event* const log = g.log(t);
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = log[i];
      if (e.pc == 0) continue;
      if (e.what == Operation::load) {
        CoveredSite& site = at(e);
        constexpr unsigned kAll = kVaries | kOverwritten;
        if ((site.shown & kAll) != kAll) note_load(g, event_id(t, i), &site);
      } else if (is_attempt(e)) {
        at(e).shown |= succeeds(e) ? kSucceeds : kFails;
      } else if (e.what == Operation::futex_wait && e.kind == Kind::write) {
        CoveredSite& site = at(e);
        if ((e.value >> t & 1) != 0) site.shown |= kSleeps;
      }
    }
  }
}

}  // namespace fencepost::checker
