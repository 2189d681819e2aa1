// SPDX-License-Identifier: MIT
#include "models/machine.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace reference {
namespace {

struct stored {
  int location = 0;
  int value = 0;
  std::string name;  // THREAD.ACCESS, or init
};

struct machine_state {
  struct one_thread {
    litmus::thread_state local;
    std::deque<stored> buffer;
    std::string text;
    int accesses = 0;
    bool adding = false;  // a non-atomic addition has read and not yet written
    int read = 0;
    int sum = 0;
    bool fencing = false;      // in a heavy fence
    unsigned interrupted = 0;  // the threads that it has reached
  };

  std::array<one_thread, litmus::max_threads> threads;
  std::array<stored, litmus::max_locations> memory;
  std::array<std::string, litmus::max_locations> order;

  std::string key() const {
    std::string result;
    for (const one_thread& t : threads) {
      result += t.text + "/" + std::to_string(t.local.next) + "/" + std::to_string(t.buffer.size());
      if (t.adding) result += "+";
      if (t.fencing) result += "!" + std::to_string(t.interrupted);
      result += ";";
    }
    for (const std::string& o : order) result += o + ";";
    return result;
  }

  void write_memory(const stored& s) {
    const auto l = static_cast<std::size_t>(s.location);
    memory[l] = s;
    order[l] += (order[l].empty() ? "" : ",") + s.name;
  }
};

class machine {
 public:
  machine(const litmus::program& p, bool store_buffers) : program_(p), buffers_(store_buffers) {}

  std::set<std::string> run() {
    machine_state start;
    for (int l = 0; l < program_.location_count; ++l) {
      start.memory[static_cast<std::size_t>(l)] = {l, program_.initial[l], "init"};
    }
    explore(start);
    return std::move(found_);
  }

 private:
  void explore(const machine_state& state) {
    if (!seen_.insert(state.key()).second) return;
    bool ended = true;
    for (int t = 0; t < program_.thread_count; ++t) {
      const auto i = static_cast<std::size_t>(t);
      if (!state.threads[i].buffer.empty()) {
        ended = false;
        machine_state next = state;
        next.write_memory(next.threads[i].buffer.front());
        next.threads[i].buffer.pop_front();
        explore(next);
      }
      machine_state next = state;
      const litmus::request what = litmus::next_request(program_.threads[t], next.threads[i].local);
      if (!what.any) continue;
      ended = false;
      if (next.threads[i].fencing) {
        interrupt(state, t);
        continue;
      }
      if (perform(next, t, what)) explore(next);
    }
    if (ended) found_.insert(text(state));
  }

  // A heavy fence interrupts the other threads one by one, each between two of its instructions,
  // and goes on when every one of them has emptied its store buffer.
  void interrupt(const machine_state& state, int t) {
    const auto i = static_cast<std::size_t>(t);
    bool all = true;
    for (int u = 0; u < program_.thread_count; ++u) {
      const machine_state::one_thread& other = state.threads[static_cast<std::size_t>(u)];
      if (u == t || (state.threads[i].interrupted >> u & 1U) != 0) continue;
      all = false;
      if (other.adding || !other.buffer.empty()) continue;
      machine_state next = state;
      next.threads[i].interrupted |= 1U << u;
      explore(next);
    }
    if (!all) return;
    machine_state next = state;
    next.threads[i].fencing = false;
    litmus::complete(program_.threads[t], next.threads[i].local, 0);
    explore(next);
  }

  // False if the operation has to wait until the thread's buffer is empty.
  bool perform(machine_state& state, int t, const litmus::request& what) const {
    machine_state::one_thread& self = state.threads[static_cast<std::size_t>(t)];
    if (what.what == litmus::kind::heavy_fence) {
      if (!self.buffer.empty()) return false;
      self.fencing = true;
      self.interrupted = 0;
      return true;
    }
    if (what.what == litmus::kind::nonatomic_add && self.adding) {
      self.adding = false;
      write(state, t, what, self.sum, false);
      litmus::complete(program_.threads[t], self.local, self.read);
      return true;
    }
    const bool sequential = what.success == litmus::order::seq_cst;
    const bool locked =
        litmus::is_atomic_update(what.what) || (sequential && what.what != litmus::kind::load);
    if (locked && !self.buffer.empty()) return false;

    int read = 0;
    if (litmus::reads(what.what)) {
      stored source = state.memory[static_cast<std::size_t>(what.location)];
      for (const stored& s : self.buffer) {
        if (s.location == what.location) source = s;
      }
      read = source.value;
      self.text += std::string(" R") + program_.names[what.location] + "=" + std::to_string(read) +
                   "<" + source.name;
      ++self.accesses;
    }
    int written = 0;
    const bool writes = litmus::writes(what, read, written);
    if (what.what == litmus::kind::nonatomic_add) {
      self.adding = true;
      self.read = read;
      self.sum = written;
      return true;
    }
    if (writes) write(state, t, what, written, locked);
    litmus::complete(program_.threads[t], self.local, read);
    return true;
  }

  void write(machine_state& state, int t, const litmus::request& what, int value,
             bool locked) const {
    machine_state::one_thread& self = state.threads[static_cast<std::size_t>(t)];
    const stored one = {what.location, value,
                        std::to_string(t) + "." + std::to_string(self.accesses++)};
    self.text += std::string(" W") + program_.names[what.location] + "=" + std::to_string(value);
    if (buffers_ && !locked) {
      self.buffer.push_back(one);
    } else {
      state.write_memory(one);
    }
  }

  std::string text(const machine_state& state) const {
    std::string result;
    for (int t = 0; t < program_.thread_count; ++t) {
      result += (t > 0 ? "|" : "") + std::to_string(t) + ":" +
                state.threads[static_cast<std::size_t>(t)].text;
    }
    for (int l = 0; l < program_.location_count; ++l) {
      const std::string& order = state.order[static_cast<std::size_t>(l)];
      if (!order.empty()) result += std::string("|") + program_.names[l] + ":" + order;
    }
    return result;
  }

  const litmus::program& program_;
  bool buffers_;
  std::set<std::string> seen_;
  std::set<std::string> found_;
};

}  // namespace

std::set<std::string> machine_executions(const litmus::program& p, bool store_buffers) {
  return machine(p, store_buffers).run();
}

}  // namespace reference
