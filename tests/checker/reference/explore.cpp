// SPDX-License-Identifier: MIT
//
// explore: the executions of litmus tests by the checker's exploration and models alone, without
// the layer that runs real programs. Input and output are those of naive; there are no conditions.
// A disagreement with naive here is one of the search or of a model; a disagreement of
// litmus_runner alone is one of the layer above.
//
// explore --symmetry: of executions that are the same but for an exchange of threads that stand
// beside each other and have the same statements, only one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "explore/explorer.hpp"
#include "litmus.hpp"
#include "model/model.hpp"

namespace {

namespace checker = fencepost::checker;
using checker::Event;
using checker::EventId;
using checker::Graph;
using checker::Kind;
using checker::Order;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Order order_of(litmus::order o) {
  switch (o) {
    case litmus::order::relaxed:
      return Order::relaxed;
    case litmus::order::acquire:
      return Order::acquire;
    case litmus::order::release:
      return Order::release;
    case litmus::order::acq_rel:
      return Order::acq_rel;
    case litmus::order::seq_cst:
      break;
  }
  return Order::seq_cst;
}

Order read_half(litmus::order o) {
  if (o == litmus::order::seq_cst) return Order::seq_cst;
  return o == litmus::order::acquire || o == litmus::order::acq_rel ? Order::acquire
                                                                    : Order::relaxed;
}

Order write_half(litmus::order o) {
  if (o == litmus::order::seq_cst) return Order::seq_cst;
  return o == litmus::order::release || o == litmus::order::acq_rel ? Order::release
                                                                    : Order::relaxed;
}

// One run of the program along the explorer's graph, and beyond it. The litmus threads are the
// threads 1 .. n; thread 0 creates them.
class run {
 public:
  run(const litmus::program& p, checker::Explorer& e, bool twins)
      : program_(p), explorer_(e), twins_(twins) {}

  // False if the graph became inconsistent.
  bool to_the_end() {
    replay();
    if (unfinished_ >= 0 && !advance(unfinished_)) return false;
    if (graph().threads() == 0) add_main();
    for (int t = 0; t < program_.thread_count; ++t) {
      bool more = true;
      while (more) {
        if (!advance(t, &more)) return false;
      }
    }
    return true;
  }

  std::string text() {
    Graph& g = graph();
    std::string result;
    const auto name = [&](EventId e) -> std::string {
      if (e == checker::kInitial) return "init";
      int index = 0;
      for (unsigned i = 0; i < e.index(); ++i) {
        const Kind k = g.at(e.thread(), i).kind;
        index += k == Kind::read || k == Kind::write ? 1 : 0;
      }
      return std::to_string(e.thread() - 1) + "." + std::to_string(index);
    };
    for (int t = 0; t < program_.thread_count; ++t) {
      result += (t > 0 ? "|" : "") + std::to_string(t) + ":";
      const auto thread = static_cast<unsigned>(t + 1);
      for (unsigned i = 0; i < g.size(thread); ++i) {
        const Event& e = g.at(thread, i);
        if (e.kind != Kind::read && e.kind != Kind::write) continue;
        result += e.kind == Kind::read ? " R" : " W";
        result += program_.names[e.location];
        if (e.more != 0) result += std::string(":") + program_.names[e.location + e.more];
        result += "=" + std::to_string(static_cast<std::int32_t>(e.value));
        for (unsigned k = 0; k <= e.more && e.kind == Kind::read; ++k) {
          const EventId id = checker::event_id(thread, i);
          result += (k == 0 ? "<" : ",") + name(g.source(id, e.location + k));
        }
      }
    }
    for (int l = 0; l < program_.location_count; ++l) {
      const auto& writes = g.location(static_cast<checker::LocationId>(l)).writes;
      if (writes.empty()) continue;
      result += std::string("|") + program_.names[l] + ":";
      for (std::uint32_t i = 0; i < writes.size(); ++i) {
        result += (i > 0 ? "," : "") + name(writes[i]);
      }
    }
    return result;
  }

 private:
  Graph& graph() { return explorer_.graph(); }

  void replay() {
    Graph& g = graph();
    for (int t = 0; t < program_.thread_count; ++t) {
      const auto thread = static_cast<unsigned>(t + 1);
      const litmus::code& code = program_.threads[t];
      litmus::thread_state& state = states_[static_cast<std::size_t>(t)];
      if (thread >= g.threads()) continue;
      for (unsigned i = 1; i < g.size(thread); ++i) {
        const Event& e = g.at(thread, i);
        const litmus::request what = litmus::next_request(code, state);
        const int read = e.kind == Kind::read ? static_cast<int>(e.value) : 0;
        if (checker::is_first_half(e)) {
          if (i + 1 == g.size(thread)) {
            unfinished_ = t;
            break;
          }
          ++i;
        }
        if (!what.any) std::abort();
        litmus::complete(code, state, read);
      }
    }
  }

  void add_main() {
    Event begin{};
    begin.kind = Kind::begin;
    begin.from = checker::kInitial;
    explorer_.add_event(0, begin);
    for (int t = 0; t < program_.thread_count; ++t) {
      Event create{};
      create.kind = Kind::create;
      create.operand = static_cast<std::uint64_t>(t + 1);
      if (twins_ && t > 0 && program_.threads[t] == program_.threads[t - 1]) {
        create.value = static_cast<std::uint64_t>(t);
      }
      explorer_.add_event(0, create);
    }
  }

  // Performs the next operation of a thread, or the write that its last read owes.
  bool advance(int t, bool* more = nullptr) {
    Graph& g = graph();
    const auto thread = static_cast<unsigned>(t + 1);
    const litmus::code& code = program_.threads[t];
    litmus::thread_state& state = states_[static_cast<std::size_t>(t)];
    if (thread >= g.threads() || g.size(thread) == 0) {
      Event begin{};
      begin.kind = Kind::begin;
      begin.from = checker::event_id(0, thread);
      explorer_.add_event(thread, begin);
      return true;
    }
    const litmus::request what = litmus::next_request(code, state);
    if (!what.any) {
      if (more != nullptr) *more = false;
      return true;
    }
    Event e{};
    e.size = 4;
    if (litmus::is_fence(what.what)) {
      e.kind = Kind::fence;
      e.order = order_of(what.success);
      if (what.what == litmus::kind::light_fence) e.flags = checker::kLight;
      if (what.what == litmus::kind::heavy_fence) e.flags = checker::kHeavy;
      explorer_.add_event(thread, e);
      litmus::complete(code, state, 0);
      return true;
    }
    e.location = static_cast<checker::LocationId>(what.location);
    e.more = static_cast<std::uint8_t>(what.width - 1);
    for (int k = 0; k < what.width; ++k) {
      checker::Location& l = g.location(e.location + static_cast<unsigned>(k));
      if (!l.untouched()) continue;
      l.initial = static_cast<std::uint32_t>(program_.initial[what.location + k]);
      l.offset = static_cast<std::uint32_t>(what.location + k);
      l.bytes = 1;
    }
    const checker::MixedSize mixed{};
    int read = 0;
    if (litmus::reads(what.what)) {
      unsigned last = g.size(thread) - 1;
      const bool owes = t == unfinished_ && g.at(thread, last).kind == Kind::read;
      if (!owes) {
        e.kind = Kind::read;
        if (what.what == litmus::kind::load) {
          e.order = order_of(what.success);
        } else if (what.what == litmus::kind::nonatomic_add) {
          e.order = Order::acquire;
          e.flags = checker::kNonatomic;
        } else {
          e.order = e.order_done = read_half(what.success);
          e.flags = checker::kRmw;
        }
        if (what.what == litmus::kind::compare_exchange) {
          e.flags |= checker::kCompare;
          e.operand = static_cast<std::uint32_t>(what.expected);
          e.order_failed = order_of(what.failure);
        }
        last = explorer_.add_read(thread, e, &mixed).index();
      }
      unfinished_ = -1;
      read = static_cast<int>(g.at(thread, last).value);
    }
    int written = 0;
    if (litmus::writes(what, read, written)) {
      e.kind = Kind::write;
      e.order = order_of(what.success);
      e.flags = 0;
      if (litmus::is_atomic_update(what.what)) {
        e.order = write_half(what.success);
        e.flags = checker::kRmw;
      } else if (what.what == litmus::kind::nonatomic_add) {
        e.order = Order::release;
        e.flags = checker::kNonatomic;
      }
      e.operand = 0;
      e.rmw_read = static_cast<std::uint16_t>(g.size(thread) - 1);
      e.value = static_cast<std::uint32_t>(written);
      EventId id{};
      if (!explorer_.add_write(thread, e, &id, &mixed)) return false;
    }
    litmus::complete(code, state, read);
    return true;
  }

  const litmus::program& program_;
  checker::Explorer& explorer_;
  bool twins_;
  std::array<litmus::thread_state, litmus::max_threads> states_{};
  int unfinished_ = -1;
};

void answer(const std::string& line, bool twins, std::string& out) {
  const std::vector<std::string> fields = split(line, '\t');
  litmus::program program;
  const char* error =
      fields.size() < 2 ? "expected MODELS TAB PROGRAM" : litmus::parse(fields[1].c_str(), program);
  if (error != nullptr) {
    out += std::string("! ") + error + "\n";
    return;
  }
  for (const std::string& name : split(fields[0], ',')) {
    const checker::Model* model = checker::find_model(name.c_str());
    if (model == nullptr) {
      out += "! no model " + name + "\n";
      return;
    }
    checker::Explorer explorer;
    explorer.use(model, twins);
    explorer.start();
    std::vector<std::string> executions;
    do {
      run one(program, explorer, twins);
      if (!one.to_the_end()) continue;
      if (explorer.symmetry_is_broken()) {
        out += "! what a thread has read its twin may not read\n";
        return;
      }
      if (model->judge != nullptr &&
          model->judge(explorer.graph()) != checker::Judgement::admitted) {
        continue;
      }
      executions.push_back(one.text());
    } while (explorer.next());
    std::sort(executions.begin(), executions.end());
    out += "= " + name + " " + std::to_string(executions.size()) + " 0 0\n";
    for (const std::string& e : executions) out += "- " + e + "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool twins = argc > 1 && argv[1] == std::string_view("--symmetry");
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string out;
    answer(line, twins, out);
    std::cout << out << std::flush;
  }
  return 0;
}
