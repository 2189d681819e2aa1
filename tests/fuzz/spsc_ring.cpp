// SPDX-License-Identifier: MIT
// A ring for one producer and one consumer, by one thread, beside a std::deque; also many elements
// at a time.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

#include "ring_beside.hpp"

namespace {

using fuzz::element;
using fuzz::expect;
using ring = fencepost::spsc_ring<element, fencepost::ring_tuning{.spins = 1}>;
using pair = fuzz::ring_beside<ring>;

/// As many elements as anybody takes, made when they are looked at.
class endless {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = element;
  using difference_type = std::ptrdiff_t;
  using pointer = element*;
  using reference = element&&;

  endless(pair& from, element& now) noexcept : from_(&from), now_(&now) {}
  element&& operator*() const {
    *now_ = from_->next();
    from_->is_in(**now_);
    return std::move(*now_);
  }
  endless& operator++() noexcept { return *this; }
  endless operator++(int) noexcept { return *this; }
  bool operator==(const endless& other) const noexcept { return from_ == other.from_; }

 private:
  pair* from_;
  element* now_;
};

void push_many(ring& one, pair& both, std::size_t count, bool waits) {
  const std::size_t expected = both.is_closed() ? 0 : std::min(count, both.room());
  // It would wait for more room.
  if (waits && !both.is_closed() && count > both.room()) return;
  if (waits && both.is_closed() && count != 0) {
    // It looks at an element, to wait with, before it learns that nobody waits here any more.
    expect(one.push_n(std::make_move_iterator(std::vector<element>(1).begin()), count) == 0);
    return;
  }
  element now;
  const endless first(both, now);
  const std::size_t done = waits ? one.push_n(first, count) : one.try_push_n(first, count);
  expect(done == expected);
}

void pop_many(ring& one, pair& both, std::size_t count, bool waits) {
  const std::size_t expected = std::min(count, both.size());
  if (waits && expected == 0 && count != 0 && !both.is_closed()) return;
  std::vector<element> out(both.size());
  const std::size_t done =
      waits ? one.pop_n(out.begin(), count) : one.try_pop_n(out.begin(), count);
  expect(done == expected);
  for (std::size_t n = 0; n != done; ++n) both.is_out(out[n]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::choices input(data, size);
  const std::size_t capacity = 1 + input.below(20);
  ring one(capacity);
  expect(one.capacity() == capacity);
  pair both(one, input);
  while (input.more()) {
    const unsigned what = input.byte();
    const bool waits = (what & 64) != 0;
    if (what < 128) {
      both.step(what);
    } else if (what % 2 == 0) {
      push_many(one, both, input.extreme<std::size_t>(), waits);
    } else {
      pop_many(one, both, input.extreme<std::size_t>(), waits);
    }
    both.looks_alike();
  }
  return 0;
}
