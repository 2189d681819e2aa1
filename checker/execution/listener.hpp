// SPDX-License-Identifier: MIT
// Who is told what a search finds, and says how it ended. The checker has one, verdict/verdict.hpp,
// which main hands in (interface/main.cpp): nothing that is explored knows how it is told.
#pragma once

#include <cstdint>

#include "execution/counters.hpp"
#include "execution/endings.hpp"
#include "graph/bytes.hpp"

namespace fencepost::checker {

class Listener {
 public:
  virtual void progress(const Counters& so_far) = 0;
  // The execution that just ended, for who asked for all of them.
  virtual void adds_execution(Ended how) = 0;
  // Nothing that was found so far counts any more.
  virtual void begin_anew() = 0;
  // Tells the result and ends the process with the exit status of the contract.
  [[noreturn]] virtual void finish() = 0;
  // The same at once, from a signal handler too: there is no verdict, for this reason.
  [[noreturn]] virtual void inconclusive_now(const char* reason, std::uint64_t pc) = 0;

  // Keeps the violation of the execution that just ended, if it is the shortest so far; says
  // whether.
  virtual bool keep_violation() = 0;
  // With what the program printed in it (search/own_output.hpp).
  virtual void add_output() = 0;
  // It is none after all.
  virtual void drop_violation() = 0;
  // The execution that violates, for Search::find_again; empty if none is kept.
  virtual const Bytes& kept_execution() = 0;

  // A worker's side (search/workers/worker.hpp): the violation that is kept, if that is news since
  // it was last asked for; and to have no news.
  virtual bool take_news(Bytes* out) = 0;
  virtual void forget() = 0;
  // The other side: keeps it if it is the shortest so far.
  virtual void adopt(BytesIn* in) = 0;
  // Passes on a line that a worker told. Ends the process if the reader has gone or the disk is
  // full: there is nobody left to tell.
  virtual void relay(const Bytes& line) = 0;

 protected:
  ~Listener() = default;
};

}  // namespace fencepost::checker
