// SPDX-License-Identifier: MIT
// Twins in a graph: two threads that were created one after the other and are the same program
// (execution/threads/symmetry.hpp). As long as both have done the same, each event of the younger
// comes after the elder's event of the same number: that is an edge of porf, and of nothing else.
// To do the same is to read the same writes and take the same options. Writes tell twins apart, for
// they have an order.
#include "graph/graph.hpp"

namespace fencepost::checker {
namespace {

bool do_the_same(const Event& elder, const Event& younger) {
  if (elder.kind != younger.kind || elder.what != younger.what || elder.pc != younger.pc ||
      elder.order != younger.order || (elder.flags & ~kTwin) != (younger.flags & ~kTwin)) {
    return false;
  }
  switch (younger.kind) {
    case Kind::begin:
    case Kind::end:
    case Kind::fence:
      return true;
    case Kind::join:
      // At a barrier or latch each leaves after the other's arrival.
      return younger.operand == elder.operand || younger.what == Operation::barrier_leave ||
             younger.what == Operation::latch_pass;
    case Kind::read:
      // A non-atomic addition has no default that heavy fences could not forbid, a read of several
      // pieces none that another piece could not (explore/symmetry.hpp).
      return younger.location == elder.location && younger.from == elder.from &&
             younger.operand == elder.operand && (younger.flags & kNonatomic) == 0 &&
             younger.more == 0 && elder.more == 0;
    case Kind::choice:
      return younger.value == elder.value;
    case Kind::write:
    case Kind::create:
      return false;
  }
  return false;
}

}  // namespace

EventId Graph::find_twin(EventId e) const {
  const unsigned thread = e.thread();
  if (e.index() != 0 && (at(thread, e.index() - 1).flags & kTwin) == 0) return kInitial;
  const EventId created = at(thread, 0).from;
  if (created == kInitial) return kInitial;
  const auto twin = static_cast<unsigned>(at(created).value);
  if (twin == 0 || twin >= threads_ || size(twin) <= e.index()) return kInitial;
  return event_id(twin, e.index());
}

bool Graph::is_ahead_of_twin(unsigned thread) const {
  const unsigned next = size(thread);
  if (next == 0 || (at(thread, next - 1).flags & kTwin) == 0) return false;
  return size(static_cast<unsigned>(at(at(thread, 0).from).value)) <= next;
}

EventId Graph::end_of_operation(EventId e) const {
  unsigned last = e.index();
  while (is_unfinished(at(e.thread(), last)) && last + 1 < size(e.thread())) ++last;
  return event_id(e.thread(), last);
}

void Graph::find_and_compare_with_twin(EventId id) {
  Event& e = at(id);
  const EventId twin = twin_of(id);
  const bool same = twin != kInitial && do_the_same(at(twin), e);
  e.flags = static_cast<std::uint16_t>(same ? e.flags | kTwin : e.flags & ~kTwin);
}

void Graph::set_option(EventId choice, std::uint32_t option) {
  at(choice).value = option;
  compare_with_twin(choice);
}

}  // namespace fencepost::checker
