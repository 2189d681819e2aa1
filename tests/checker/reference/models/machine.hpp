// SPDX-License-Identifier: MIT
//
// The abstract machines of sequential consistency and of x86-TSO: a second, operational account of
// two of the models, against which their axioms are tested. Memory, and in front of it for x86 a
// first-in first-out store buffer for each thread (Sewell, Sarkar, Owens, Zappa Nardelli, Myreen:
// x86-TSO, CACM 2010).
#pragma once

#include <set>
#include <string>

#include "litmus.hpp"

namespace reference {

// Every execution that the machine can perform, as text_of() writes them.
std::set<std::string> machine_executions(const litmus::program& p, bool store_buffers);

}  // namespace reference
