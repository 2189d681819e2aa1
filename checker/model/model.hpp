// SPDX-License-Identifier: MIT
// A memory model answers one question: is this graph consistent?
//
// The exploration only ever builds graphs that are coherent under C++ happens-before, whose
// read-modify-writes are atomic and whose program order and reads-from have no cycle. A model adds
// what it demands beyond that. It may rely on one more thing: adding an event that reads the newest
// write, or a write after all others, never makes a consistent graph inconsistent, so it is not
// asked then. Each model must have that property; all do. (For the write of a non-atomic addition
// it is asked, unless its read reads the newest write too.) Nor may an event that is added make a
// graph consistent that was not: an inconsistent graph is abandoned.
//
// C++14 lacks that last property. A model of that kind has two answers: `consistent` says yes to
// every graph that may yet become consistent and has all the properties, so the exploration goes by
// it; `judge` is exact and is asked of executions that are over, and before anything is said
// against one that is not. What it admits stays admitted when newest writes are read and made, so
// the execution that goes on from there in that way is admitted at its end.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

enum class Judgement : std::uint8_t {
  admitted,
  forbidden,
  wants_store,  // forbidden, but might not be if there were one seq_cst store more
};

struct Model {
  const char* name;
  bool (*consistent)(Graph& graph);
  const char* assumption;  // one line for the certificate

  // nullptr: what is consistent is admitted, and happens-before is the graph's own.
  Judgement (*judge)(Graph& graph) = nullptr;
  // The happens-before clock of an event of the graph that was judged last.
  Graph::Clock (*clock)(EventId e) = nullptr;

  // It is that of a processor, and says what the compiled code does: the C++ library's own as well.
  bool as_compiled = false;

  // nullptr: it is not that of a machine that performs one event after the other. `buffered`: may
  // this write wait in a store buffer while its thread goes on? `drains`: does this event wait
  // until all before it have left the buffer?
  bool (*buffered)(const Event& e) = nullptr;
  bool (*drains)(const Event& e) = nullptr;
};

extern const Model kSequentialConsistency;  // sc.cpp
extern const Model kRc11;                   // rc11.cpp: C++20
extern const Model kCpp14;                  // cpp14.cpp: C++11, C++14
extern const Model kX86;                    // x86.cpp

// The model with this name, or nullptr.
const Model* find_model(const char* name);

}  // namespace fencepost::checker
