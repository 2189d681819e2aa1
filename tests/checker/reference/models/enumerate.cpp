// SPDX-License-Identifier: MIT
#include "models/enumerate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace reference {
namespace {

struct place {
  int thread = -1;  // -1: the initial write
  int index = 0;    // among the events of the thread; the location of an initial write

  bool operator==(const place&) const = default;
};

struct step {
  event what;
  std::array<place, litmus::max_locations> sources{};  // reads only, of each of its locations
  bool of_previous = false;  // the write of the read-modify-write whose read precedes it
};

// A part of an execution: some operations of each thread and where their reads read from.
struct partial {
  std::array<litmus::thread_state, litmus::max_threads> states;
  std::array<std::vector<step>, litmus::max_threads> steps;

  // Equal for two partial executions if and only if they are the same.
  std::string key() const {
    std::string result;
    for (const auto& thread : steps) {
      for (const step& s : thread) {
        for (int k = 0; k < s.what.width; ++k) {
          const place& source = s.sources[static_cast<std::size_t>(k)];
          result += static_cast<char>('a' + source.thread + 1);
          result += static_cast<char>('a' + source.index);
        }
      }
      result += '|';
    }
    return result;
  }
};

struct choice {
  std::array<place, litmus::max_locations> sources{};
  int value = 0;
};

// Every way to read: any write to it for each location.
std::vector<choice> choices(const litmus::program& p, const partial& from,
                            const litmus::request& request) {
  std::vector<choice> result(1);
  for (int k = 0; k < request.width; ++k) {
    const int location = request.location + k;
    std::vector<choice> longer;
    const auto take = [&](place source, int piece) {
      for (choice c : result) {
        c.sources[static_cast<std::size_t>(k)] = source;
        c.value = litmus::joined(p, c.value, k, piece);
        longer.push_back(c);
      }
    };
    take(place{-1, location}, p.initial[location]);
    for (int u = 0; u < p.thread_count; ++u) {
      const auto& steps = from.steps[static_cast<std::size_t>(u)];
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const event& e = steps[i].what;
        const int at = location - e.location;
        if (e.what != event::kind::write || at < 0 || at >= e.width) continue;
        take(place{u, static_cast<int>(i)}, litmus::piece(p, e.value, at));
      }
    }
    result = std::move(longer);
  }
  return result;
}

void extend(const litmus::program& p, const partial& from, int thread,
            std::vector<partial>& result) {
  const auto t = static_cast<std::size_t>(thread);
  partial base = from;
  const litmus::code& code = p.threads[t];
  const litmus::request request = litmus::next_request(code, base.states[t]);
  if (!request.any) return;
  const bool locked = litmus::is_atomic_update(request.what);

  if (!litmus::reads(request.what)) {
    step s;
    const bool fence = litmus::is_fence(request.what);
    s.what.what = fence ? event::kind::fence : event::kind::write;
    if (request.what == litmus::kind::light_fence) s.what.side = event::asymmetry::light;
    if (request.what == litmus::kind::heavy_fence) s.what.side = event::asymmetry::heavy;
    s.what.thread = thread;
    s.what.location = request.location;
    s.what.width = request.width;
    s.what.value = fence ? 0 : request.operand;
    s.what.order = request.success;
    base.steps[t].push_back(s);
    litmus::complete(code, base.states[t], 0);
    result.push_back(std::move(base));
    return;
  }

  for (const auto& [sources, value] : choices(p, base, request)) {
    partial next = base;
    int written = 0;
    const bool writes = litmus::writes(request, value, written);
    step read;
    read.what.what = event::kind::read;
    read.what.thread = thread;
    read.what.location = request.location;
    read.what.width = request.width;
    read.what.value = value;
    read.what.order = locked && request.what == litmus::kind::compare_exchange && !writes
                          ? request.failure
                          : request.success;
    read.what.locked = locked;
    read.sources = sources;
    const bool divisible = request.what == litmus::kind::nonatomic_add;
    step border;
    border.what.thread = thread;
    border.what.side = event::asymmetry::opens;
    if (divisible) {
      read.what.order = litmus::order::acquire;
      next.steps[t].push_back(border);
    }
    next.steps[t].push_back(read);
    if (writes) {
      step write = read;
      write.what.what = event::kind::write;
      write.what.value = written;
      if (divisible) write.what.order = litmus::order::release;
      write.sources = {};
      write.of_previous = !divisible;
      next.steps[t].push_back(write);
    }
    if (divisible) {
      border.what.side = event::asymmetry::closes;
      next.steps[t].push_back(border);
    }
    litmus::complete(code, next.states[t], value);
    result.push_back(std::move(next));
  }
}

// Complete executions but for mo; empty and `over` set if there are too many.
std::vector<partial> without_order(const litmus::program& p, long limit, bool& over) {
  std::vector<partial> complete;
  std::vector<partial> level(1);
  long count = 0;
  over = false;
  while (!level.empty()) {
    std::vector<partial> next_level;
    std::set<std::string> seen_next;
    for (const partial& from : level) {
      std::vector<partial> extensions;
      bool ended = true;
      for (int t = 0; t < p.thread_count; ++t) {
        const std::size_t before = extensions.size();
        extend(p, from, t, extensions);
        ended = ended && extensions.size() == before;
      }
      if (ended) complete.push_back(from);
      for (partial& e : extensions) {
        if (!seen_next.insert(e.key()).second) continue;
        next_level.push_back(std::move(e));
        if (++count > limit) {
          over = true;
          return {};
        }
      }
    }
    level = std::move(next_level);
  }
  return complete;
}

class orders {
 public:
  orders(const litmus::program& p, const partial& of, long limit, long& count,
         const std::function<void(const candidate&, const final_state&)>& visit)
      : program_(p),
        limit_(limit),
        count_(count),
        visit_(visit),
        candidate_(events(p, of), p.location_count) {
    std::array<int, litmus::max_threads> first{};
    int next = p.location_count;
    for (int t = 0; t < p.thread_count; ++t) {
      first[static_cast<std::size_t>(t)] = next;
      next += static_cast<int>(of.steps[static_cast<std::size_t>(t)].size());
    }
    for (int t = 0; t < p.thread_count; ++t) {
      const auto& steps = of.steps[static_cast<std::size_t>(t)];
      const int base = first[static_cast<std::size_t>(t)];
      for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
        const step& s = steps[static_cast<std::size_t>(i)];
        for (int j = 0; j < i; ++j) candidate_.po.add(base + j, base + i);
        if (s.of_previous) candidate_.rmw.add(base + i - 1, base + i);
        if (s.what.side == event::asymmetry::light) candidate_.light.add(base + i, base + i);
        if (s.what.side == event::asymmetry::closes) candidate_.light.add(base + i, base + i - 3);
        for (int k = 0; k < s.what.width && s.what.what != event::kind::fence; ++k) {
          const auto location = static_cast<std::size_t>(s.what.location + k);
          if (s.what.what == event::kind::write) {
            writes_[location].push_back(base + i);
            continue;
          }
          const place& from = s.sources[static_cast<std::size_t>(k)];
          const int source = from.thread < 0
                                 ? from.index
                                 : first[static_cast<std::size_t>(from.thread)] + from.index;
          candidate_.rf.add(source, base + i);
          candidate_.rf_at[location].add(source, base + i);
        }
      }
      final_.threads[t] = of.states[static_cast<std::size_t>(t)];
    }
  }

  bool run() { return from_location(0, relation(candidate_.mo.size())); }

 private:
  static std::vector<event> events(const litmus::program& p, const partial& of) {
    std::vector<event> result;
    for (int l = 0; l < p.location_count; ++l) {
      event e;
      e.what = event::kind::write;
      e.location = l;
      e.value = p.initial[l];
      result.push_back(e);
    }
    for (const auto& thread : of.steps) {
      for (const step& s : thread) result.push_back(s.what);
    }
    return result;
  }

  // False when the limit is exceeded.
  bool from_location(int location, const relation& mo) {
    if (location == program_.location_count) {
      if (++count_ > limit_) return false;
      candidate_.mo = mo;
      visit_(candidate_, final_);
      return true;
    }
    std::vector<int> order = writes_[static_cast<std::size_t>(location)];
    do {
      relation here(mo.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        here.add(location, order[i]);
        for (std::size_t j = i + 1; j < order.size(); ++j) here.add(order[i], order[j]);
      }
      const int last = order.empty() ? location : order.back();
      const event& newest = candidate_.events[static_cast<std::size_t>(last)];
      final_.memory[location] = litmus::piece(program_, newest.value, location - newest.location);
      candidate_.mo_at[static_cast<std::size_t>(location)] = here;
      if (!from_location(location + 1, mo | here)) return false;
    } while (std::next_permutation(order.begin(), order.end()));
    return true;
  }

  const litmus::program& program_;
  long limit_;
  long& count_;
  const std::function<void(const candidate&, const final_state&)>& visit_;
  candidate candidate_;
  final_state final_;
  std::array<std::vector<int>, litmus::max_locations> writes_;
};

}  // namespace

long for_each_candidate(const litmus::program& p, long limit,
                        const std::function<void(const candidate&, const final_state&)>& visit) {
  bool over = false;
  const std::vector<partial> all = without_order(p, limit, over);
  if (over) return -1;
  long count = 0;
  for (const partial& one : all) {
    if (!orders(p, one, limit, count, visit).run()) return -1;
  }
  return count;
}

std::string text_of(const candidate& c, const litmus::program& p) {
  const int size = static_cast<int>(c.events.size());
  std::vector<std::string> names(c.events.size());
  std::array<int, litmus::max_threads> accesses{};
  for (std::size_t a = 0; a < c.events.size(); ++a) {
    const event& e = c.events[a];
    if (e.thread < 0) {
      names[a] = "init";
    } else if (e.what != event::kind::fence) {
      names[a] = std::to_string(e.thread) + "." +
                 std::to_string(accesses[static_cast<std::size_t>(e.thread)]++);
    }
  }
  std::string result;
  for (int t = 0; t < p.thread_count; ++t) {
    if (t > 0) result += "|";
    result += std::to_string(t) + ":";
    for (int a = 0; a < size; ++a) {
      const event& e = c.events[static_cast<std::size_t>(a)];
      if (e.thread != t || e.what == event::kind::fence) continue;
      result += e.what == event::kind::read ? " R" : " W";
      result += p.names[e.location];
      if (e.width > 1) result += std::string(":") + p.names[e.location + e.width - 1];
      result += "=" + std::to_string(e.value);
      for (int k = 0; k < e.width && e.what == event::kind::read; ++k) {
        for (int w = 0; w < size; ++w) {
          if (!c.rf_at[static_cast<std::size_t>(e.location + k)].holds(w, a)) continue;
          result += (k == 0 ? "<" : ",") + names[static_cast<std::size_t>(w)];
        }
      }
    }
  }
  for (int l = 0; l < p.location_count; ++l) {
    std::vector<int> order;
    for (int a = 0; a < size; ++a) {
      const event& e = c.events[static_cast<std::size_t>(a)];
      const bool here = l >= e.location && l < e.location + e.width;
      if (e.what == event::kind::write && here && e.thread >= 0) order.push_back(a);
    }
    const relation& mo = c.mo_at[static_cast<std::size_t>(l)];
    std::sort(order.begin(), order.end(), [&](int a, int b) { return mo.holds(a, b); });
    if (order.empty()) continue;
    result += "|";
    result += p.names[l];
    result += ":";
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) result += ",";
      result += names[static_cast<std::size_t>(order[i])];
    }
  }
  return result;
}

}  // namespace reference
