// SPDX-License-Identifier: MIT
//
// What hazard_pointer_obj_base and rcu_obj_base have in common: the part of an object by which it
// is retired, and its deleter until then.
#pragma once

#include <type_traits>
#include <utility>

#include "fencepost/detail/misuse.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost::reclamation {

/// T is the class that derives from it, Part what a scheme keeps in it: retired, or more.
template <class T, class D, class Part>
class deletable : private Part {
 protected:
  deletable() = default;
  deletable(const deletable&) = default;
  deletable(deletable&&) = default;
  deletable& operator=(const deletable&) = default;
  deletable& operator=(deletable&&) = default;
  ~deletable() = default;

  /// Sees to it that the object is ended by the deleter. `name` is for debug builds, which abort
  /// when it is done twice.
  Part& retired_by([[maybe_unused]] const char* name, D deleter) noexcept {
    static_assert(std::is_base_of_v<deletable, T>, "T derives from its base of the same T and D");
    if constexpr (catch_misuse_by_default) {
      if (Part::end_retired != nullptr) misuse(name, this, "retired twice");
    }
    deleter_ = std::move(deleter);
    Part::end_retired = [](retired* object) noexcept {
      auto* const base = static_cast<deletable*>(static_cast<Part*>(object));
      D end = std::move(base->deleter_);
      end(static_cast<T*>(base));
    };
    return *this;
  }

  static const Part* part_of(const deletable* object) noexcept { return object; }

 private:
  [[no_unique_address]] D deleter_{};
};

}  // namespace fencepost::reclamation
