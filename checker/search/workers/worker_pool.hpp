// SPDX-License-Identifier: MIT
// Shares a search out among several processes.
//
// The subtrees of the search have nothing to do with each other (explore/work_item.cpp). This
// process forks workers, which therefore have the program at the same addresses; each explores a
// work item of subtrees. When one has nothing left, another one gives away the older half of its
// own. What a worker has counted is added up only together with what it has left to do at that
// moment; so if a worker dies, the rest is done again by another and nothing is counted twice or
// not at all.
//
// Or it finds channels to others who explore (Options::channels), on other computers. Each is sent
// one work item at a time and answers once, when it has explored for a while, with all that a
// worker says; it is not asked for anything meanwhile. One whose channel ends is not replaced.
#pragma once

#include <cstdint>

#include "execution/counters.hpp"
#include "graph/bytes.hpp"
#include "search/workers/channel.hpp"
#include "search/workers/worker.hpp"

namespace fencepost::checker {

class WorkerPool {
 public:
  // Explores what the runtime's explorer has left, adds to the runtime's counters, and says in
  // execution.inconclusive if it was stopped. Then what is left is on the explorer's pile again.
  void run();

 private:
  struct WorkItem {
    Bytes bytes;
    unsigned deaths = 0;  // of those who explored it
  };
  struct Worker {
    long pid;
    int fd;  // -1: there is none
    Slot* slot;
    bool busy;
    bool asked;      // to share, without an answer yet
    WorkItem* item;  // what it has to do, as of when it last said what it had counted
  };

  void spawn(unsigned number);
  void spawn_all();
  void hand_out();
  void ask_to_share();
  void wait_for_messages();
  void receive(Worker& worker);
  bool receive_one(Worker& worker);
  void take_counts(Worker& worker, BytesIn* in);
  void abandon(Worker& worker);
  void reap(Worker& worker);
  void cancel();
  bool is_used_up() const;
  bool is_enough() const;
  void stop();
  void join();
  Counters so_far() const;
  WorkItem* new_item();
  void recycle(WorkItem* item);

  Array<Worker> workers_;
  Allowance* allowance_ = nullptr;
  Array<WorkItem*> queue_;
  Array<WorkItem*> recycled_;
  Bytes message_;
  unsigned next_to_ask_ = 0;
  bool refused_ = false;    // somebody had nothing to share: not to be asked again at once
  bool elsewhere_ = false;  // its workers are at the other ends of channels
  bool stopping_ = false;
  double stopping_since_ = 0;
};

}  // namespace fencepost::checker
