// SPDX-License-Identifier: MIT
#include "verdict/objects_text.hpp"

#include <cstdlib>
#include <cstring>

#include "execution/execution.hpp"
#include "execution/lifetimes/stack/scope_log.hpp"
#include "execution/lifetimes/stack/scopes.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker::report {
namespace {

// A program that makes more of them has no use for their names.
constexpr std::uint32_t kMost = 1000;

FENCEPOST_CHECKER_STATE constinit Array<std::uintptr_t> told;

class NamedObjects {
 public:
  explicit NamedObjects(Text& text) : text_(text) { told.clear(); }

  void look_at(std::uintptr_t address) {
    if (regions::in_heap(address)) {
      const Heap::Block* const block = execution.heap.find(address);
      if (block == nullptr) return;
      add("heap", block->address, block->size, block->allocated_at,
          regions::thread_of_heap(block->address));
    } else if (regions::in_threads(address)) {
      if (const unsigned thread = regions::thread_of(address); address < regions::kStacks) {
        const std::uintptr_t pointer = execution.threads[thread].thread_pointer;
        if (pointer == 0) return;  // no such thread has begun
        const std::uintptr_t own = execution.snapshot.own_variables_begin(pointer);
        if (address >= own && address < execution.snapshot.variables_end(pointer)) {
          add("thread-local", own, execution.snapshot.variables_end(pointer) - own, 0, thread);
        }
        return;
      }
      const ScopeLog::Entry* const variable = local_at(address);
      if (variable == nullptr) return;
      add("stack", variable->address, variable->size, variable->pc, regions::thread_of(address));
    }
  }

  void look_at_all_in(const char* message) {
    for (const char* at = std::strstr(message, "0x"); at != nullptr; at = std::strstr(at, "0x")) {
      char* end;
      look_at(std::strtoull(at, &end, 16));
      at = end;
    }
  }

 private:
  void add(const char* where, std::uintptr_t address, std::size_t size, std::uint64_t pc,
           unsigned thread) {
    if (told.size() == kMost) return;
    for (const std::uintptr_t other : told) {
      if (other == address) return;
    }
    text_.add("%s{\"where\":\"%s\",\"loc\":%lu,\"size\":%lu,\"pc\":%lu,\"thread\":%u}",
              told.empty() ? "" : ",", where, static_cast<unsigned long>(address),
              static_cast<unsigned long>(size), static_cast<unsigned long>(pc), thread);
    told.push_back(address);
  }

  Text& text_;
};

}  // namespace

void add_objects(Text& text, Graph& g, const Violation& v) {
  text.add(",\"objects\":[");
  NamedObjects named(text);
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (e.kind == Kind::create || e.kind == Kind::join) named.look_at(e.operand);
      if (e.kind != Kind::read && e.kind != Kind::write) continue;
      named.look_at(objects[e.location].address);
      if (e.size == 8) named.look_at(e.value);
    }
  }
  named.look_at(v.address);
  named.look_at_all_in(v.message);
  text.add("]");
}

}  // namespace fencepost::checker::report
