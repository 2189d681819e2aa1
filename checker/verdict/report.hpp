// SPDX-License-Identifier: MIT
// What the checker tells the command line: JSON Lines, described in docs/results.md.
#pragma once

#include <cstdint>

#include "program/runtime.hpp"

namespace fencepost::checker::report {

void progress(const Totals& so_far);
void execution(Ended how);
// Remembers the violation of the execution that just ended, if it is the shortest so far; says
// whether.
bool keep_violation();
// It is none after all.
void drop_violation();
// Nothing that was found so far counts any more.
void begin_anew();

// A worker's side (program/worker.hpp): the violation that is kept, if that is news since it was
// last asked for; and to have no news.
bool take_news(Bytes* out);
void forget();
// The other side: keeps it if it is the shortest so far; and passes a line on.
void adopt(BytesIn* in);
void relay(const Bytes& line);
// The violation that is kept, for a checkpoint: a size, and as many bytes for adopt.
void put_kept(Bytes* out);

// Writes the result and ends the process with the exit status of the contract.
[[noreturn]] void finish();
// The same at once, from a signal handler too: there is no verdict, for this reason.
[[noreturn]] void inconclusive_now(const char* reason, std::uint64_t pc);

}  // namespace fencepost::checker::report
