// SPDX-License-Identifier: MIT
// Memory that is accessed in different sizes.
//
// An atomic object is one location as long as every access that meets it is of the whole of it.
// When one is not, in the same execution, the sixteen bytes around it are cut into pieces such that
// all accesses seen so far are of whole pieces (graph/mixed_size.hpp), and the search begins anew:
// nothing of it speaks of these bytes as one location then. How memory is cut depends on the
// program alone and only gets finer, so that happens a few times at most.
#include <cstring>
#include <initializer_list>

#include "execution/execution.hpp"
#include "execution/objects.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kBlock = 16;
constexpr std::uint32_t kUncut = 1U | 1U << 8 | 1U << kBlock;  // no piece is larger than 8 bytes

std::uint32_t cut_around(std::uintptr_t address, unsigned size) {
  const unsigned offset = address % kBlock;
  return 1U << offset | 1U << (offset + size);
}

}  // namespace

CutBlock* Objects::block_at(std::uintptr_t address) {
  for (CutBlock& b : blocks_) {
    if (address - b.address < kBlock) return &b;
  }
  return nullptr;
}

bool Objects::is_cut(LocationId id) {
  const Object& o = all_[id];
  return o.kind == ObjectKind::atomic && block_at(o.address) != nullptr;
}

// Gives the pieces of a block their numbers.
void Objects::number_pieces(CutBlock& block) {
  block.first = all_.size();
  for (unsigned from = 0; from < kBlock;) {
    unsigned to = from + 1;
    while ((block.cuts >> to & 1) == 0) ++to;
    const auto id = static_cast<std::uint16_t>(add(block.address + from, to - from));
    Cell* cell = execution.shadow.find(block.address + from);
    for (unsigned i = from; i < to && cell != nullptr; ++i) cell->location[i % 8] = id;
    from = to;
  }
}

void Objects::cut_block(std::uintptr_t address, std::uint32_t cuts) {
  CutBlock* block = block_at(address);
  if (block == nullptr) {
    blocks_.push_back({address & ~std::uintptr_t{kBlock - 1}, kUncut, 0});
    block = &blocks_.back();
  }
  block->cuts |= cuts & ((2U << kBlock) - 1);
  number_pieces(*block);
}

void Objects::cut_memory(std::uintptr_t address, unsigned size, std::uint64_t pc) {
  if (execution.is_worker) {
    execution.unsupported(
        pc,
        "atomic accesses of different sizes to the same bytes, or of more than eight (at "
        "address 0x%lx), were first met by one of several processes: explore with one job",
        static_cast<unsigned long>(address));
  }
  if (all_.size() > 0xff00) execution.unsupported(pc, "more than 65,000 atomic objects");
  const std::uintptr_t start = address & ~std::uintptr_t{kBlock - 1};
  std::uint32_t cuts = cut_around(address, size);
  for (LocationId id : execution.graph().active()) {
    const Object& o = all_[id];
    if (o.kind == ObjectKind::atomic && o.address - start < kBlock) {
      cuts |= cut_around(o.address, o.size);
    }
  }
  cut_block(address, cuts);
  execution.start_over();
}

LocationId Objects::pieces_at(std::uintptr_t address, unsigned size, std::uint64_t pc,
                              std::uint8_t* more) {
  const CutBlock& block = *block_at(address);
  const unsigned offset = address % kBlock;
  if (offset + size > kBlock || (size <= 8 && offset % 8 + size > 8)) {
    execution.unsupported(pc, "an atomic access of %u bytes at a misaligned address", size);
  }
  const std::uint32_t wanted = cut_around(address, size);
  if ((block.cuts & wanted) != wanted) cut_memory(address, size, pc);
  const std::uint32_t before = block.cuts & ((1U << offset) - 1);
  const std::uint32_t inside = block.cuts & ((1U << (offset + size)) - 1) & ~((2U << offset) - 1);
  *more = static_cast<std::uint8_t>(__builtin_popcount(inside));
  return block.first + static_cast<LocationId>(__builtin_popcount(before));
}

// Where an atomic access goes to, and what is there if nobody has been there yet.
void Objects::place_access(Event* e, std::uintptr_t address, unsigned size, std::uint64_t pc) {
  e->size = static_cast<std::uint8_t>(size);
  e->location = locate(address, size, pc, &e->more);
  for (LocationId id = e->location; id <= e->location + e->more; ++id) {
    Location& l = execution.graph().location(id);
    if (!l.untouched()) continue;
    const Object& o = all_[id];
    l.initial = 0;
    std::memcpy(&l.initial, reinterpret_cast<const void*>(o.address), o.size);
    l.offset = o.address % kBlock;
    l.bytes = o.size;
  }
}

// The piece that another process knows of, with the cuts that it has there.
LocationId Objects::adopt_piece(std::uintptr_t address, std::uint32_t cuts) {
  if (cuts > ((2U << kBlock) - 1) || execution.shadow.find(address) == nullptr) return kNoLocation;
  const CutBlock* block = block_at(address);
  if (block == nullptr || (cuts & ~block->cuts) != 0) cut_block(address, cuts);
  if ((block_at(address)->cuts >> address % kBlock & 1) == 0) return kNoLocation;
  const std::uint32_t before = block_at(address)->cuts & ((1U << address % kBlock) - 1);
  return block_at(address)->first + static_cast<LocationId>(__builtin_popcount(before));
}

// What a location is to other processes: its kind, and how the memory around it is cut.
std::uint32_t Objects::kind_and_cuts(LocationId id) {
  const auto kind = static_cast<std::uint32_t>(all_[id].kind);
  return is_cut(id) ? kind | block_at(all_[id].address)->cuts << kCutsShift : kind;
}

}  // namespace fencepost::checker
