// SPDX-License-Identifier: MIT
//
// The memory models as predicates on candidate executions, written from the papers by relational
// algebra and nothing else. docs/checker/models.md states the axioms and their sources.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "litmus.hpp"
#include "models/relation.hpp"

namespace reference {

struct event {
  enum class kind { read, write, fence };

  // What heavy fences of other threads do to this one: a light fence, or the beginning and the end
  // of an addition that no heavy fence divides. All of them are fences that order nothing else.
  enum class asymmetry { none, heavy, light, opens, closes };

  kind what = kind::fence;
  int thread = -1;  // -1: the initial write of a location
  int location = -1;
  int width = 1;  // locations from there on
  int value = 0;
  litmus::order order = litmus::order::relaxed;
  asymmetry side = asymmetry::none;
  bool locked = false;  // part of a read-modify-write operation, a failed compare-exchange too
};

// Events 0 .. n-1, those of one thread in program order; the initial writes among them.
struct candidate {
  std::vector<event> events;
  relation po;   // transitive; the initial writes have no part in it
  relation rmw;  // read of a successful read-modify-write -> its write
  relation rf;   // write -> read
  // From where a path comes to a light point of its thread to where it goes on: a light fence to
  // itself, the end of an undivided addition to its beginning.
  relation light;
  relation mo;  // transitive and total on the writes of each location, initial write first
  // The same location by location; rf and mo are the unions of these.
  std::vector<relation> rf_at;
  std::vector<relation> mo_at;

  candidate(std::vector<event> all, int locations)
      : events(std::move(all)),
        po(static_cast<int>(events.size())),
        rmw(po),
        rf(po),
        light(po),
        mo(po),
        rf_at(static_cast<std::size_t>(locations), po),
        mo_at(rf_at) {}

  // Where they are of one location each, nobody needs to say which.
  explicit candidate(std::vector<event> all) : candidate(std::move(all), 0) {}
};

enum class model { sc, cpp14, cpp20, x86 };

std::optional<model> model_named(std::string_view name);

// Each is the conjunction of its axioms on a complete candidate.
bool consistent(model which, const candidate& c);

// Synchronizes-with and happens-before of C++20, for tests of their own.
relation synchronizes_with(const candidate& c);
relation happens_before(const candidate& c);

}  // namespace reference
