// SPDX-License-Identifier: MIT
// How the process ends, and what it does before: destructors of static objects, what has been
// registered by atexit, on_exit, at_quick_exit and in .fini_array.
//
// They run in the thread that calls exit, main's when main returns, one after the other, the last
// registered first; the other threads go on meanwhile. After the last of them the process ends, and
// the thread that ends it ends without having returned: nobody joins it. The others still go as far
// as they can: in the process, too, they could have come that far before the end.
//
// A list of handlers is a hidden word, its depth. To register one adds to it and to take the one on
// top subtracts, so the order in which threads register is explored like any other; as in the C
// library, whose lists have a lock, one operation learns of those before it. Which handler is on
// top follows from the order of the additions and subtractions. What is registered before main is
// there when an execution begins.
//
// Where a thread ends the process, nothing is registered and nobody else is left who could register
// something, there is nothing to look at and no event.
#include "sync/process_end.hpp"

#include <link.h>

#include <cstring>
#include <initializer_list>

#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/objects.hpp"
#include "execution/threads/thread_specific.hpp"
#include "graph/state_section.hpp"
#include "machine/program_code.hpp"
#include "memory/static_objects.hpp"
#include "sync/locks/words.hpp"

extern "C" {
using Finish = void (*)();
extern const Finish __fini_array_start[] __attribute__((visibility("hidden")));
extern const Finish __fini_array_end[] __attribute__((visibility("hidden")));
// The last of these flushes std::cout and its kin, whose output nobody reads.
void fencepost_ios_init_destructor(void*) __asm__("_ZNSt8ios_base4InitD1Ev") __attribute__((weak));
}

namespace fencepost::checker {
namespace {

std::uintptr_t key(ExitList list) { return static_cast<std::uintptr_t>(list) + 1; }

// The compiler's own start files have one entry there.
bool has_finishers() { return __fini_array_end - __fini_array_start > 1; }

// dladdr would look through all symbols of the library, for a name that nobody asks for.
struct Library {
  std::uintptr_t address;
  const char* file;
};
int is_in_library(dl_phdr_info* info, std::size_t, void* argument) {
  auto& library = *static_cast<Library*>(argument);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD || library.address - info->dlpi_addr - p.p_vaddr >= p.p_memsz) continue;
    library.file = info->dlpi_name;
    return 1;
  }
  return 0;
}

bool is_of_system(std::uintptr_t function) {
  Library library{function, nullptr};
  if (dl_iterate_phdr(is_in_library, &library) == 0) return false;
  const char* slash = std::strrchr(library.file, '/');
  const char* name = slash == nullptr ? library.file : slash + 1;
  for (const char* known : {"libstdc++.", "libc++", "libc.", "libm.", "libgcc_s.", "libpthread.",
                            "libdl.", "ld-linux"}) {
    if (std::strncmp(name, known, std::strlen(known)) == 0) return true;
  }
  return false;
}

// Shared libraries are not put back between executions, so what they have registered for themselves
// does not run.
bool runs_at_exit(const ExitHandler& h) {
  const auto function = h.by_status != nullptr ? reinterpret_cast<std::uintptr_t>(h.by_status)
                                               : reinterpret_cast<std::uintptr_t>(h.function);
  const auto object = reinterpret_cast<std::uintptr_t>(h.object);
  if (h.function == fencepost_ios_init_destructor || execution.snapshot.is_checkers(object))
    return false;
  if (is_program_code(function) || execution.is_program_memory(object)) return true;
  if (!is_of_system(function)) execution.counters.handlers_of_libraries = 1;
  return false;
}

// The handlers on a list, as the current thread knows.
std::uint64_t known_exit_handlers(ExitList list) {
  const LocationId id = objects.hidden(ObjectKind::exit_handlers, key(list));
  const Array<EventId>& writes = execution.graph().location(id).writes;
  for (std::uint32_t k = writes.size(); k-- > 0;) {
    if (Graph::includes(execution.clock(), writes[k])) return execution.graph().at(writes[k]).value;
  }
  return process_end.started_with[static_cast<unsigned>(list)].size();
}

bool take_exit_handler(ExitList list, ExitHandler* handler, std::uint64_t pc) {
  if (known_exit_handlers(list) == 0 && knows_that_it_is_alone()) return false;
  const Array<ExitHandler>& first = process_end.started_with[static_cast<unsigned>(list)];
  std::uint64_t depth;
  if (!change_word({.kind = ObjectKind::exit_handlers,
                    .what = Operation::exit_take,
                    .address = key(list),
                    .initial = first.size(),
                    .condition = kCompare | kIfAny,
                    .operand = ~std::uint64_t{0},
                    .add = ~std::uint64_t{0},
                    .releases = true},
                   pc, &depth)) {
    return false;
  }
  const Graph& g = execution.graph();
  const Array<EventId>& writes =
      execution.graph().location(g.at(execution.last_event()).location).writes;
  unsigned taken = 0;
  for (std::uint32_t k = g.at(execution.last_event()).mo; k-- > 0;) {
    const Event& e = g.at(writes[k]);
    if (e.what == Operation::exit_take) {
      ++taken;
    } else if (taken == 0) {
      *handler = process_end.registered[writes[k].thread()][static_cast<std::uint32_t>(e.operand)];
      return true;
    } else {
      --taken;
    }
  }
  *handler = first[static_cast<std::uint32_t>(depth) - 1];
  return true;
}

// Its lifetime is over, and who accesses it without knowing that it was not yet does wrong.
void object_is_destroyed(const ExitHandler& handler, std::uint64_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(handler.object);
  if (!execution.snapshot.is_global(address)) return;
  const std::size_t size = static_objects::size_of(address);
  if (size == static_objects::kNoSymbols) {
    execution.unsupported(
        pc, "the program is stripped of its symbols, so its static objects are not known");
  }
  if (size != 0) end_life(address, size, pc);
}

void run_exit_handlers(ExitList list, int status, std::uint64_t pc) {
  ExitHandler handler{};
  while (take_exit_handler(list, &handler, pc)) {
    fencepost_wipe_stack(kAddingUses);
    if (handler.by_status != nullptr) {
      handler.by_status(status, handler.object);
    } else {
      handler.function(handler.object);
      object_is_destroyed(handler, pc);
    }
  }
}

bool has_exit_handlers() {
  for (const ExitList list : {ExitList::exit, ExitList::quick_exit}) {
    const LocationId id = objects.hidden(ObjectKind::exit_handlers, key(list));
    if (!process_end.started_with[static_cast<unsigned>(list)].empty()) return true;
    if (!execution.graph().location(id).writes.empty()) return true;
  }
  return has_finishers();
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit ProcessEnd process_end;

void ProcessEnd::new_execution() {
  exited = false;
  main_returned = false;
  ending = kMaxThreads;
  twice = false;
}

void at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc) {
  if (!execution.active) {
    process_end.started_with[static_cast<unsigned>(list)].push_back(handler);
    return;
  }
  if (!runs_at_exit(handler)) return;
  if (execution.options.symmetry) execution.symmetry.asks_for_itself(pc);
  Array<ExitHandler>& own = process_end.registered[execution.current->id];
  own.push_back(handler);
  change_word({.kind = ObjectKind::exit_handlers,
               .what = Operation::exit_register,
               .address = key(list),
               .initial = process_end.started_with[static_cast<unsigned>(list)].size(),
               .add = 1,
               .note = own.size() - 1,
               .releases = true},
              pc);
  if (process_end.twice) {
    execution.violate("memory", pc,
                      "thread %u registers what is to be called at the end of the process, which "
                      "two threads end already: what happens then is undefined",
                      execution.current->id);
  }
}

void at_thread_end(const ExitHandler& handler) {
  if (!execution.active) {
    process_end.thread_started_with.push_back(handler);
    return;
  }
  thread_specific.use(execution.current->id).destructors.push_back(handler);
}

// Of what was registered before main.
void sort_exit_handlers() {
  const auto keep = [&](Array<ExitHandler>& handlers) {
    std::uint32_t kept = 0;
    for (const ExitHandler& h : handlers) {
      if (runs_at_exit(h)) handlers[kept++] = h;
    }
    handlers.truncate(kept);
  };
  for (Array<ExitHandler>& list : process_end.started_with) keep(list);
  keep(process_end.thread_started_with);
}

// main's thread has its own copies of the thread-local variables that static constructors have met.
void begin_main(std::uintptr_t main) {
  process_end.main = main;
  for (const ExitHandler& h : process_end.thread_started_with) {
    const std::uintptr_t moved = reinterpret_cast<std::uintptr_t>(h.object) -
                                 execution.own_thread_pointer + execution.current->thread_pointer;
    at_thread_end({h.function, reinterpret_cast<void*>(moved)});
  }
}

void process_ends(EndsBy by, int status, std::uint64_t pc) {
  Thread& t = *execution.current;
  const bool at_once = by == EndsBy::at_once;
  const bool second = process_end.ending != kMaxThreads;
  if (second && !at_once && has_exit_handlers()) {
    execution.violate(
        "memory", pc,
        "thread %u %s while thread %u ends the process already and calls what is registered "
        "for that: what happens then is undefined",
        t.id, by == EndsBy::main_returns ? "returns from main" : "calls exit", process_end.ending);
  }
  if (by == EndsBy::main_returns) process_end.main_returned = true;
  process_end.twice |= second && !at_once;
  t.ends_process = true;
  if (second && !at_once && by != EndsBy::quick_exit) execution.run_thread_destructors();
  if (!second && !at_once) {
    process_end.ending = t.id;
    if (by == EndsBy::quick_exit) {
      run_exit_handlers(ExitList::quick_exit, status, pc);
    } else {
      execution.run_thread_destructors();
      run_exit_handlers(ExitList::exit, status, pc);
      for (const Finish* f = __fini_array_end; f-- != __fini_array_start;) {
        fencepost_wipe_stack(kAddingUses);
        (*f)();
      }
    }
  }
  // As its parent sees it. Of several threads that come to an end of the process each may be the
  // first: nothing that the others have done since says that it is not.
  const int seen = status & 0xff;
  if (seen != 0 && !execution.options.any_exit_status) {
    // Behind its first byte, as a return address is: where main begins.
    const std::uintptr_t main = process_end.main + 1;
    execution.violate("exit-status", by == EndsBy::main_returns ? main : pc,
                      "the program ends with exit status %d, which says that it has failed", seen);
  }
  if (by != EndsBy::main_returns) process_end.exited = true;
  execution.finish_thread(nullptr);
}

// Where main has left by pthread_exit, the last thread to end calls exit.
void note_handlers_left() {
  if (!process_end.exited && !process_end.main_returned && has_exit_handlers())
    execution.counters.handlers_left = 1;
}

}  // namespace fencepost::checker
