// SPDX-License-Identifier: MIT
// The order in which an execution is told: a schedule of the model's machine, if it is of one.
//
// Program order, starting and joining threads, and reads-from are always kept. Of what is left, one
// thread goes on for as long as nothing speaks against it. Under sc and x86 the order is one in
// which the machine performs the events: what is read is what memory holds then, or the thread's
// own store buffer. Under the C++ models modification order, and that a read comes before the
// writes that it does not see, are kept where possible: only the heart of the matter looks odd.
#pragma once

#include "model/model.hpp"

namespace fencepost::checker::report {

class Schedule {
 public:
  // False if the model's machine has no schedule for the graph, which is a mistake of ours; the
  // order is one that keeps to the rest then. `carefully`: look ahead for the one that is followed
  // most easily, in time that grows with the square of the number of events.
  bool make(Graph& g, const Model& model, bool carefully);

  // The events, in order, as packed ids.
  const Array<std::uint32_t>& events() const { return told_; }
  // The stores in the buffers while the k-th of them is performed, thread by thread, oldest first.
  const std::uint32_t* waiting_begin(std::uint32_t k) const { return waiting_.data() + first_[k]; }
  const std::uint32_t* waiting_end(std::uint32_t k) const {
    return waiting_.data() + first_[k + 1];
  }

 private:
  Array<std::uint32_t> told_;
  Array<std::uint32_t> waiting_;
  Array<std::uint32_t> first_;  // of each event in `waiting_`, and the end
};

}  // namespace fencepost::checker::report
