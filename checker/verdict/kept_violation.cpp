// SPDX-License-Identifier: MIT
#include "verdict/kept_violation.hpp"

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "search/alternatives.hpp"
#include "search/own_output.hpp"
#include "verdict/graph_text.hpp"
#include "verdict/names.hpp"
#include "verdict/objects_text.hpp"
#include "verdict/verdict.hpp"

namespace fencepost::checker {
namespace {

using namespace report;

FENCEPOST_CHECKER_STATE constinit Text made;  // where it crashes meanwhile, what is kept is whole
FENCEPOST_CHECKER_STATE constinit Text kept;
FENCEPOST_CHECKER_STATE constinit Bytes kept_graph;
FENCEPOST_CHECKER_STATE std::uint32_t kept_events;
FENCEPOST_CHECKER_STATE bool kept_is_news;

void add_threads(Text& text) {
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    const bool blocked = t.state == ThreadState::queued ||
                         (t.state == ThreadState::blocked && t.block != Block::bound);
    const char* state = t.state == ThreadState::finished ? "finished"
                        : blocked                        ? "blocked"
                                                         : "running";
    text.add("%s{\"id\":%u,\"state\":\"%s\",\"why\":\"%s\",\"object\":%lu,\"pc\":%lu}",
             i == 0 ? "" : ",", i, state, blocked ? why(t) : "",
             static_cast<unsigned long>(blocked ? t.block_object : 0),
             static_cast<unsigned long>(t.block_pc));
  }
}

}  // namespace

bool Verdict::keep_violation() {
  Graph& g = execution.graph();
  const Violation& v = execution.violation;
  if (!kept.empty() && kept_events <= g.event_count()) return false;
  Text& text = made;
  text.clear();
  text.add("{\"kind\":\"%s\",\"message\":", v.kind);
  text.add_quoted(v.message);
  text.add(",\"thread\":%u,\"pc\":%lu,", v.thread, static_cast<unsigned long>(v.pc));
  add_graph(text, g, true);
  if (v.other != nullptr) {
    text.add(",\"other\":{\"t\":%u,\"i\":%u,\"what\":\"%s\",\"loc\":%lu,\"pc\":%lu}",
             v.other_before.thread(), v.other_before.index(), v.other,
             static_cast<unsigned long>(v.address), static_cast<unsigned long>(v.other_pc));
  }
  add_objects(text, g, v);
  text.add(",\"highlight\":[");
  for (unsigned i = 0; i < v.highlights; ++i) {
    text.add("%s[%u,%u]", i == 0 ? "" : ",", v.highlight[i].thread(), v.highlight[i].index());
  }
  text.add("],\"threads\":[");
  add_threads(text);
  text.add("]}");
  kept.clear();
  kept.append(text);
  kept_events = g.event_count();
  kept_is_news = true;
  kept_graph.clear();
  write_execution(&kept_graph);
  return true;
}

void Verdict::add_output() {
  const Bytes& output = own_output::kept();
  if (output.empty()) return;
  kept.bytes().pop_back();  // the closing brace
  kept.add(",\"output\":");
  kept.add_quoted(output.data(), output.size());
  kept.add(",\"output_left_out\":%lu}", static_cast<unsigned long>(own_output::left_out()));
}

void Verdict::drop_violation() {
  kept.clear();
  kept_graph.clear();
  kept_is_news = false;
}

const Text& report::kept_violation() { return kept; }

bool Verdict::take_news(Bytes* news) {
  if (!kept_is_news) return false;
  kept_is_news = false;
  put(news, kept_events);
  put(news, kept_graph.size());
  put_bytes(news, kept_graph.data(), kept_graph.size());
  put_bytes(news, kept.bytes().data(), kept.bytes().size());
  return true;
}

void Verdict::forget() { kept_is_news = false; }

void Verdict::adopt(BytesIn* in) {
  const auto events = in->take<std::uint32_t>();
  const auto length = in->take<std::uint32_t>();
  const char* graph = in->skip(length);
  if (in->left() == 0 || (!kept.empty() && kept_events <= events)) return;
  kept_events = events;
  kept_graph.assign(graph, length);
  const std::size_t size = in->left();
  kept.clear();
  put_bytes(&kept.bytes(), in->skip(size), size);
}

const Bytes& Verdict::kept_execution() { return kept_graph; }

}  // namespace fencepost::checker
