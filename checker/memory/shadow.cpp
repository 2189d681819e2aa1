// SPDX-License-Identifier: MIT
#include "memory/shadow.hpp"

#include "memory/regions.hpp"

namespace fencepost::checker {

void Shadow::initialise(std::uintptr_t data_begin, std::uintptr_t data_end) {
  data_begin_ = data_begin & ~std::uintptr_t{7};
  data_end_ = data_end;
  data_cells_ =
      static_cast<Cell*>(storage_reserve(((data_end_ - data_begin_) / 8 + 1) * sizeof(Cell)));
  region_cells_ =
      static_cast<Cell*>(storage_reserve((regions::kEnd - regions::kBase) / 8 * sizeof(Cell)));
}

void Shadow::new_execution(bool resumes) {
  ++execution_;
  resumed_ = resumes;
  const PlainAccess* further = further_.data();
  for (const Changed& was : changed_) {
    Cell& cell = *was.cell;
    cell.execution = kept_;
    cell.count = was.count & 3;
    cell.overflowing = was.overflowing;
    cell.passed_on = was.passed_on;
    cell.unwritten = was.unwritten;
    cell.access[0] = was.first;
    for (unsigned i = 1; i < was.count; ++i) cell.access[i] = *further++;
  }
  changed_.clear();
  further_.clear();
  if (resumes) {
    extra_.assign(kept_extra_.data(), kept_extra_.size());
  } else {
    extra_.clear();
  }
}

void Shadow::keep_prefix() {
  kept_ = execution_++;
  resumed_ = true;
  kept_extra_.assign(extra_.data(), extra_.size());
}

void Shadow::forget_prefix() {
  kept_ = kNone;
  resumed_ = false;
  changed_.clear();
  further_.clear();
}

// A cell of the prefix is about to be accessed for the first time. Has it been so in this
// execution, too?
bool Shadow::takes_up(Cell* cell) {
  changed_.push_back(
      {cell, cell->count, cell->overflowing, cell->passed_on, cell->unwritten, cell->access[0]});
  for (unsigned i = 1; i < cell->count; ++i) further_.push_back(cell->access[i]);
  if (resumed_) cell->execution = execution_;
  return resumed_;
}

bool Shadow::covers(std::uintptr_t address) const {
  return address - data_begin_ < data_end_ - data_begin_ ||
         address - regions::kBase < regions::kEnd - regions::kBase;
}

const PlainAccess* Shadow::conflict(const Cell* cell, const PlainAccess& access,
                                    Graph::Clock clock) const {
  const PlainAccess* other = nullptr;
  each_conflict(cell, access, clock, [&](const PlainAccess& found) {
    if (other != nullptr) return;
    found_ = found;
    other = &found_;
  });
  return other;
}

bool Shadow::record_reader(Cell* cell, PlainAccess access, Graph::Clock clock) {
  if (cell->readers == 0) {
    if (readers_.empty()) readers_.push_back({});
    if (readers_.size() > 0xffff) return false;
    cell->readers = static_cast<std::uint16_t>(readers_.size());
    readers_.push_back({});
  }
  if ((cell->count != 0 || cell->overflowing) && conflict(cell, access, clock) != nullptr) {
    return false;
  }
  Readers& r = readers_[cell->readers];
  if (r.execution != execution_) {
    r.execution = execution_;
    r.mask = access.mask();
    r.threads = 0;
  }
  if (r.mask != access.mask()) return false;
  r.add(access);
  return true;
}

inline void Shadow::append(Cell* cell, unsigned count, PlainAccess access) {
  cell->count = count & 3;
  if (count == Cell::kInline) [[unlikely]] {
    overflow(cell, access);
  } else {
    cell->access[cell->count++] = access;
  }
}

void Shadow::overflow(Cell* cell, PlainAccess access) {
  cell->overflowing = true;
  extra_.push_back({cell, access});
}

const PlainAccess* Shadow::record_beside(Cell* cell, PlainAccess access, Graph::Clock clock) {
  if (cell->overflowing || (access.write() && cell->readers != 0)) {
    if (const PlainAccess* other = conflict(cell, access, clock)) return other;
    keep(cell, access, clock);
    return nullptr;
  }
  unsigned kept[Cell::kInline];
  unsigned count = 0;
  for (unsigned i = 0; i < cell->count; ++i) {
    if (races(cell->access[i], access, clock)) return &cell->access[i];
    if (!replaces(access, cell->access[i], clock)) kept[count++] = i;
  }
  for (unsigned k = 0; k < count; ++k) {
    if (kept[k] != k) cell->access[k] = cell->access[kept[k]];
  }
  append(cell, count, access);
  return nullptr;
}

void Shadow::record_use(Cell* cell, PlainAccess use) {
  const auto is_last = [&](const PlainAccess& last) {
    return last.use() && last.thread() == use.thread() && last.mask() == use.mask();
  };
  for (unsigned i = 0; i < cell->count; ++i) {
    if (!is_last(cell->access[i])) continue;
    cell->access[i] = use;
    return;
  }
  for (std::uint32_t i = 0; cell->overflowing && i < extra_.size(); ++i) {
    if (extra_[i].cell != cell || !is_last(extra_[i].access)) continue;
    extra_[i].access = use;
    return;
  }
  append(cell, cell->count, use);
}

void Shadow::forget(Cell* cell) {
  cell->count = 0;
  if (!cell->overflowing) return;
  cell->overflowing = false;
  for (Extra& e : extra_) {
    if (e.cell == cell) e.cell = nullptr;
  }
}

void Shadow::keep_beside(Cell* cell, PlainAccess access, Graph::Clock clock) {
  unsigned kept = 0;
  for (unsigned i = 0; i < cell->count; ++i) {
    if (replaces(access, cell->access[i], clock)) continue;
    if (kept != i) cell->access[kept] = cell->access[i];
    ++kept;
  }
  append(cell, kept, access);
}

}  // namespace fencepost::checker
