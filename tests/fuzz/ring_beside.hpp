// SPDX-License-Identifier: MIT
//
// A ring beside a std::deque: the operations that all rings have.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "choices.hpp"
#include "fencepost/ring.hpp"

namespace fuzz {

using fencepost::ring_status;

/// An element that must be destroyed once: what is lost, or destroyed twice, the address sanitizer
/// tells.
using element = std::unique_ptr<unsigned>;

template <class Ring>
class ring_beside {
 public:
  ring_beside(Ring& ring, choices& input) noexcept : ring_(ring), input_(input) {}

  /// One operation; `what` is any number.
  void step(unsigned what) {
    switch (what % 10) {
      case 0:
      case 1:
        pushed([&](element& one) { return ring_.try_push(std::move(one)); }, ring_status::full);
        break;
      case 2:
        if (is_closed_ || has_room()) {
          pushed([&](element& one) { return ring_.push(std::move(one)); }, ring_status::success);
        }
        break;
      case 3:
        pushed([&](element& one) { return ring_.push_until(std::move(one), a_past_moment()); },
               ring_status::timed_out);
        break;
      case 4:
        pushed([&](element& one) { return ring_.push_for(std::move(one), no_duration()); },
               ring_status::timed_out);
        break;
      case 5:
        popped([&](element& into) { return ring_.try_pop(into); }, ring_status::empty);
        break;
      case 6:
        if (is_closed_ || !model_.empty()) {
          popped([&](element& into) { return ring_.pop(into); }, ring_status::success);
        }
        break;
      case 7:
        popped([&](element& into) { return ring_.pop_until(into, a_past_moment()); },
               ring_status::timed_out);
        break;
      case 8:
        taken(ring_.try_pop());
        break;
      default:
        if (input_.below(16) == 0) {
          ring_.close();
          is_closed_ = true;
        }
    }
    looks_alike();
  }

  void looks_alike() const {
    expect(ring_.size() == model_.size());
    expect(ring_.empty() == model_.empty());
    expect(ring_.closed() == is_closed_);
  }

  [[nodiscard]] std::size_t room() const noexcept { return ring_.capacity() - model_.size(); }
  [[nodiscard]] bool has_room() const noexcept { return room() != 0; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  [[nodiscard]] std::size_t size() const noexcept { return model_.size(); }

  element next() { return std::make_unique<unsigned>(counted_++); }

  void is_in(unsigned number) { model_.push_back(number); }

  void is_out(const element& one) {
    expect(!model_.empty() && one != nullptr && *one == model_.front());
    model_.pop_front();
  }

 private:
  static std::chrono::steady_clock::time_point a_past_moment() noexcept { return {}; }
  static std::chrono::seconds no_duration() noexcept { return std::chrono::seconds::min(); }

  template <class Push>
  void pushed(Push push, ring_status::reason otherwise) {
    element one = next();
    const unsigned number = *one;
    const ring_status came = push(one);
    if (is_closed_) {
      expect(came == ring_status::closed && one != nullptr);
    } else if (has_room()) {
      expect(came == ring_status::success && one == nullptr);
      is_in(number);
    } else {
      expect(came == otherwise && one != nullptr);
    }
  }

  template <class Pop>
  void popped(Pop pop, ring_status::reason otherwise) {
    element one;
    const ring_status came = pop(one);
    if (!model_.empty()) {
      expect(came == ring_status::success);
      is_out(one);
    } else {
      expect(came == (is_closed_ ? ring_status::closed : otherwise) && one == nullptr);
    }
  }

  void taken(std::optional<element> one) {
    expect(one.has_value() == !model_.empty());
    if (one.has_value()) is_out(*one);
  }

  Ring& ring_;
  choices& input_;
  std::deque<unsigned> model_;
  bool is_closed_ = false;
  unsigned counted_ = 0;
};

}  // namespace fuzz
