// SPDX-License-Identifier: MIT
// What the checker tells the command line: JSON Lines, described in docs/lab/results.md.
#pragma once

#include "execution/listener.hpp"

namespace fencepost::checker {

// Tells it: the counts and the verdict (verdict.cpp), and of all violations that were found the one
// with the fewest events (kept_violation.cpp).
class Verdict final : public Listener {
 public:
  void progress(const Counters& so_far) override;
  void adds_execution(Ended how) override;
  void begin_anew() override;
  [[noreturn]] void finish() override;
  [[noreturn]] void inconclusive_now(const char* reason, std::uint64_t pc) override;
  bool keep_violation() override;
  void add_output() override;
  void drop_violation() override;
  const Bytes& kept_execution() override;
  bool take_news(Bytes* out) override;
  void forget() override;
  void adopt(BytesIn* in) override;
  void relay(const Bytes& line) override;
};

extern Verdict verdict;

}  // namespace fencepost::checker
