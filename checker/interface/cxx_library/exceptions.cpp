// SPDX-License-Identifier: MIT
// Exceptions that threads share by std::exception_ptr. What the program throws lies on its heap, so
// that its accesses are watched; and once such a pointer is made, its owners are counted by atomic
// operations of the model, as libstdc++ counts them: who lets go last destroys the exception, after
// what the others did to it.
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <typeinfo>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "interface/c_library/allocation.hpp"
#include "interface/entry.hpp"

namespace checker = fencepost::checker;
using checker::execution;
using checker::Order;

namespace {

// What libstdc++ puts before an exception: the C++ ABI's header, behind its own count.
struct Header {
  int count;
  // Where libstdc++ has padding: how many have let go, which is an atomic object of the model, and
  // how many there were to do so. While one is left, it may make others; of one execution all have
  // come before who is last lets go. So only who lets go is an event.
  alignas(8) std::uint32_t left;
  std::uint32_t owners;
  alignas(alignof(_Unwind_Exception)) const std::type_info* type;
  void (*destroy)(void*);
  void (*handlers[2])();
  Header* next;
  int handler_count;
  int handler_switch_value;
  const unsigned char* places[3];
  void* adjusted;
  _Unwind_Exception unwinding;
};
static_assert(sizeof(Header) == 128 && offsetof(Header, left) == 8);

// The threads' list has the address of `type`. One that is thrown again from a pointer has the
// exception's own there.
struct Caught {
  void* type_or_primary;
  void* rest[4];
  int handler_count;
};
static_assert(offsetof(Caught, handler_count) ==
              offsetof(Header, handler_count) - offsetof(Header, type));

constexpr std::uint64_t kClass = 0x474E5543432B2B00;  // "GNUCC++", of a dependent one: and 1

// libstdc++ is not to see the last owner of what is counted here.
constexpr int kShared = 1 << 24;

struct Caller {
  std::uint64_t pc;
  std::uintptr_t stack;
};

Header* header_of(void* exception) { return static_cast<Header*>(exception) - 1; }
bool is_the_programs(void* exception) {
  return checker::regions::in_heap(checker::address_of(exception));
}
bool is_watched(void* exception) { return checker::exploring() && is_the_programs(exception); }

// From its first pointer on; of one that was made before main, from its first use after that.
void begin_to_count(Header* header, std::uint64_t pc) {
  if (header->count >= kShared) return;
  // So far its thread alone has it, if it was thrown; otherwise nobody. Before main there was no
  // other thread, and the word is as all memory was then.
  if (!execution.heap.find(checker::address_of(header))->startup) {
    checker::atomic_store(checker::address_of(&header->left), 4, 0, Order::relaxed, pc);
  }
  header->owners = static_cast<std::uint32_t>(header->count);
  header->count += kShared;
}

void destroy(void* exception, std::uint64_t pc) {
  Header* header = header_of(exception);
  if (header->destroy != nullptr) header->destroy(exception);
  checker::program_free(header, pc);
}

void let_go(void* exception, Caller caller) {
  Header* header = header_of(exception);
  std::uint64_t before;
  {
    const checker::LeaveNoTrace clean{caller.pc};
    // No round in which an exception changes hands is like another.
    execution.current->effect();
    begin_to_count(header, caller.pc);
    checker::fencepost_saved_registers.stack = caller.stack;
    // Pairs with itself: who destroys has seen what the others did.
    before =
        checker::atomic_modify(checker::Operation::fetch_add, checker::address_of(&header->left), 4,
                               1, Order::acq_rel, caller.pc);
  }
  if (before + 1 == header->owners) destroy(exception, caller.pc);
}

void share(void* exception, std::uint64_t pc) {
  const checker::LeaveNoTrace clean{pc};
  execution.current->effect();
  Header* header = header_of(exception);
  begin_to_count(header, pc);
  ++header->owners;
}

}  // namespace

namespace __cxxabiv1 {
extern "C" {
void __cxa_free_exception(void* exception) noexcept;
void __cxa_end_catch();
struct __cxa_eh_globals {
  Caught* caught;
};
__cxa_eh_globals* __cxa_get_globals() noexcept;
}
}  // namespace __cxxabiv1

extern "C" {

// The program's calls are sent here (redefined-symbols.txt).

void* fencepost_cxa_allocate_exception(std::size_t size) {
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::LeaveNoTrace clean;
  void* block = checker::program_allocate(sizeof(Header) + size, alignof(Header), pc);
  execution.heap.find(checker::address_of(block))->is_exception = true;
  std::memset(block, 0, sizeof(Header));
  return static_cast<Header*>(block) + 1;
}

// One whose constructor throws.
void fencepost_cxa_free_exception(void* exception) {
  if (!is_the_programs(exception)) return __cxxabiv1::__cxa_free_exception(exception);
  const checker::LeaveNoTrace clean;
  checker::program_free(header_of(exception), FENCEPOST_PC());
}

void fencepost_cxa_end_catch() {
  const Caller caller{FENCEPOST_PC(), FENCEPOST_STACK()};
  const Caught* caught = __cxxabiv1::__cxa_get_globals()->caught;
  void* left = nullptr;
  if (caught != nullptr && caught->handler_count == 1) {
    const auto* unwinding = reinterpret_cast<const _Unwind_Exception*>(
        reinterpret_cast<const char*>(caught) + offsetof(Header, unwinding) -
        offsetof(Header, type));
    const std::uint64_t other = unwinding->exception_class ^ kClass;
    void* exception = nullptr;
    if (other == 0) exception = const_cast<_Unwind_Exception*>(unwinding) + 1;
    if (other == 1) exception = caught->type_or_primary;
    // One that was thrown again from a pointer had that pointer's place, and is counted.
    if (exception != nullptr && is_watched(exception) &&
        (other == 1 || header_of(exception)->count >= kShared)) {
      left = exception;
    }
  }
  __cxxabiv1::__cxa_end_catch();
  if (left != nullptr) let_go(left, caller);
}

// std::rethrow_exception, with its argument as the C++ ABI passes it: an object that ends on the
// way to the handler. What is thrown owns the exception in its stead.
[[noreturn]] void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void** pointer);
[[noreturn]] void fencepost_rethrow_exception(void** pointer) {
  void* exception = *pointer;
  if (is_watched(exception)) *pointer = nullptr;
  _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(&exception);
}

// std::exception_ptr's own two, by the names that the C++ ABI gives them: the library calls them,
// too.

void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void** pointer) {
  if (*pointer == nullptr) return;
  if (is_watched(*pointer)) return share(*pointer, FENCEPOST_PC());
  // As in libstdc++, which pairs it with itself.
  __atomic_fetch_add(&header_of(*pointer)->count, 1, __ATOMIC_ACQ_REL);
}

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** pointer) {
  void* const exception = *pointer;
  if (exception == nullptr) return;
  if (is_watched(exception)) {
    let_go(exception, {FENCEPOST_PC(), FENCEPOST_STACK()});
    *pointer = nullptr;
    return;
  }
  Header* header = header_of(exception);
  // As in libstdc++, which pairs it with itself.
  if (__atomic_fetch_sub(&header->count, 1, __ATOMIC_ACQ_REL) != 1) return;
  if (header->destroy != nullptr) header->destroy(exception);
  __cxxabiv1::__cxa_free_exception(exception);
  *pointer = nullptr;
}

}  // extern "C"
