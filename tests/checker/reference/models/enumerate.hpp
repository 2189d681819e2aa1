// SPDX-License-Identifier: MIT
//
// All candidate executions of a litmus test: every choice of a write for each read, every total
// order of the writes of each location. Nothing is cut by a memory model. Candidates are built by
// extending smaller ones with a thread's next operation, so those in which po | rf is cyclic,
// which every model here excludes, do not arise.
#pragma once

#include <functional>
#include <string>

#include "litmus.hpp"
#include "models/axioms.hpp"

namespace reference {

struct final_state {
  litmus::thread_state threads[litmus::max_threads];
  int memory[litmus::max_locations] = {};
};

// Calls `visit` once for each candidate; returns their number, or -1 as soon as there are more
// than `limit`, counting partial ones too.
long for_each_candidate(const litmus::program& p, long limit,
                        const std::function<void(const candidate&, const final_state&)>& visit);

// The canonical text: for each thread its accesses with values and, for a read, the write it
// reads from; for each location the order of its writes. Accesses are numbered in their thread
// from 0, fences not counted, a read-modify-write as a read and a write.
//   0:Wx=1 Ry=0<init|1:Ux... |x:0.0,1.1
std::string text_of(const candidate& c, const litmus::program& p);

}  // namespace reference
