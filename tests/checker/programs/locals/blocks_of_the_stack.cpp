// SPDX-License-Identifier: MIT
// Arrays of variable length and alloca: a thread uses such a block of another one, or its own,
// after the array's scope has ended, the function has returned, or an exception has ended it.
//
// case: an_array_of_a_function
// flags: -DWAY=array
// expect: all=violated:memory at=use says="a local variable of main after its scope"
//
// case: an_array_of_a_function_that_waits
// flags: -DWAY=array -DWAITS
// expect: all=holds
//
// case: an_array_of_a_known_size
// flags: -DWAY=array -DSIZE=4
// expect: all=violated:memory at=use
//
// case: an_array_of_a_function_that_is_inlined
// flags: -DWAY=array -DINLINED
// expect: all=violated:memory at=use
//
// case: an_array_of_a_known_size_of_a_function_that_is_inlined
// flags: -DWAY=array -DINLINED -DSIZE=length()
// expect: all=violated:memory at=use
//
// case: an_array_of_a_scope
// flags: -DWAY=scope
// expect: all=violated:memory at=use
//
// case: an_array_of_a_known_size_of_a_scope
// flags: -DWAY=scope -DSIZE=length()
// expect: all=violated:memory at=use
//
// case: an_array_of_a_scope_that_lasts_long_enough
// flags: -DWAY=scope -DWAITS
// expect: all=holds
//
// case: an_array_of_a_scope_in_order_with_what_follows
// flags: -DWAY=told_later
// expect: all=violated:memory at=told_later
//
// case: an_array_of_each_round
// flags: -DWAY=rounds
// expect: all=holds
//
// case: an_array_of_the_round_before
// flags: -DWAY=rounds -DLATE
// expect: all=violated:memory
//
// case: what_alloca_gave
// flags: -DWAY=block
// expect: all=violated:memory at=use
//
// case: what_alloca_gave_lasts_as_long_as_the_function
// flags: -DWAY=block_of_a_scope
// expect: all=holds
//
// case: an_exception_ends_it
// flags: -DWAY=caught -DSIZE=length()
// expect: all=violated:memory at=use
//
// case: an_exception_ends_what_alloca_gave
// flags: -DWAY=caught -DALLOCA
// expect: all=violated:memory at=use
//
// case: an_exception_ends_an_ordinary_variable
// flags: -DWAY=caught -DORDINARY
// expect: all=violated:memory at=use
//
// case: an_exception_of_a_function_that_waits
// flags: -DWAY=caught -DWAITS
// expect: all=holds
//
// case: an_exception_leaves_what_the_function_has_that_catches
// flags: -DWAY=catches
// expect: all=holds
//
// case: an_exception_ends_only_what_it_leaves
// flags: -DWAY=catches_among_others
// expect: all=holds
//
// case: the_place_is_used_again
// flags: -DWAY=again
// expect: all=holds
//
// case: what_sticks_out_of_its_place_is_over
// flags: -DWAY=sticks_out
// expect: all=violated:memory at=use
//
// case: its_own_array
// flags: -DWAY=own -DORDINARY
// expect: all=violated:memory at=own says="after its function has returned"
//
// case: its_own_array_of_variable_length
// flags: -DWAY=own
// expect: all=violated:memory at=own
//
// case: its_own_array_after_its_scope
// flags: -DWAY=own_scope
// expect: all=violated:memory at=own_scope
//
// case: its_own_array_filled_by_the_library
// flags: -DWAY=own_filled
// expect: all=violated:memory at=own_filled
//
// case: its_own_atomic_variable
// flags: -DWAY=own_atomic
// expect: all=violated:memory at=own_atomic
//
// case: a_struct_passed_by_value
// flags: -DWAY=by_value
// expect: all=violated:memory at=use
//
// case: an_array_of_a_function_with_clang
// flags: -DWAY=array
// options: --cc clang-14
// expect: all=violated:memory at=use
//
// case: an_array_of_a_scope_with_clang
// flags: -DWAY=scope
// options: --cc clang-14
// expect: all=violated:memory at=use
//
// case: an_array_of_each_round_with_clang
// flags: -DWAY=rounds
// options: --cc clang-14
// expect: all=holds
//
// case: what_alloca_gave_with_clang
// flags: -DWAY=block
// options: --cc clang-14
// expect: all=violated:memory at=use
//
// case: an_exception_ends_it_with_clang
// flags: -DWAY=caught
// options: --cc clang-14
// expect: all=violated:memory at=use
//
// case: a_struct_passed_by_value_with_clang
// flags: -DWAY=by_value
// options: --cc clang-14
// expect: all=violated:memory at=use
#include <alloca.h>

#include <atomic>
#include <cstring>
#include <thread>

#ifdef INLINED
#define OUT_OF_LINE [[gnu::always_inline]] inline
#else
#define OUT_OF_LINE [[gnu::noinline]]
#endif
#ifndef SIZE
#define SIZE size
#endif
#ifdef ORDINARY
#define LENGTH 4
#else
#define LENGTH SIZE
#endif

static volatile int size = 4;
[[maybe_unused]] static int length() { return 4; }

static std::atomic<int*> known;
static std::atomic<int> done;

// The other thread, as soon as it is told of a block.
static void use() {
  int* numbers;
  while ((numbers = known.load()) == nullptr) {
  }
  numbers[1] = 3;  // @use
  done = 1;
}

[[maybe_unused]] static void wait_for_use() {
  while (done.load() == 0) {
  }
}

// The last that a function does with its block.
static void tell(int* numbers) {
  numbers[1] = 2;
  known.store(numbers);
#ifdef WAITS
  wait_for_use();
#endif
}

[[maybe_unused]] static void tell_of_nothing() {
  static int numbers[2];
  tell(numbers);
}

[[maybe_unused]] OUT_OF_LINE static void array() {
  int numbers[LENGTH];
  tell(numbers);
}

[[maybe_unused]] static void scope() {
  {
    int numbers[LENGTH];
    tell(numbers);
  }
  wait_for_use();
}

// What follows the scope waits for nobody, but orders: the other thread comes after it for sure.
[[maybe_unused]] static void told_later() {
  static std::atomic<bool> is_over;
  static std::atomic<int*> numbers_of_scope;
  std::thread third([] {
    if (is_over) numbers_of_scope.load()[1] = 4;  // @told_later
  });
  {
    int numbers[LENGTH];
    numbers_of_scope = numbers;
  }
  is_over = true;
  third.join();
  tell_of_nothing();
}

[[maybe_unused]] static void rounds() {
  std::atomic<int*> number = nullptr;
  std::thread adds([&] {
    for (int round = 0; round < 2; round++) {
      int* place;
      while ((place = number.load()) == nullptr) {
      }
      place[1] += 1;
      number = nullptr;
#ifdef LATE
      place[1] += 1;
#endif
    }
  });
  for (int round = 0; round < 2; round++) {
    int numbers[SIZE + round];
    numbers[1] = round;
    number = numbers;
    while (number.load() != nullptr) {
    }
  }
  adds.join();
  tell_of_nothing();
}

[[maybe_unused]] OUT_OF_LINE static void block() {
  tell(static_cast<int*>(alloca(SIZE * sizeof(int))));
}

[[maybe_unused]] OUT_OF_LINE static void block_of_a_scope() {
  for (int n = 1; n < 2; n++) tell(static_cast<int*>(alloca(SIZE * sizeof(int))));
  wait_for_use();
}

[[gnu::noinline]] static void throws(int number) {
#ifdef ALLOCA
  int* const numbers = static_cast<int*>(alloca(SIZE * sizeof(int)));
#else
  int numbers[LENGTH];
#endif
  tell(numbers);
  if (number == 4) throw number;
}

[[maybe_unused]] static void caught() {
  try {
    throws(size);
  } catch (int) {
    wait_for_use();
  }
}

[[gnu::noinline]] static void only_throws(int number) {
  if (number == 4) throw number;
}

[[maybe_unused]] OUT_OF_LINE static void catches() {
  int numbers[SIZE];
  int others[2];
  others[0] = 1;
  try {
    only_throws(size);
  } catch (int number) {
    others[1] = number;
  }
  tell(others[1] == 4 ? numbers : others);
  wait_for_use();
}

// What comes after the exception lies where something has ended that it went past.
[[maybe_unused]] static void catches_among_others() {
  try {
    int numbers[SIZE];
    numbers[1] = 1;
    only_throws(size + static_cast<int>(&numbers[1] == known.load()));
  } catch (int) {
  }
  int numbers[SIZE];
  tell(numbers);
  wait_for_use();
}

[[gnu::noinline]] static void first() {
  int numbers[SIZE];
  numbers[1] = 1;
  done = numbers[1];
  done = 0;
}

[[maybe_unused]] static void again() {
  first();
  int numbers[SIZE + 2];
  tell(numbers);
  wait_for_use();
}

[[gnu::noinline]] static void one_number(int number) {
  int numbers[1];
  numbers[0] = number;
  std::thread reads([&] { numbers[0]++; });
  reads.join();
}

[[gnu::noinline]] static void many_numbers() {
  int numbers[SIZE * 100];
  tell(numbers);
}

[[maybe_unused]] static void sticks_out() {
  many_numbers();
  one_number(2);
}

static std::atomic<int*> own_numbers;

[[gnu::noinline]] static void leave_numbers() {
  int numbers[LENGTH];
  numbers[1] = 1;
  own_numbers = numbers;
}

[[maybe_unused]] static void own() {
  tell_of_nothing();
  leave_numbers();
  int* const numbers = own_numbers;
  numbers[1] = 2;  // @own
}

[[maybe_unused]] static void own_scope() {
  tell_of_nothing();
  {
    int numbers[LENGTH];
    numbers[1] = 1;
    own_numbers = numbers;
  }
  int* const numbers = own_numbers;
  numbers[1] = 2;  // @own_scope
}

[[maybe_unused]] static void own_filled() {
  tell_of_nothing();
  leave_numbers();
  int* const numbers = own_numbers;
  memset(numbers, 0, 8);  // @own_filled
}

[[gnu::noinline]] static std::atomic<int>* leave_atomic() {
  static std::atomic<std::atomic<int>*> left;
  std::atomic<int> number = 1;
  left = &number;
  return left;
}

[[maybe_unused]] static void own_atomic() {
  tell_of_nothing();
  std::atomic<int>* const number = leave_atomic();
  number->store(2);  // @own_atomic
}

struct many {
  int numbers[40];
};

[[gnu::noinline]] static void take(many m) { tell(m.numbers); }

[[maybe_unused]] static void by_value() {
  static many m;
  take(m);
}

int main() {
  std::thread other(use);
  WAY();
  other.join();
}
