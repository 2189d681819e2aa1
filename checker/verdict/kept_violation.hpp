// SPDX-License-Identifier: MIT
// The violation that the verdict will show: the one with the fewest events of all that were found.
#pragma once

#include "graph/bytes.hpp"
#include "verdict/text.hpp"

namespace fencepost::checker::report {

// Remembers the violation of the execution that just ended, if it is the shortest so far; says
// whether.
bool keep_violation();
// With what the program printed in it (search/own_output.hpp).
void add_output();
// It is none after all.
void drop_violation();
// As it is written into the result; empty if there is none.
const Text& kept_violation();

// A worker's side (search/worker.hpp): the violation that is kept, if that is news since it was
// last asked for; and to have no news.
bool take_news(Bytes* out);
void forget();
// The other side: keeps it if it is the shortest so far.
void adopt(BytesIn* in);
// The execution that violates, for Runtime::find_again; empty if none is kept.
const Bytes& kept_execution();

}  // namespace fencepost::checker::report
