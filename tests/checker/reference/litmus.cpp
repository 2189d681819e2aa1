// SPDX-License-Identifier: MIT
#include "litmus.hpp"

namespace litmus {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class parser {
 public:
  parser(const char* text, program& out) : at_(text), out_(out) {}

  const char* run() {
    out_ = program{};
    while (!at_thread()) {
      if (*at_ == '\0') return "no thread";
      if (!initialisation()) return error_;
    }
    while (at_thread()) {
      if (out_.thread_count == max_threads) return "too many threads";
      at_ += 1;
      if (*at_ - '0' != out_.thread_count) return "threads are T0, T1, … in this order";
      at_ += 1;
      if (!take(':')) return "expected ':' after the thread";
      thread_ = &out_.threads[out_.thread_count++];
      if (!statements()) return error_;
    }
    if (*at_ != '\0') return "expected an instruction";
    for (int t = 0; t < out_.thread_count; ++t) {
      for (int i = 0; i < out_.threads[t].size; ++i) {
        out_.threads[t].instructions[i].bytes = out_.bytes;
      }
    }
    return nullptr;
  }

 private:
  void spaces() {
    while (*at_ == ' ') ++at_;
  }

  bool take(char c) {
    spaces();
    if (*at_ != c) return false;
    ++at_;
    spaces();
    return true;
  }

  // Takes a whole word: `word` not followed by a letter, digit or '_'.
  bool take_word(const char* word) {
    spaces();
    const char* p = at_;
    while (*word != '\0' && *p == *word) ++p, ++word;
    if (*word != '\0' || is_letter(*p) || is_digit(*p)) return false;
    at_ = p;
    spaces();
    return true;
  }

  bool fail(const char* what) {
    error_ = what;
    return false;
  }

  bool at_thread() {
    spaces();
    return at_[0] == 'T' && is_digit(at_[1]) && (at_[2] == ':' || at_[2] == ' ');
  }

  bool number(int& n) {
    spaces();
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    if (!is_digit(*at_)) return fail("expected a number");
    n = 0;
    for (int digits = 0; is_digit(*at_); ++at_, ++digits) {
      if (digits == 9) return fail("number too large");
      n = n * 10 + (*at_ - '0');
    }
    if (negative) n = -n;
    spaces();
    return true;
  }

  bool at_register() { return at_[0] == 'r' && is_digit(at_[1]) && !is_letter(at_[2]); }

  bool register_name(int& n) {
    spaces();
    if (!at_register()) return fail("expected a register");
    ++at_;
    if (!number(n)) return false;
    return n < max_registers || fail("registers are r0..r7");
  }

  bool operand(value& v) {
    spaces();
    v = value{};
    if (!at_register()) return number(v.constant);
    if (!register_name(v.reg)) return false;
    return !take('+') || number(v.constant);
  }

  bool memory_order(order& o) {
    if (take_word("rlx")) return o = order::relaxed, true;
    if (take_word("acq")) return o = order::acquire, true;
    if (take_word("rel")) return o = order::release, true;
    if (take_word("acq_rel")) return o = order::acq_rel, true;
    if (take_word("sc")) return o = order::seq_cst, true;
    return fail("expected an order: rlx, acq, rel, acq_rel, sc");
  }

  bool initialisation() {
    const int first = out_.location_count;
    do {
      if (out_.location_count == max_locations) return fail("too many locations");
      char* name = out_.names[out_.location_count];
      int length = 0;
      for (; is_letter(*at_) && length < 7; ++at_) name[length++] = *at_;
      if (length == 0) return fail("expected a location or T0:");
      ++out_.location_count;
      if (!take('=')) return fail("expected '=' after the location");
    } while (is_letter(*at_));
    int n = 0;
    if (!number(n)) return false;
    for (int i = first; i < out_.location_count; ++i) out_.initial[i] = n;
    return take(';') || fail("expected ';' after the initial value");
  }

  bool location(int& index) {
    for (index = 0; index < out_.location_count; ++index) {
      if (take_word(out_.names[index])) return true;
    }
    return fail("expected a location that has an initial value");
  }

  bool range(instruction& i) {
    if (!location(i.location)) return false;
    if (*at_ != ':') return true;
    ++at_;
    int last = 0;
    if (!location(last)) return false;
    if (last < i.location) return fail("a range goes upwards");
    i.width = last - i.location + 1;
    out_.bytes = true;
    return true;
  }

  instruction* append(kind what) {
    if (thread_->size == max_instructions) {
      error_ = "too many instructions";
      return nullptr;
    }
    instruction& i = thread_->instructions[thread_->size++];
    i = instruction{};
    i.what = what;
    return &i;
  }

  bool statements() {
    for (;;) {
      while (take(';')) {
      }
      if (*at_ == '\0' || *at_ == '}' || at_thread()) return true;
      if (!statement()) return false;
    }
  }

  bool block() {
    if (!take('{')) return fail("expected '{'");
    if (!statements()) return false;
    return take('}') || fail("expected '}'");
  }

  bool conditional() {
    value tested;
    if (!register_name(tested.reg)) return false;
    kind what = kind::branch_unless_equal;
    if (take('!')) {
      what = kind::branch_if_equal;
    } else if (!take('=')) {
      return fail("expected == or !=");
    }
    if (!take('=') || !number(tested.constant)) return fail("expected == or != and a number");
    instruction* branch = append(what);
    if (branch == nullptr) return false;
    branch->operand = tested;
    if (!block()) return false;
    branch->target = thread_->size;
    if (!take_word("else")) return true;
    instruction* jump = append(kind::jump);
    if (jump == nullptr) return false;
    branch->target = thread_->size;
    if (!block()) return false;
    jump->target = thread_->size;
    return true;
  }

  bool statement() {
    if (take_word("if")) return conditional();
    int result = -1;
    if (at_register()) {
      if (!register_name(result)) return false;
      if (!take('=')) return fail("expected '=' after the register");
    }
    instruction i;
    i.result = result;
    if (take_word("F")) {
      i.what = kind::fence;
      if (result != -1) return fail("a fence has no result");
      if (take_word("light")) {
        i.what = kind::light_fence;
      } else if (take_word("heavy")) {
        i.what = kind::heavy_fence;
        i.success = order::seq_cst;
      } else if (!memory_order(i.success)) {
        return false;
      }
    } else if (take_word("N")) {
      i.what = kind::nonatomic_add;
      if (!range(i) || !operand(i.operand)) return false;
    } else if (take_word("W")) {
      i.what = kind::store;
      if (result != -1) return fail("a store has no result");
      if (!range(i) || !operand(i.operand) || !memory_order(i.success)) return false;
    } else if (take_word("R")) {
      i.what = kind::load;
      if (!range(i) || !memory_order(i.success)) return false;
    } else if (take_word("X")) {
      i.what = kind::exchange;
      if (!range(i) || !operand(i.operand) || !memory_order(i.success)) return false;
    } else if (take_word("U")) {
      if (!range(i)) return false;
      if (take_word("add")) {
        i.what = kind::fetch_add;
      } else if (take_word("sub")) {
        i.what = kind::fetch_sub;
      } else if (take_word("and")) {
        i.what = kind::fetch_and;
      } else if (take_word("or")) {
        i.what = kind::fetch_or;
      } else if (take_word("xor")) {
        i.what = kind::fetch_xor;
      } else {
        return fail("expected add, sub, and, or, xor");
      }
      if (!operand(i.operand) || !memory_order(i.success)) return false;
    } else if (take_word("C")) {
      i.what = kind::compare_exchange;
      if (!range(i) || !operand(i.expected) || !operand(i.operand) || !memory_order(i.success) ||
          !memory_order(i.failure)) {
        return false;
      }
    } else {
      return fail("expected W, R, X, U, C, N, F or if");
    }
    const bool bad =
        (i.what == kind::load && (i.success == order::release || i.success == order::acq_rel)) ||
        (i.what == kind::store && (i.success == order::acquire || i.success == order::acq_rel)) ||
        i.failure == order::release || i.failure == order::acq_rel;
    if (bad) return fail("an order that this operation cannot have");
    instruction* place = append(i.what);
    if (place == nullptr) return false;
    *place = i;
    spaces();
    return *at_ == ';' || *at_ == '}' || *at_ == '\0' || at_thread() || fail("expected ';'");
  }

  const char* at_;
  program& out_;
  code* thread_ = nullptr;
  const char* error_ = "syntax error";
};

int evaluate(const value& v, const thread_state& state) {
  if (v.reg < 0) return v.constant;
  return static_cast<int>(static_cast<unsigned>(state.registers[v.reg]) +
                          static_cast<unsigned>(v.constant));
}

}  // namespace

const char* parse(const char* text, program& out) { return parser(text, out).run(); }

request next_request(const code& thread, thread_state& state) {
  while (state.next < thread.size) {
    const instruction& i = thread.instructions[state.next];
    const bool equal = i.operand.reg >= 0 && state.registers[i.operand.reg] == i.operand.constant;
    const unsigned mask = i.bytes ? ~0U >> (32 - 8 * i.width) : ~0U;
    switch (i.what) {
      case kind::jump:
        state.next = i.target;
        continue;
      case kind::branch_unless_equal:
        state.next = equal ? state.next + 1 : i.target;
        continue;
      case kind::branch_if_equal:
        state.next = equal ? i.target : state.next + 1;
        continue;
      default:
        return {true,
                i.what,
                i.location,
                i.width,
                mask,
                static_cast<int>(static_cast<unsigned>(evaluate(i.operand, state)) & mask),
                static_cast<int>(static_cast<unsigned>(evaluate(i.expected, state)) & mask),
                i.success,
                i.failure};
    }
  }
  return {};
}

void complete(const code& thread, thread_state& state, int read) {
  const instruction& i = thread.instructions[state.next];
  if (i.result >= 0) state.registers[i.result] = read;
  ++state.next;
}

bool is_fence(kind what) {
  return what == kind::fence || what == kind::light_fence || what == kind::heavy_fence;
}

bool is_atomic_update(kind what) {
  return !is_fence(what) && what != kind::load && what != kind::store &&
         what != kind::nonatomic_add;
}

bool reads(kind what) { return what != kind::store && !is_fence(what); }

int piece(const program& p, int value, int k) {
  return p.bytes ? static_cast<int>(static_cast<unsigned>(value) >> (8 * k) & 0xffU) : value;
}

int joined(const program& p, int value, int k, int piece) {
  if (!p.bytes) return piece;
  return static_cast<int>(static_cast<unsigned>(value) | static_cast<unsigned>(piece) << (8 * k));
}

bool writes(const request& what, int read, int& written) {
  const auto a = static_cast<unsigned>(read);
  const auto b = static_cast<unsigned>(what.operand);
  switch (what.what) {
    case kind::store:
    case kind::exchange:
      written = what.operand;
      return true;
    case kind::fetch_add:
    case kind::nonatomic_add:
      written = static_cast<int>((a + b) & what.mask);
      return true;
    case kind::fetch_sub:
      written = static_cast<int>((a - b) & what.mask);
      return true;
    case kind::fetch_and:
      written = static_cast<int>(a & b);
      return true;
    case kind::fetch_or:
      written = static_cast<int>(a | b);
      return true;
    case kind::fetch_xor:
      written = static_cast<int>(a ^ b);
      return true;
    case kind::compare_exchange:
      written = what.operand;
      return read == what.expected;
    default:
      return false;
  }
}

const char* parse_condition(const char* text, const program& of, condition& out) {
  out = condition{};
  const char* p = text;
  const auto number = [&p](int& n) {
    const bool negative = *p == '-';
    if (negative) ++p;
    if (!is_digit(*p)) return false;
    n = 0;
    for (int digits = 0; is_digit(*p) && digits < 9; ++p, ++digits) n = n * 10 + (*p - '0');
    if (negative) n = -n;
    return true;
  };
  for (;;) {
    while (*p == ' ') ++p;
    if (*p == '\0') return nullptr;
    if (out.size == max_terms) return "too many terms in the condition";
    term& t = out.terms[out.size++];
    if (is_digit(*p)) {
      if (!number(t.thread) || t.thread >= of.thread_count) return "no such thread";
      if (p[0] != ':' || p[1] != 'r') return "expected THREAD:rN=VALUE";
      p += 2;
      if (!number(t.index) || t.index >= max_registers) return "no such register";
    } else {
      int length = 0;
      while (is_letter(p[length])) ++length;
      const auto named = [&](const char* name) {
        int i = 0;
        while (i < length && name[i] == p[i]) ++i;
        return i == length && name[i] == '\0';
      };
      for (t.index = 0; t.index < of.location_count && !named(of.names[t.index]); ++t.index) {
      }
      if (length == 0 || t.index == of.location_count) return "no such location in the condition";
      p += length;
    }
    if (*p != '=') return "expected '=' in the condition";
    ++p;
    if (!number(t.value)) return "expected a number in the condition";
  }
}

bool satisfied(const condition& what, const thread_state (&threads)[max_threads],
               const int (&memory)[max_locations]) {
  for (int i = 0; i < what.size; ++i) {
    const term& t = what.terms[i];
    const int actual = t.thread < 0 ? memory[t.index] : threads[t.thread].registers[t.index];
    if (actual != t.value) return false;
  }
  return true;
}

}  // namespace litmus
