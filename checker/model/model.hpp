// SPDX-License-Identifier: MIT
// A memory model answers one question: is this graph consistent?
//
// The exploration only ever builds graphs that are coherent under C++ happens-before, whose
// read-modify-writes are atomic and whose program order and reads-from have no cycle. A model adds
// what it demands beyond that. It may rely on one more thing: adding an event that reads the newest
// write, or a write after all others, never makes a consistent graph inconsistent, so it is not
// asked then. Each model must have that property; all three do. (For the write of a non-atomic
// addition it is asked, unless its read reads the newest write too.)
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

struct Model {
  const char* name;
  bool (*consistent)(Graph& graph);
  const char* assumption;  // one line for the certificate
};

extern const Model kSequentialConsistency;  // sc.cpp
extern const Model kRc11;                   // rc11.cpp: C++20
extern const Model kX86;                    // x86.cpp

// The model with this name, or nullptr.
const Model* find_model(const char* name);

}  // namespace fencepost::checker
