// SPDX-License-Identifier: MIT
// What compiled C++ asks of its run-time library: initialisation of function-local statics,
// what it looks at to cast, uncaught exceptions; destructors: process_end.cpp.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory_resource>
#include <new>
#include <typeinfo>
#include <utility>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/loops/streams.hpp"
#include "execution/objects.hpp"
#include "interface/c_library/touched.hpp"
#include "memory/snapshot.hpp"
#include "search/before_main.hpp"
#include "sync/joining.hpp"
#include "sync/locks/mutexes.hpp"

namespace checker = fencepost::checker;
using checker::execution;
using checker::Order;

// Declared here, not by <cxxabi.h>: the types of its guards differ among compilers.
namespace __cxxabiv1 {
extern "C" std::type_info* __cxa_current_exception_type() noexcept;
extern "C" char* __cxa_demangle(const char* name, char* buffer, std::size_t* size,
                                int* status) noexcept;
extern "C" void* __dynamic_cast(const void* object, const void* from, const void* to,
                                std::ptrdiff_t offset);
}  // namespace __cxxabiv1

extern "C" {

// A guard's first byte says "done". Compiled code reads it before it calls, gcc on AArch64 with the
// seven unused bytes behind it; an atomic object has one size, so it is accessed here as it was
// there. Who initialises holds a mutex that goes with the guard.
static unsigned guard_size(std::uintptr_t guard) {
  const unsigned size = checker::objects.atomic_size(guard);
  return size == 0 ? 1 : size;
}

int __cxa_guard_acquire(std::uint64_t* guard) {
  auto* done = reinterpret_cast<std::uint8_t*>(guard);
  if (!checker::exploring()) return *done == 0 ? 1 : 0;
  const std::uint64_t pc = FENCEPOST_PC();
  const auto address = checker::address_of(guard);
  checker::lock_mutex(address, pc);
  if (checker::atomic_load(address, guard_size(address), Order::relaxed, pc, false) == 0) return 1;
  checker::unlock_mutex(address, pc);
  return 0;
}

void __cxa_guard_release(std::uint64_t* guard) {
  if (!checker::exploring()) {
    *reinterpret_cast<std::uint8_t*>(guard) = 1;
    return;
  }
  const std::uint64_t pc = FENCEPOST_PC();
  const auto address = checker::address_of(guard);
  checker::atomic_store(address, guard_size(address), 1, Order::release, pc);
  checker::unlock_mutex(address, pc);
}

void __cxa_guard_abort(std::uint64_t* guard) {
  if (checker::exploring()) checker::unlock_mutex(checker::address_of(guard), FENCEPOST_PC());
}

// The program's calls are sent here (redefined-symbols.txt).

// What an object is stands where it begins.
void* fencepost_dynamic_cast(const void* object, const void* from, const void* to,
                             std::ptrdiff_t offset) {
  checker::reads(object, sizeof(void*), FENCEPOST_PC());
  auto* cast = &__cxxabiv1::__dynamic_cast;  // gcc 13 fails at a call by name
  return cast(object, from, to, offset);
}

// What the library has for all threads: who comes first of several is not explored.
static void must_be_alone(const char* call, std::uint64_t pc) {
  if (checker::exploring() && checker::beside_others()) {
    execution.unsupported(pc, "%s while there are several threads: who comes first is not explored",
                          call);
  }
}

std::terminate_handler fencepost_set_terminate(std::terminate_handler handler) {
  must_be_alone("std::set_terminate", FENCEPOST_PC());
  return std::set_terminate(handler);
}

std::new_handler fencepost_set_new_handler(std::new_handler handler) {
  must_be_alone("std::set_new_handler", FENCEPOST_PC());
  return std::set_new_handler(handler);
}

checker::UnexpectedHandler fencepost_set_unexpected(checker::UnexpectedHandler handler) {
  must_be_alone("std::set_unexpected", FENCEPOST_PC());
  return checker::set_unexpected(handler);
}

std::pmr::memory_resource* fencepost_set_default_resource(std::pmr::memory_resource* resource) {
  must_be_alone("std::pmr::set_default_resource", FENCEPOST_PC());
  return std::pmr::set_default_resource(resource);
}

// The library's streams stay as they are, which only the order of output could tell.
bool fencepost_ios_sync_with_stdio(bool synchronised) {
  must_be_alone("std::ios_base::sync_with_stdio", FENCEPOST_PC());
  const bool before = checker::streams_are_synchronised;
  checker::streams_are_synchronised = before && synchronised;
  return before;
}

// Counted here, where it is the program's and begun anew in each execution.
int fencepost_ios_xalloc() {
  static constinit int next = 4;  // libstdc++ keeps those before for itself
  must_be_alone("std::ios_base::xalloc", FENCEPOST_PC());
  return next++;
}

// The result goes into `buffer` where that has room for it. Otherwise it is a block of its own, of
// which *size is told, and `buffer` is freed.
char* fencepost_cxa_demangle(const char* name, char* buffer, std::size_t* size, int* status) {
  const std::uint64_t pc = FENCEPOST_PC();
  const bool is_usable = name != nullptr && (buffer == nullptr || size != nullptr);
  if (is_usable) checker::reads_string(name, pc);
  std::size_t room = 0;
  int how = -3;  // what is asked for cannot be
  char* made = is_usable ? __cxxabiv1::__cxa_demangle(name, nullptr, &room, &how) : nullptr;
  if (status != nullptr) {
    checker::writes(status, sizeof *status, pc);
    *status = how;
  }
  if (made == nullptr) return made;
  if (buffer != nullptr) checker::reads(size, sizeof *size, pc);
  if (buffer != nullptr && std::strlen(made) < *size) {
    checker::writes(buffer, std::strlen(made) + 1, pc);
    std::strcpy(buffer, made);
    std::swap(buffer, made);
  } else if (size != nullptr) {
    checker::writes(size, sizeof *size, pc);
    *size = room;
  }
  std::free(buffer);
  return made;
}
}

namespace fencepost::checker {

// std::terminate: an exception that nobody catches, or one that must not be thrown.
[[noreturn]] void on_terminate() {
  const std::type_info* type = __cxxabiv1::__cxa_current_exception_type();
  if (type == nullptr) {
    if (!exploring()) {
      violate_before_main("uncaught", FENCEPOST_PC(), "thread 0 calls std::terminate before main");
    }
    execution.violate("uncaught", FENCEPOST_PC(), "thread %u calls std::terminate",
                      execution.current->id);
  }
  char name[160];
  std::strncpy(name, type->name(), sizeof name - 1);
  name[sizeof name - 1] = '\0';
  int status = -1;
  if (char* readable = __cxxabiv1::__cxa_demangle(type->name(), nullptr, nullptr, &status)) {
    std::strncpy(name, readable, sizeof name - 1);
  }
  const char* text = "";
  try {
    throw;
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
  }
  if (!exploring()) {
    violate_before_main("uncaught", FENCEPOST_PC(),
                        "nobody catches the exception %s%s%s before main", name,
                        *text != '\0' ? ": " : "", text);
  }
  execution.violate("uncaught", FENCEPOST_PC(), "nobody catches the exception %s%s%s in thread %u",
                    name, *text != '\0' ? ": " : "", text, execution.current->id);
}

}  // namespace fencepost::checker
