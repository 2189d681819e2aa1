// SPDX-License-Identifier: MIT
// Inline assembly that accesses memory. Each such instruction has become a call of
// fencepost_access_by_assembly (lab/fencepost/binary/machines/x86_64_assembly.py), which does to
// the program's memory what the instruction does, and the same instruction on `value`, the copy.
//
// A locked instruction is a seq_cst read-modify-write between two seq_cst fences: to the processor
// it is a full barrier for everything before and after, which the C++ models do not say of a
// read-modify-write alone. Under x86 the three do what the instruction does. A load is an acquire
// load, a store a release store, as on x86; lfence and sfence, which order nothing there that is
// not ordered anyway, are acquire and release fences.
#include <cstring>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/fences.hpp"
#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "graph/state_section.hpp"
#include "interface/entry.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

// In the order of _DOES in x86_64_assembly.py.
enum class Does : std::uint8_t {
  load,
  store,
  exchange,
  fetch_add,
  fetch_sub,
  fetch_and,
  fetch_or,
  fetch_xor,
  compare_exchange,
  bit_set,
  bit_reset,
  bit_complement,
  nonatomic_add,
  nonatomic_sub,
  mfence,
  lfence,
  sfence,
};

// What the instruction asks for; the offsets are in x86_64_assembly.py.
struct Access {
  alignas(16) Value value;  // what is stored, or was found
  std::uint64_t address;
  std::uint64_t operand;  // the value of the bit, after an operation on one
  std::uint64_t kept;     // rax, while the address is computed
  std::uint32_t doing;    // Does, size << 8, the flags below
  std::uint32_t live;     // registers that may hold something: 16 general ones, 16 vectors
};
constexpr std::uint32_t kRedZone = 1 << 16;  // something may be kept below the stack pointer
constexpr std::uint32_t kFlagsLive = 1 << 17;
constexpr std::uint32_t kBitInRegister = 1 << 18;
constexpr std::uint32_t kOrdersNothing = 1 << 19;  // the compiler may move others across it

// The registers where the call was made, which are all put back. A frame on the program's stack
// would tell states apart that are the same.
struct Registers {
  std::uint64_t general[16];  // by the processor's numbers; the stack pointer after the call
  alignas(16) std::uint64_t vector[16][2];
  std::uint64_t flags;
};

constexpr unsigned kRax = 0, kRcx = 1, kRdx = 2, kRbx = 3, kRsp = 4, kRbp = 5, kR12 = 12;
constexpr std::uint64_t kArithmeticFlags = 0x8d5;  // CF, PF, AF, ZF, SF, OF

}  // namespace

extern "C" {
FENCEPOST_CHECKER_STATE Access fencepost_assembly_access;
FENCEPOST_CHECKER_STATE Registers fencepost_assembly_registers;
}

namespace {

// All that decides what comes next and is not in memory: what other entries leave to the convention
// of calls goes into the hash in place of rbx.
SavedRegisters saved(const Registers& r, const Access& access) {
  SavedRegisters s{};
  std::uint64_t h = r.general[kRbx];
  for (unsigned i = 0; i < 16; ++i) {
    if ((access.live >> i & 1) != 0 && i != kRsp) h = mix(h, r.general[i]);
    if ((access.live >> (16 + i) & 1) != 0) h = mix(mix(h, r.vector[i][0]), r.vector[i][1]);
  }
  if ((access.doing & kFlagsLive) != 0) h = mix(h, r.flags & kArithmeticFlags);
  const std::uint64_t low = r.general[kRsp] + 8;
  s.stack = (access.doing & kRedZone) != 0 ? low : low + 128;
  s.preserved[0] = h;
  s.preserved[1] = r.general[kRbp];
  for (unsigned i = 0; i < 4; ++i) s.preserved[2 + i] = r.general[kR12 + i];
  return s;
}

class Instruction {
 public:
  Instruction(const Registers& registers, Access* access)
      : registers_(registers),
        access_(*access),
        does_(static_cast<Does>(access->doing & 0xff)),
        size_(access->doing >> 8 & 0xff),
        pc_(*reinterpret_cast<const std::uint64_t*>(registers.general[kRsp])),
        saved_(saved(registers, *access)) {}

  void run() {
    fencepost_saved_registers = saved_;
    switch (does_) {
      case Does::mfence:
        return fence(Order::seq_cst);
      case Does::lfence:
        return fence(Order::acquire);
      case Does::sfence:
        return fence(Order::release);
      case Does::store:
        return store();
      case Does::load:
        access_.value = load();
        return must_be_announced();
      case Does::nonatomic_add:
        access_.value = add(access_.operand);
        return must_be_announced();
      case Does::nonatomic_sub:
        access_.value = add(-access_.operand);
        return must_be_announced();
      default:
        locked();
    }
  }

 private:
  // A function, so that weakening it to no fence at all weakens what stands in it.
  Order order(Order asked) const {
    const bool nothing = (access_.doing & kOrdersNothing) != 0 || orders_nothing(pc_);
    return nothing ? Order::relaxed : asked;
  }

  void look() { before_ = from_memory(access_.address, size_); }

  void fence(Order asked) const {
    if (exploring()) atomic_fence(order(asked), pc_);
  }

  Value load() {
    look();
    if (!exploring()) return from_memory(access_.address, size_);
    return atomic_load(access_.address, size_, order(Order::acquire), pc_, true);
  }

  void store() const {
    if (exploring()) {
      atomic_store(access_.address, size_, access_.value, order(Order::release), pc_);
    } else {
      std::memcpy(reinterpret_cast<void*>(access_.address), &access_.value, size_);
    }
  }

  std::uint64_t add(std::uint64_t n) {
    look();
    if (exploring()) return fetch_add_nonatomic(access_.address, size_, n, pc_);
    return static_cast<std::uint64_t>(change(Operation::fetch_add, n));
  }

  Value change(Operation what, Value operand) {
    look();
    if (exploring()) {
      return atomic_modify(what, access_.address, size_, operand, order(Order::seq_cst), pc_);
    }
    const Value old = from_memory(access_.address, size_);
    const Value value = result_of(what, old, operand);
    std::memcpy(reinterpret_cast<void*>(access_.address), &value, size_);
    return old;
  }

  void locked() {
    fence(Order::seq_cst);
    fencepost_saved_registers = saved_;
    switch (does_) {
      case Does::bit_set:
        change_bit(Operation::fetch_or);
        break;
      case Does::bit_reset:
        change_bit(Operation::fetch_and);
        break;
      case Does::bit_complement:
        change_bit(Operation::fetch_xor);
        break;
      case Does::compare_exchange:
        compare_exchange();
        break;
      default:
        access_.value = change(what(), access_.operand);
    }
    must_be_announced();
    fence(Order::seq_cst);
  }

  Operation what() const {
    switch (does_) {
      case Does::fetch_add:
        return Operation::fetch_add;
      case Does::fetch_sub:
        return Operation::fetch_sub;
      case Does::fetch_and:
        return Operation::fetch_and;
      case Does::fetch_or:
        return Operation::fetch_or;
      case Does::fetch_xor:
        return Operation::fetch_xor;
      default:
        return Operation::exchange;
    }
  }

  // The number of a bit in a register is a signed one of the operand's size, and may lie far beyond
  // the word at the address.
  void change_bit(Operation what) {
    const std::uint64_t bits = 8 * size_;
    if ((access_.doing & kBitInRegister) != 0) {
      const unsigned shift = 64 - static_cast<unsigned>(bits);
      const auto number = static_cast<std::int64_t>(access_.operand << shift) >> shift;
      const auto words = number >> (size_ == 2 ? 4 : size_ == 4 ? 5 : 6);
      access_.address += static_cast<std::uint64_t>(words) * size_;
    }
    const std::uint64_t bit = access_.operand & (bits - 1);
    const Value mask = Value{1} << bit;
    access_.value = change(what, what == Operation::fetch_and ? ~mask : mask);
    access_.operand = static_cast<std::uint64_t>(access_.value >> bit) & 1;
  }

  void compare_exchange() {
    const auto& general = registers_.general;
    Value found = general[kRax];
    Value desired = access_.operand;
    if (size_ == 16) {
      found |= Value{general[kRdx]} << 64;
      desired = Value{general[kRcx]} << 64 | general[kRbx];
    }
    found = truncated(found, size_);
    look();
    if (exploring()) {
      const Value wanted = found;
      const bool done =
          atomic_compare_exchange(access_.address, size_, &found, desired, order(Order::seq_cst),
                                  order(Order::seq_cst), false, pc_);
      access_.value = done ? wanted : found;
    } else {
      access_.value = from_memory(access_.address, size_);
      if (access_.value == found) {
        std::memcpy(reinterpret_cast<void*>(access_.address), &desired, size_);
      }
    }
  }

  // A local variable that nobody else can have, which the compiler may keep in memory for a
  // statement that takes a register or memory ("rm"), changes without any call.
  void must_be_announced() const {
    if (exploring() && written_unannounced(access_.address, before_, access_.value)) {
      execution.unsupported(pc_,
                            "inline assembly reads a local variable of which the compiler does not "
                            "say when it changes (an operand that may be in memory or a register)");
    }
  }

  const Registers& registers_;
  Access& access_;
  const Does does_;
  const unsigned size_;
  const std::uint64_t pc_;
  const SavedRegisters saved_;
  Value before_ = 0;  // what memory held, if the access reads
};

[[gnu::noinline]] void run(const Registers& registers, Access* access) {
  const LeaveNoTrace clean(*reinterpret_cast<const std::uint64_t*>(registers.general[kRsp]));
  Instruction(registers, access).run();
}

}  // namespace

// Others may run in the meantime and use the same variables: they are copied, and written back.
extern "C" [[gnu::noinline]] void fencepost_run_assembly() {
  const Registers registers = fencepost_assembly_registers;
  Access access = fencepost_assembly_access;
  run(registers, &access);
  fencepost_assembly_access = access;
  fencepost_assembly_registers = registers;
}

}  // namespace fencepost::checker

#define FENCEPOST_R "fencepost_assembly_registers"
#define FENCEPOST_VECTORS(does)                                                            \
  does(0) does(1) does(2) does(3) does(4) does(5) does(6) does(7) does(8) does(9) does(10) \
      does(11) does(12) does(13) does(14) does(15)
#define FENCEPOST_SAVE(n) "  movups %xmm" #n ", " FENCEPOST_R "+128+16*" #n "(%rip)\n"
#define FENCEPOST_RESTORE(n) "  movups " FENCEPOST_R "+128+16*" #n "(%rip), %xmm" #n "\n"
#define FENCEPOST_GENERAL(does)                                                              \
  does(0, rax) does(1, rcx) does(2, rdx) does(3, rbx) does(5, rbp) does(6, rsi) does(7, rdi) \
      does(8, r8) does(9, r9) does(10, r10) does(11, r11) does(12, r12) does(13, r13)        \
          does(14, r14) does(15, r15)
#define FENCEPOST_SAVE_GENERAL(n, r) "  mov %" #r ", " FENCEPOST_R "+8*" #n "(%rip)\n"
#define FENCEPOST_RESTORE_GENERAL(n, r) "  mov " FENCEPOST_R "+8*" #n "(%rip), %" #r "\n"

// The direction flag is clear as the C++ code needs it, or the compiler's code would not be.
asm(".text\n"
    ".globl fencepost_access_by_assembly\n"
    ".type fencepost_access_by_assembly, @function\n"
    "fencepost_access_by_assembly:\n"
    "  pushfq\n"
    "  popq " FENCEPOST_R "+384(%rip)\n"
    "  mov %rsp, " FENCEPOST_R "+32(%rip)\n"
    FENCEPOST_GENERAL(FENCEPOST_SAVE_GENERAL)
    FENCEPOST_VECTORS(FENCEPOST_SAVE)
    "  and $-16, %rsp\n"
    "  call fencepost_run_assembly\n"
    "  mov $2048, %edi\n"
    "  call fencepost_wipe_stack\n"
    FENCEPOST_VECTORS(FENCEPOST_RESTORE)
    "  mov " FENCEPOST_R "+32(%rip), %rsp\n"
    FENCEPOST_GENERAL(FENCEPOST_RESTORE_GENERAL)
    "  pushq " FENCEPOST_R "+384(%rip)\n"
    "  popfq\n"
    "  movq $0, -8(%rsp)\n"
    "  ret\n"
    ".size fencepost_access_by_assembly, .-fencepost_access_by_assembly\n");
