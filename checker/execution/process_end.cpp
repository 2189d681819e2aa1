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
#include <link.h>

#include <cstring>
#include <initializer_list>

#include "execution/runtime.hpp"
#include "machine/program_code.hpp"
#include "memory/lifetimes.hpp"
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

}  // namespace

// Shared libraries are not put back between executions, so what they have registered for themselves
// does not run.
bool Runtime::runs_at_exit(const ExitHandler& h) {
  const auto function = h.by_status != nullptr ? reinterpret_cast<std::uintptr_t>(h.by_status)
                                               : reinterpret_cast<std::uintptr_t>(h.function);
  const auto object = reinterpret_cast<std::uintptr_t>(h.object);
  if (h.function == fencepost_ios_init_destructor || snapshot.is_checkers(object)) return false;
  if (is_program_code(function) || is_program_memory(object)) return true;
  if (!is_of_system(function)) counters.handlers_of_libraries = 1;
  return false;
}

void Runtime::at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc) {
  if (!active) {
    started_with_[static_cast<unsigned>(list)].push_back(handler);
    return;
  }
  if (!runs_at_exit(handler)) return;
  if (options.symmetry) symmetry.asks_for_itself(pc);
  Array<ExitHandler>& own = registered_[current->id];
  own.push_back(handler);
  change_word({.kind = ObjectKind::exit_handlers,
               .what = Operation::exit_register,
               .address = key(list),
               .initial = started_with_[static_cast<unsigned>(list)].size(),
               .add = 1,
               .note = own.size() - 1,
               .releases = true},
              pc);
}

void Runtime::at_thread_end(const ExitHandler& handler, std::uint64_t pc) {
  if (!active) {
    thread_started_with_.push_back(handler);
    return;
  }
  Thread& t = *current;
  if (t.exit_handler_count == kMaxExitHandlers) {
    unsupported(pc, "more than %u thread-local objects with destructors", kMaxExitHandlers);
  }
  t.exit_handlers[t.exit_handler_count++] = handler;
}

// Of what was registered before main.
void Runtime::sort_exit_handlers() {
  const auto keep = [&](Array<ExitHandler>& handlers) {
    std::uint32_t kept = 0;
    for (const ExitHandler& h : handlers) {
      if (runs_at_exit(h)) handlers[kept++] = h;
    }
    handlers.truncate(kept);
  };
  for (Array<ExitHandler>& list : started_with_) keep(list);
  keep(thread_started_with_);
}

// main's thread has its own copies of the thread-local variables that static constructors have met.
void Runtime::begin_main() {
  for (const ExitHandler& h : thread_started_with_) {
    const std::uintptr_t moved =
        reinterpret_cast<std::uintptr_t>(h.object) - own_thread_pointer_ + current->thread_pointer;
    at_thread_end({h.function, reinterpret_cast<void*>(moved)}, 0);
  }
}

// Has every thread that the current one can know of ended, as it knows?
bool Runtime::knows_that_it_is_alone() {
  const Graph& g = graph();
  for (unsigned i = 0; i < thread_count_; ++i) {
    if (i == current->id) continue;
    const Thread& t = threads_[i];
    EventId created = kInitial;
    if (i != 0) {
      if (g.size(i) == 0 && t.state == ThreadState::absent) continue;
      created = g.size(i) == 0 ? t.created_by : g.at(i, 0).from;
      if (!Graph::includes(clock(), created)) continue;
    }
    const std::uint32_t known = clock()[i];
    if (known == 0 || g.at(i, known - 1).kind != Kind::end) return false;
  }
  return true;
}

// The handlers on a list, as the current thread knows.
std::uint64_t Runtime::known_exit_handlers(ExitList list) {
  const LocationId id = hidden(ObjectKind::exit_handlers, key(list));
  const Array<EventId>& writes = graph().location(id).writes;
  for (std::uint32_t k = writes.size(); k-- > 0;) {
    if (Graph::includes(clock(), writes[k])) return graph().at(writes[k]).value;
  }
  return started_with_[static_cast<unsigned>(list)].size();
}

bool Runtime::take_exit_handler(ExitList list, ExitHandler* handler, std::uint64_t pc) {
  if (known_exit_handlers(list) == 0 && knows_that_it_is_alone()) return false;
  const Array<ExitHandler>& first = started_with_[static_cast<unsigned>(list)];
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
  const Graph& g = graph();
  const Array<EventId>& writes = graph().location(g.at(last_event()).location).writes;
  unsigned taken = 0;
  for (std::uint32_t k = g.at(last_event()).mo; k-- > 0;) {
    const Event& e = g.at(writes[k]);
    if (e.what == Operation::exit_take) {
      ++taken;
    } else if (taken == 0) {
      *handler = registered_[writes[k].thread()][static_cast<std::uint32_t>(e.operand)];
      return true;
    } else {
      --taken;
    }
  }
  *handler = first[static_cast<std::uint32_t>(depth) - 1];
  return true;
}

// Its lifetime is over, and who accesses it without knowing that it was not yet does wrong.
void Runtime::object_is_destroyed(const ExitHandler& handler, std::uint64_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(handler.object);
  if (!snapshot.is_global(address)) return;
  const std::size_t size = static_objects::size_of(address);
  if (size == static_objects::kNoSymbols) {
    unsupported(pc, "the program is stripped of its symbols, so its static objects are not known");
  }
  if (size != 0) end_life(address, size, pc);
}

void Runtime::run_exit_handlers(ExitList list, int status, std::uint64_t pc) {
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

bool Runtime::has_exit_handlers() {
  for (const ExitList list : {ExitList::exit, ExitList::quick_exit}) {
    const LocationId id = hidden(ObjectKind::exit_handlers, key(list));
    if (!started_with_[static_cast<unsigned>(list)].empty()) return true;
    if (!graph().location(id).writes.empty()) return true;
  }
  return has_finishers();
}

void Runtime::end_process(EndsBy by, int status, std::uint64_t pc) {
  Thread& t = *current;
  const bool at_once = by == EndsBy::at_once;
  const bool second = ending_ != kMaxThreads;
  if (second && !at_once && has_exit_handlers()) {
    violate("memory", pc,
            "thread %u %s while thread %u ends the process already and calls what is registered "
            "for that: what happens then is undefined",
            t.id, by == EndsBy::main_returns ? "returns from main" : "calls exit", ending_);
  }
  if (by == EndsBy::main_returns) main_returned = true;
  t.ends_process = true;
  if (second && !at_once && by != EndsBy::quick_exit) run_thread_destructors();
  if (!second && !at_once) {
    ending_ = t.id;
    if (by == EndsBy::quick_exit) {
      run_exit_handlers(ExitList::quick_exit, status, pc);
    } else {
      run_thread_destructors();
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
  if (seen != 0 && !options.any_exit_status) {
    // Behind its first byte, as a return address is: where main begins.
    const auto main = reinterpret_cast<std::uintptr_t>(main_call_.function) + 1;
    violate("exit-status", by == EndsBy::main_returns ? main : pc,
            "the program ends with exit status %d, which says that it has failed", seen);
  }
  if (by != EndsBy::main_returns) exited = true;
  finish_thread(nullptr);
}

// Where main has left by pthread_exit, the last thread to end calls exit.
void Runtime::note_handlers_left() {
  if (!exited && !main_returned && has_exit_handlers()) counters.handlers_left = 1;
}

}  // namespace fencepost::checker
