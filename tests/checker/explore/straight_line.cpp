// SPDX-License-Identifier: MIT
#include "explore/straight_line.hpp"

#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <utility>

#include "explore/estimator.hpp"

namespace fencepost::checker {
namespace {

using Does = Step::Does;

Order read_half(Order o) {
  if (o == Order::seq_cst) return o;
  return is_acquire(o) ? Order::acquire : Order::relaxed;
}
Order write_half(Order o) {
  if (o == Order::seq_cst) return o;
  return is_release(o) ? Order::release : Order::relaxed;
}

// Operations that count in a text: those that are not fences.
std::string name(unsigned thread, unsigned position) {
  return std::to_string(thread) + "." + std::to_string(position);
}

// Text of an execution from its pieces.
std::string text(const std::map<std::string, std::string>& values,
                 const std::map<LocationId, std::vector<std::string>>& orders) {
  std::string result;
  for (const auto& [operation, value] : values) result += operation + value + " ";
  for (const auto& [location, order] : orders) {
    result += "| " + std::to_string(location) + ":";
    for (const std::string& w : order) result += " " + w;
  }
  return result;
}

class Run {
 public:
  Run(const std::vector<StraightLine>& program, Explorer& explorer, Turn turn)
      : program_(program), explorer_(explorer), turn_(turn) {}

  enum class Ended { complete, blocked, abandoned };

  Ended to_the_end() {
    const unsigned threads = static_cast<unsigned>(program_.size());
    for (unsigned t = graph().threads(); t < threads; ++t) {
      Event begin{};
      begin.kind = Kind::begin;
      begin.from = kInitial;
      explorer_.add_event(t, begin);
    }
    while (true) {
      std::vector<std::pair<unsigned, At>> ready;
      bool blocked = false;
      for (unsigned t = 0; t < threads; ++t) {
        const At at = where(t);
        blocked |= at.blocked;
        if (at.operation == nullptr) continue;
        // A read-modify-write is not taken apart.
        if (at.owes_write) {
          ready.assign(1, {t, at});
          break;
        }
        ready.emplace_back(t, at);
      }
      if (ready.empty()) return blocked ? Ended::blocked : Ended::complete;
      std::size_t chosen = 0;
      for (std::size_t k = 1; k < ready.size(); ++k) {
        if (turn_ == Turn::last ||
            (turn_ == Turn::shortest &&
             graph().size(ready[k].first) < graph().size(ready[chosen].first))) {
          chosen = k;
        }
      }
      if (!perform(ready[chosen].first, ready[chosen].second)) return Ended::abandoned;
    }
  }

  std::string as_text() {
    std::map<std::string, std::string> values;
    std::map<LocationId, std::vector<std::string>> orders;
    std::map<std::uint32_t, std::string> names;
    for (unsigned t = 0; t < program_.size(); ++t) {
      unsigned position = 0;
      for (unsigned i = 1; i < graph().size(t); ++i) {
        const Event& e = graph().at(t, i);
        if (e.kind == Kind::fence) continue;
        names[event_id(t, i).raw] = name(t, position);
        if (!is_first_half(e)) ++position;
      }
    }
    for (unsigned t = 0; t < program_.size(); ++t) {
      for (unsigned i = 1; i < graph().size(t); ++i) {
        const EventId id = event_id(t, i);
        const Event& e = graph().at(id);
        if (e.kind == Kind::read) {
          values[names[id.raw]] = "<" + (e.from == kInitial ? "init" : names[e.from.raw]);
        } else if (e.kind == Kind::choice) {
          values[names[id.raw]] = "=" + std::to_string(e.value);
        }
      }
    }
    for (LocationId l : graph().active()) {
      for (EventId w : graph().location(l).writes) orders[l].push_back(names[w.raw]);
    }
    return text(values, orders);
  }

 private:
  struct At {
    const Step* operation = nullptr;  // the next one, if the thread can go on
    bool owes_write = false;          // its read is in the graph already
    bool blocked = false;
  };

  Graph& graph() { return explorer_.graph(); }

  At where(unsigned t) {
    unsigned i = 1;
    const unsigned size = graph().size(t);
    for (const Step& o : program_[t]) {
      if (i == size) return {.operation = &o};
      const Event& e = graph().at(t, i);
      if (is_blocked(e)) return {.blocked = true};
      if (is_first_half(e)) {
        if (i + 1 == size) return {.operation = &o, .owes_write = true};
        ++i;
      }
      ++i;
    }
    return {};
  }

  bool perform(unsigned t, const At& at) {
    const Step& o = *at.operation;
    Event e{};
    e.location = o.location;
    e.order = o.order;
    e.size = 8;
    switch (o.does) {
      case Does::light_fence:
      case Does::heavy_fence:
        e.flags = o.does == Does::light_fence ? kLight : kHeavy;
        e.order = o.does == Does::light_fence ? Order::relaxed : Order::seq_cst;
        [[fallthrough]];
      case Does::fence:
        e.kind = Kind::fence;
        explorer_.add_event(t, e);
        return true;
      case Does::choose:
        e.kind = Kind::choice;
        e.operand = o.value;
        explorer_.add_choice(t, e);
        return true;
      case Does::read:
        e.kind = Kind::read;
        explorer_.add_read(t, e);
        return true;
      case Does::write:
      case Does::unlock:
        return write(t, e, o.does == Does::write ? o.value : 0);
      case Does::undivided_add:
        return undivided_add(t, e, at);
      case Does::add:
      case Does::compare_exchange:
      case Does::lock:
        break;
    }
    EventId read = event_id(t, graph().size(t) - 1);
    if (!at.owes_write) {
      Event r = e;
      r.kind = Kind::read;
      r.order = r.order_done = read_half(o.order);
      r.flags = kRmw;
      if (o.does != Does::add) {
        r.flags |= kCompare;
        r.operand = o.expected;
        r.order_failed = read_half(o.order);
      }
      if (o.does == Does::lock) r.flags |= kAwait;
      read = explorer_.add_read(t, r);
    }
    const Event& r = graph().at(read);
    if (!succeeds(r)) return true;
    e.flags = kRmw;
    e.order = write_half(o.order);
    e.rmw_read = static_cast<std::uint16_t>(read.index());
    return write(t, e, o.does == Does::add ? r.value + o.value : o.value);
  }

  bool undivided_add(unsigned t, Event e, const At& at) {
    e.flags = kNonatomic;
    EventId read = event_id(t, graph().size(t) - 1);
    if (!at.owes_write) {
      e.kind = Kind::read;
      e.order = Order::acquire;
      read = explorer_.add_read(t, e);
    }
    e.order = Order::release;
    return write(t, e, graph().at(read).value + at.operation->value);
  }

  bool write(unsigned t, Event e, std::uint64_t value) {
    e.kind = Kind::write;
    e.value = value;
    EventId id{};
    return explorer_.add_write(t, e, &id);
  }

  const std::vector<StraightLine>& program_;
  Explorer& explorer_;
  const Turn turn_;
};

}  // namespace

std::vector<StraightLine> with_order(std::vector<StraightLine> program, Order order) {
  for (StraightLine& thread : program) {
    for (Step& o : thread) o.order = order;
  }
  return program;
}

std::vector<StraightLine> with_fences(const std::vector<StraightLine>& program) {
  std::vector<StraightLine> result;
  for (const StraightLine& thread : program) {
    StraightLine& fenced = result.emplace_back();
    for (const Step& o : thread) {
      if (!fenced.empty()) fenced.push_back({.does = Does::fence, .order = Order::seq_cst});
      fenced.push_back(o);
    }
  }
  return result;
}

namespace {

void run_to_the_end(const std::vector<StraightLine>& program, Explorer& explorer, Turn turn,
                    Explored* result) {
  Run run(program, explorer, turn);
  switch (run.to_the_end()) {
    case Run::Ended::complete:
      result->executions.insert(run.as_text());
      break;
    case Run::Ended::blocked:
      ++result->blocked;
      break;
    case Run::Ended::abandoned:
      ++result->abandoned;
      break;
  }
}

// Locations have the same numbers everywhere.
constexpr Places kSamePlaces{
    [](LocationId id) {
      return Place{id, 8, 0};
    },
    [](const Place& place) { return static_cast<LocationId>(place.address); },
};

}  // namespace

Explored explore(const std::vector<StraightLine>& program, const Model& model, Turn turn) {
  Explored result;
  Explorer explorer;
  explorer.use(&model);
  explorer.start();
  for (bool more = true; more; more = explorer.next()) {
    run_to_the_end(program, explorer, turn, &result);
  }
  result.revisits = explorer.revisits();
  return result;
}

Explored explore_in_parcels(const std::vector<StraightLine>& program, const Model& model,
                            unsigned runs) {
  Explored result;
  std::list<Bytes> items;
  const auto leave = [&](Explorer& explorer, std::uint32_t count) {
    if (count == 0) return;
    explorer.write(&items.emplace_back(), kSamePlaces, count);
    explorer.give_up(count);
  };
  {
    Explorer explorer;
    explorer.use(&model);
    explorer.start();
    run_to_the_end(program, explorer, Turn::first, &result);
    leave(explorer, explorer.alternatives());
  }
  for (bool oldest = true; !items.empty(); oldest = !oldest) {
    const auto item = oldest ? items.begin() : std::prev(items.end());
    Explorer explorer;
    explorer.use(&model);
    BytesIn in(item->data(), item->size());
    if (!explorer.read(&in, kSamePlaces)) return {};
    items.erase(item);
    unsigned left = runs;
    bool more = explorer.next();
    for (; more && left != 0; --left) {
      run_to_the_end(program, explorer, Turn::first, &result);
      more = explorer.next();
    }
    result.revisits += explorer.revisits();
    if (!more) continue;
    explorer.put_back();
    leave(explorer, explorer.alternatives() / 2);
    leave(explorer, explorer.alternatives());
  }
  return result;
}

double estimate(const std::vector<StraightLine>& program, const Model& model, unsigned probes,
                std::size_t* found) {
  Explorer explorer;
  explorer.use(&model);
  explorer.start();
  Estimator estimator(explorer);
  *found = 0;
  double sum = 0;
  unsigned left = probes;
  for (bool more = true; more;) {
    if (Run(program, explorer, Turn::first).to_the_end() == Run::Ended::complete) ++*found;
    while (*found == 1 && left != 0) {
      const bool complete = estimator.begin() && Run(program, explorer, Turn::first).to_the_end() ==
                                                     Run::Ended::complete;
      if (!estimator.end(complete)) continue;
      sum += estimator.estimate();
      --left;
    }
    more = explorer.next();
  }
  return sum / probes;
}

std::set<std::string> interleavings(std::vector<StraightLine> program) {
  for (StraightLine& thread : program) {  // in turns, fences have nothing to do
    std::erase_if(thread, [](const Step& o) { return o.does == Does::fence; });
  }
  struct Memory {
    std::uint64_t value = 0;
    std::string writer = "init";
  };
  struct State {
    std::vector<unsigned> next;  // operation of each thread
    std::map<LocationId, Memory> memory;
    std::map<std::string, std::string> values;
    std::map<LocationId, std::vector<std::string>> orders;
  };
  std::set<std::string> result;
  const std::function<void(const State&)> go_on = [&](const State& state) {
    bool ended = true;
    for (unsigned t = 0; t < program.size(); ++t) {
      if (state.next[t] == program[t].size()) continue;
      ended = false;
      State then = state;
      const std::string me = name(t, then.next[t]);
      const Step& o = program[t][then.next[t]++];
      Memory& m = then.memory[o.location];
      if (o.does != Does::write) then.values[me] = "<" + m.writer;
      const bool fails = o.does == Does::compare_exchange && m.value != o.expected;
      if (o.does != Does::read && !fails) {
        m = {o.does == Does::add ? m.value + o.value : o.value, me};
        then.orders[o.location].push_back(me);
      }
      go_on(then);
    }
    if (ended) result.insert(text(state.values, state.orders));
  };
  State start;
  start.next.resize(program.size());
  go_on(start);
  return result;
}

}  // namespace fencepost::checker
