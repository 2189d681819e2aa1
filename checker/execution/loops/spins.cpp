// SPDX-License-Identifier: MIT
// Bounded spins (--bounded-spins): loops that look at one atomic object until they see what they
// wait for or a private counter runs out. Their rounds differ in the counter only, so they are
// never back where they were (loops.cpp), and there are as many outcomes as rounds.
//
// Such a loop is recognised as it runs: a thread comes to the same load again and again with
// nothing in between, and up to three registers or words of its stack have changed by the same
// number each time, and nothing else. How many rounds it has is found out by running it once to its
// end. Then the search begins anew, and from the first round on that has changed only the counter,
// all up to the last are passed at once: they read what that round has read, and add no events. The
// last round is explored as it is written, whether the loop then ends by what it reads or by the
// counter.
//
// The argument, for an execution E with a loop that is in a state s, the counter apart, from some
// round on. The round after s may read any value that some later round of it reads, and is explored
// as it is written; if any of them leads to another state than s, the loop is no such loop, and the
// search begins anew without this (refuse_spin). So every round of E but the last leaves s as it
// is.
// - E leaves the loop by what it has read. Without all rounds before that one it is an execution,
// as
//   in loops.cpp, and what the thread does next is the same, the counter apart.
// - E leaves it because the counter runs out. All rounds but one and the last are left out; those
//   that are put in their place read what that one has read. A read that is repeated at once
//   changes no order but its own: its thread has seen that write, and synchronised with it,
//   already.
// And no execution is explored that does not exist, for the loop really makes the rounds that are
// passed. They are checked: a loop that ends before, or goes on after what was taken for its last
// round, is refused too.
//
// What the counter holds after the loop is right in each execution that is explored, but of the
// rounds by which the loop may be left early those in between are not explored. A program that goes
// by how many rounds it took, and not by whether they ran out, does more than what is seen. Hence
// it is an option, and the certificate has a line. Where it is proved that nobody goes by the
// counter no option is needed: turns.cpp.
//
// A round that has done something, after which others are to be passed, is refused: how many of
// those there are others may see.
#include "execution/loops/spins.hpp"

#include <algorithm>
#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kMostSpins = 32;         // places in the program
constexpr unsigned kMostSpinStates = 128;   // ... and states there
constexpr unsigned kMostStackWords = 2048;  // of the stack of a thread that is watched
constexpr std::uint32_t kUntilItEnds = ~0U;

constexpr unsigned kMostCounters = 3;

// A counter: a preserved register, or a word of the stack beyond those.
struct Counter {
  std::uint32_t word;
  std::uint64_t step;

  friend bool operator==(const Counter&, const Counter&) = default;
};

// A load in a loop of which each round changes counters, each by the same number, and nothing else.
struct Spin {
  std::uint64_t pc;
  Counter counters[kMostCounters];  // the first is told of; the others go with it
  unsigned count;
  bool refused;  // something else has changed after all
};

// A state of such a loop but for its counter, and the counter's value in the last round.
struct SpinEnd {
  std::uint64_t pc;
  std::uint64_t state;
  std::uint64_t last;
};

struct Spins {
  Spin places[kMostSpins]{};
  unsigned place_count = 0;
  SpinEnd ends[kMostSpinStates]{};
  unsigned end_count = 0;
  std::uint64_t suggested = 0;  // without the option: a load of a loop that it would be for

  // How many rounds a loop has is being found out.
  unsigned thread = 0;
  Spin* running = nullptr;  // nullptr: it is not
  std::uint64_t state = 0;
  std::uint64_t counter = 0;  // in its last round so far
  std::uint32_t rounds = 0;

  // What a loop changes is being found out: its last round so far.
  struct {
    unsigned thread;
    std::uint32_t cursor;
    std::uint64_t pc;
    SavedRegisters registers;
    std::uint64_t stack[kMostStackWords];
    std::uint32_t words;
    Counter counters[kMostCounters];
    unsigned count;  // 0: it is not known what changes
  } watched{};

  Spin* at(std::uint64_t pc);
  const SpinEnd* end_of(std::uint64_t pc, std::uint64_t state) const;
};

Spin* Spins::at(std::uint64_t pc) {
  for (unsigned i = 0; i < place_count; ++i) {
    if (places[i].pc == pc) return &places[i];
  }
  return nullptr;
}

const SpinEnd* Spins::end_of(std::uint64_t pc, std::uint64_t state) const {
  for (unsigned i = 0; i < end_count; ++i) {
    if (ends[i].pc == pc && ends[i].state == state) return &ends[i];
  }
  return nullptr;
}

FENCEPOST_CHECKER_STATE constinit Spins spins;

constexpr std::uint32_t kLooksAlike = 4;    // so many rounds make a loop worth watching
constexpr std::uint32_t kFewestRounds = 2;  // that are passed at once
constexpr std::uint32_t kMostRounds = 1U << 20;
constexpr std::uint64_t kWord = 8;

std::uint64_t* place_of(const Counter& c) {
  if (c.word < kPreservedRegisters) return &fencepost_saved_registers.preserved[c.word];
  const std::uint64_t offset = (c.word - kPreservedRegisters) * kWord;
  return reinterpret_cast<std::uint64_t*>(fencepost_saved_registers.stack + offset);
}

// Do all of them lie where the caller's stack is?
bool are_there(const Spin& spin, std::uintptr_t stack_top) {
  const std::uint64_t words = (stack_top - fencepost_saved_registers.stack) / kWord;
  for (unsigned i = 0; i < spin.count; ++i) {
    if (spin.counters[i].word >= kPreservedRegisters + words) return false;
  }
  return true;
}

// Has the current thread done nothing since its last event, which was the same load?
bool comes_again(const SpinArrival& a, std::uint32_t index) {
  const Event& e = execution.graph().at(execution.current->id, index);
  return e.kind == Kind::read && e.what == Operation::load && e.pc == a.pc && e.size == a.size &&
         e.more == 0 && e.effects == execution.current->effects &&
         objects[e.location].address == a.address;
}

// What does each round of the loop change?
void watch_spin(const SpinArrival& a) {
  Thread& t = *execution.current;
  if (spins.place_count == kMostSpins || t.cursor < kLooksAlike) return;
  for (std::uint32_t i = t.cursor - kLooksAlike; i < t.cursor; ++i) {
    if (!comes_again(a, i)) return;
  }
  auto& w = spins.watched;
  const auto words = static_cast<std::uint32_t>((t.stack_top - a.registers.stack) / kWord);
  if (words > kMostStackWords) return;
  const auto* const stack = reinterpret_cast<const std::uint64_t*>(a.registers.stack);
  const bool next = w.thread == t.id && w.cursor + 1 == t.cursor && w.pc == a.pc &&
                    w.registers.stack == a.registers.stack && w.words == words;
  Counter now[kMostCounters];
  unsigned changes = 0;
  const auto compare = [&](std::uint32_t number, std::uint64_t before, std::uint64_t value) {
    if (before == value) return;
    if (changes < kMostCounters) now[changes] = {number, value - before};
    ++changes;
  };
  for (std::uint32_t i = 0; next && i < kPreservedRegisters; ++i) {
    compare(i, w.registers.preserved[i], a.registers.preserved[i]);
  }
  for (std::uint32_t i = 0; next && i < words; ++i) {
    compare(kPreservedRegisters + i, w.stack[i], stack[i]);
  }
  if (changes > kMostCounters) changes = 0;
  if (changes != 0 && changes == w.count && std::equal(now, now + changes, w.counters)) {
    if (!execution.options.bounded_spins) {
      spins.suggested = a.pc;
      return;
    }
    Spin& spin = spins.places[spins.place_count++];
    spin = {a.pc, {}, changes, false};
    std::copy_n(now, changes, spin.counters);
    execution.start_over();
  }
  w.count = changes;
  std::copy_n(now, changes, w.counters);
  w.thread = t.id;
  w.cursor = t.cursor;
  w.pc = a.pc;
  w.registers = a.registers;
  w.words = words;
  std::memcpy(w.stack, stack, words * kWord);
}

[[noreturn]] void refuse_spin(Spin* spin, std::uint64_t pc) {
  if (execution.is_worker) {
    execution.unsupported(
        pc,
        "that a loop with a counter changes something else too was first met by one of "
        "several processes: explore with one job, or without --bounded-spins");
  }
  spin->refused = true;
  spins.running = nullptr;
  execution.start_over();
}

// A round of a loop whose end is to be found. False: it is none, the loop has ended.
bool is_next_round(std::uintptr_t address, unsigned size, std::uint64_t pc) {
  SpinArrival a{pc, address, size, 0, 0, 0, {}};
  if (!comes_again(a, execution.current->cursor - 1)) return false;
  take_arrival(&a);
  if (a.state != spins.state || a.counter != spins.counter + spins.running->counters[0].step)
    return false;
  spins.counter = a.counter;
  if (++spins.rounds > kMostRounds) refuse_spin(spins.running, pc);
  return true;
}

// Has the round before this one, whose counter was one step behind, done something? How many such
// rounds there are others may see.
bool round_had_effects(const SpinArrival& a, const Spin& spin) {
  for (std::uint32_t i = execution.current->cursor; i-- > 0;) {
    const Event& e = execution.graph().at(execution.current->id, i);
    if (e.kind != Kind::read || e.what != Operation::load || e.pc != a.pc) continue;
    return e.effects != execution.current->effects &&
           e.state == (mix(e.operand, a.counter - spin.counters[0].step) | 1);
  }
  return false;
}

}  // namespace

FENCEPOST_CHECKER_STATE bool suggests_bounded_spins = false;

std::uint64_t suggested_spin() { return spins.suggested; }

bool spin_is_running() { return spins.running != nullptr; }

// The state in which the current thread comes to a load.
void take_arrival(SpinArrival* a) {
  const Spin* spin = spins.at(a->pc);
  a->registers = fencepost_saved_registers;
  a->counter = 0;
  a->state = 0;
  if (spin == nullptr || spin->refused || !are_there(*spin, execution.current->stack_top)) {
    a->whole = private_state(a->pc, a->address);
    return;
  }
  std::uint64_t values[kMostCounters];
  for (unsigned i = 0; i < spin->count; ++i) {
    values[i] = *place_of(spin->counters[i]);
    *place_of(spin->counters[i]) = 0;
  }
  a->state = private_state(a->pc, a->address);
  for (unsigned i = 0; i < spin->count; ++i) *place_of(spin->counters[i]) = values[i];
  // What stays as it is while they go together.
  for (unsigned i = 1; i < spin->count; ++i) {
    const Counter* const c = spin->counters;
    a->state = mix(a->state, values[i] * c[0].step - values[0] * c[i].step);
  }
  a->counter = values[0];
  a->whole = mix(a->state, a->counter) | 1;
}

// The current thread comes to a new event. If it is in a loop whose rounds are passed, that is the
// load in the last one. If it is in one whose end was to be found, this is its end.
void must_stay_in_spin(std::uint64_t pc) {
  const Thread& t = *execution.current;
  if (t.silent_rounds == kUntilItEnds) {
    note_end_of_spin();
    execution.start_over();
  }
  if (t.cursor < 2) return;
  const Event& last = execution.graph().at(execution.last_event());
  if (last.what != Operation::skipped_rounds) return;
  if (t.silent_rounds != 0 || last.pc != pc) refuse_spin(spins.at(last.pc), pc);
}

void note_end_of_spin() {
  Spin* const spin = spins.running;
  spins.running = nullptr;
  if (spins.end_count == kMostSpinStates) {
    spin->refused = true;
    return;
  }
  spins.ends[spins.end_count++] = {spin->pc, spins.state, spins.counter};
}

// The current thread comes to a load. Is that in a round that is passed at once? Then it is given
// what the round before has read.
bool pass_silently(std::uintptr_t address, unsigned size, std::uint64_t pc, Value* value) {
  Thread& t = *execution.current;
  const bool begins = t.silent_rounds == 0;
  if (begins) {
    const Event& e = t.log[t.cursor];
    execution.same(e.pc == pc, pc);
    ++t.cursor;
    t.silent_rounds = static_cast<std::uint32_t>(e.state);
    t.known_otherwise = t.known;
    t.known = 0;  // replay_load does not know of them
  }
  settle_plain_writes();
  execution.heartbeat = execution.heartbeat + 1;
  t.idle_yields = 0;
  if (t.silent_rounds == kUntilItEnds) {
    if (!is_next_round(address, size, pc)) return false;
    *value = execution.graph().at(execution.last_event()).value;
    return true;
  }
  // `last_event` is that they are passed.
  const Event& reading = execution.graph().at(t.id, t.cursor - 2);
  if (reading.pc != pc || reading.size != size || objects[reading.location].address != address) {
    if (t.cursor >= t.logged) refuse_spin(spins.at(reading.pc), pc);
    execution.not_the_same(pc);
  }
  *value = reading.value;
  if (--t.silent_rounds == 0) t.known = t.known_otherwise;
  return true;
}

// The option is not given: is this a loop that it would be for?
void look_for_spin(std::uintptr_t address, unsigned size, std::uint64_t pc) {
  if (spins.suggested != 0 || execution.current->cursor == 0 || size > 8) return;
  const SpinArrival a{pc, address, size, 0, 0, 0, fencepost_saved_registers};
  if (comes_again(a, execution.current->cursor - 1)) watch_spin(a);
}

// The current thread comes to a load that the graph does not have. Is that the first of the rounds
// that are passed at once?
bool begins_silence(const SpinArrival& a) {
  Thread& t = *execution.current;
  Spin* const spin = spins.at(a.pc);
  if (t.cursor == 0 || (spin != nullptr && spin->refused)) return false;
  const Event& last = execution.graph().at(execution.last_event());
  if (last.what == Operation::skipped_rounds) {
    const Event& reading = execution.graph().at(t.id, t.cursor - 2);
    const SpinEnd* const end = spins.end_of(reading.pc, reading.operand);
    if (reading.pc != a.pc || a.state != reading.operand || a.counter != end->last) {
      refuse_spin(spins.at(reading.pc), a.pc);
    }
    return false;
  }
  if (!comes_again(a, t.cursor - 1)) {
    if (spin != nullptr && round_had_effects(a, *spin)) refuse_spin(spin, a.pc);
    return false;
  }
  if (spin == nullptr) {
    if (!execution.is_worker) watch_spin(a);
    return false;
  }
  const SpinEnd* const end = spins.end_of(a.pc, last.operand);
  if (end != nullptr) {
    if (last.state == (mix(last.operand, end->last) | 1)) return false;  // that was the last round
    if (a.state != last.operand) refuse_spin(spin, a.pc);
  }
  if (a.state != last.operand ||
      last.state != (mix(a.state, a.counter - spin->counters[0].step) | 1)) {
    return false;
  }
  if (end == nullptr) {
    if (execution.is_worker || spins.running != nullptr) return false;
    spins.running = spin;
    spins.thread = t.id;
    spins.state = a.state;
    spins.counter = a.counter;
    spins.rounds = 0;
    t.silent_rounds = kUntilItEnds;
    t.known_otherwise = t.known;
    t.known = 0;
    return true;
  }
  const auto left = static_cast<std::int64_t>(end->last - a.counter);
  const auto step = static_cast<std::int64_t>(spin->counters[0].step);
  const std::int64_t rounds = left / step;
  if (left != 0 && (left % step != 0 || rounds < 0)) refuse_spin(spin, a.pc);
  if (rounds < kFewestRounds) return false;
  Event e{};
  e.kind = Kind::choice;
  e.what = Operation::skipped_rounds;
  e.pc = a.pc;
  e.operand = 1;
  e.effects = t.effects;
  e.state = static_cast<std::uint64_t>(rounds);
  execution.explorer.add_event(t.id, e);
  ++t.cursor;
  execution.counters.rounds_passed = 1;
  t.silent_rounds = static_cast<std::uint32_t>(rounds) - 1;
  t.known_otherwise = t.known;
  if (t.silent_rounds != 0) t.known = 0;
  return true;
}

}  // namespace fencepost::checker
