// SPDX-License-Identifier: MIT
// Shares a search out among several processes.
//
// The subtrees of the search have nothing to do with each other (explore/parcel.cpp). This process
// forks workers, which therefore have the program at the same addresses; each explores a parcel of
// subtrees. When one has nothing left, another one gives away the older half of its own. What a
// worker has counted is added up only together with what it has left to do at that moment; so if a
// worker dies, the rest is done again by another and nothing is counted twice or not at all.
//
// Or it finds lines to others who explore (Options::lines), on other computers. Each is sent one
// parcel at a time and answers once, when it has explored for a while, with all that a worker says;
// it is not asked for anything meanwhile. One whose line ends is not replaced.
#pragma once

#include <cstdint>

#include "graph/bytes.hpp"
#include "search/line.hpp"
#include "search/totals.hpp"
#include "search/worker.hpp"

namespace fencepost::checker {

class Crew {
 public:
  // Explores what the runtime's explorer has left, adds to the runtime's totals, and says in
  // runtime.inconclusive if it was stopped. Then what is left is on the explorer's pile again.
  void run();

 private:
  struct Parcel {
    Bytes bytes;
    unsigned deaths = 0;  // of those who explored it
  };
  struct Member {
    long pid;
    int fd;  // -1: there is none
    Slot* slot;
    bool busy;
    bool asked;      // to share, without an answer yet
    Parcel* parcel;  // what it has to do, as of when it last said what it had counted
  };

  void hire(unsigned number);
  void hire_all();
  void hand_out();
  void ask_to_share();
  void wait_for_news();
  void hear(Member& member);
  bool hear_one(Member& member);
  void take_counts(Member& member, BytesIn* in);
  void lose(Member& member);
  void bury(Member& member);
  void hurry();
  void stop();
  void dismiss();
  Totals so_far() const;
  Parcel* fresh_parcel();
  void spare(Parcel* parcel);

  Array<Member> members_;
  Array<Parcel*> queue_;
  Array<Parcel*> spare_;
  Bytes message_;
  unsigned next_to_ask_ = 0;
  bool refused_ = false;    // somebody had nothing to share: not to be asked again at once
  bool elsewhere_ = false;  // its members are at the other ends of lines
  bool stopping_ = false;
  double stopping_since_ = 0;
};

}  // namespace fencepost::checker
