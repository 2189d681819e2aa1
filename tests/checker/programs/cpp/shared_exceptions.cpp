// SPDX-License-Identifier: MIT
// Threads that share an exception by std::exception_ptr: whoever lets go last destroys it, after
// all that the others did to it, with what it has on the heap.
//
// case: read_by_both
// flags: -DREAD
// expect: all=holds
//
// case: changed_by_one
// flags: -DCHANGED
// expect: all=violated:data-race
//
// case: made_without_a_throw
// flags: -DMADE
// expect: all=holds
//
// case: made_and_changed
// flags: -DMADE -DCHANGED
// expect: all=violated:data-race
//
// case: nested_in_another
// flags: -DNESTED
// expect: all=holds
//
// case: of_a_future
// flags: -DFUTURE
// expect: all=holds
//
// case: changed_by_both_who_wait_for_a_future
// flags: -DFUTURE -DCHANGED
// expect: all=violated:data-race
//
// case: used_when_all_have_let_go
// flags: -DUSED_LATER
// expect: all=violated:memory
//
// case: thrown_again_in_its_handler
// flags: -DAGAIN
// expect: all=holds
//
// case: whose_constructor_throws
// flags: -DCONSTRUCTOR
// expect: all=holds
//
// case: made_before_main
// flags: -DBEFORE_MAIN
// expect: all=holds
//
// case: made_before_main_and_changed
// flags: -DBEFORE_MAIN -DCHANGED
// expect: all=violated:data-race
//
// case: made_before_main_and_given_away
// flags: -DGIVEN_AWAY
// expect: all=holds
//
// case: no_leak_where_the_program_ends_on_the_way_to_the_handler
// flags: -DENDS
// options: --leaks
// expect: all=holds
//
// case: of_one_thread
// flags: -DALONE
// expect: all=holds executions=1
#include <cassert>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

int alive;

struct failure {
  std::string why;
  int looks = 0;
  explicit failure(int number) : why(std::to_string(number) + std::string(40, '.')) { ++alive; }
  failure(const failure& other) : why(other.why), looks(other.looks) { ++alive; }
  ~failure() { --alive; }
};

void look(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (failure& found) {
    assert(found.why[0] == '7');
#ifdef CHANGED
    ++found.looks;
#endif
  }
}

#ifdef NESTED
void unpack(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const std::exception& outer) {
    try {
      std::rethrow_if_nested(outer);
      assert(false);
    } catch (const failure& inner) {
      assert(inner.why[0] == '7');
    }
  }
}
#endif

// With what is thrown.
std::exception_ptr caught() {
  try {
    throw failure(7);
  } catch (...) {
    return std::current_exception();
  }
}

#if defined(BEFORE_MAIN) || defined(GIVEN_AWAY)
std::exception_ptr from_before = caught();
#endif

struct ends_on_the_way {
  ~ends_on_the_way() {
    if (alive == 1) std::exit(0);
  }
};

struct picky {
  std::string why = std::string(40, '.');
  explicit picky(bool bad) {
    if (bad) throw failure(7);
  }
};

int main() {
#if defined(FUTURE)
  std::promise<void> promise;
  const std::shared_future<void> one = promise.get_future().share();
  std::thread other([future = one] {
    try {
      future.get();
    } catch (failure& found) {
#ifdef CHANGED
      ++found.looks;
#else
      assert(found.why[0] == '7');
#endif
    }
  });
  promise.set_exception(caught());
  try {
    one.get();
    assert(false);
  } catch (failure& found) {
#ifdef CHANGED
    ++found.looks;
#else
    assert(found.why[0] == '7');
#endif
  }
  other.join();
#elif defined(NESTED)
  std::exception_ptr pointer;
  try {
    try {
      throw failure(7);
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (...) {
    pointer = std::current_exception();
  }
  std::thread other([pointer]() mutable {
    unpack(pointer);
    pointer = nullptr;
  });
  unpack(pointer);
  pointer = nullptr;
  other.join();
  assert(alive == 0);
#elif defined(USED_LATER)
  std::exception_ptr pointer;
  const failure* kept = nullptr;
  try {
    throw failure(7);
  } catch (const failure& found) {
    kept = &found;
    pointer = std::current_exception();
  }
  std::thread other([taken = std::move(pointer)]() mutable { taken = nullptr; });
  other.join();
  assert(kept->why[0] == '7');
#elif defined(AGAIN)
  std::exception_ptr pointer;
  std::thread other([&pointer] {
    try {
      try {
        throw failure(7);
      } catch (...) {
        pointer = std::current_exception();
        throw;
      }
    } catch (const failure& found) {
      assert(found.why[0] == '7');
    }
  });
  other.join();
  assert(alive == 1);
  look(pointer);
  pointer = nullptr;
  assert(alive == 0);
#elif defined(CONSTRUCTOR)
  std::exception_ptr pointer;
  try {
    throw picky(true);
  } catch (...) {
    pointer = std::current_exception();
  }
  std::thread other([taken = std::move(pointer)] { look(taken); });
  other.join();
  assert(alive == 0);
#elif defined(BEFORE_MAIN)
  std::thread other([] { look(from_before); });
  look(from_before);
  other.join();
  assert(alive == 1);
  from_before = nullptr;
  assert(alive == 0);
#elif defined(GIVEN_AWAY)
  std::thread other([] {
    try {
      std::rethrow_exception(std::move(from_before));
    } catch (const failure& found) {
      assert(found.why[0] == '7');
    }
  });
  other.join();
  assert(alive == 0);
#elif defined(ENDS)
  try {
    const ends_on_the_way on_the_way;
    throw failure(7);
  } catch (const failure&) {
    assert(false);
  }
#elif defined(ALONE)
  std::thread other([] {
    for (int i = 0; i < 3; ++i) {
      try {
        throw failure(7);
      } catch (const failure& found) {
        assert(found.why[0] == '7');
      }
    }
    assert(alive == 0);
  });
  other.join();
#else
#ifdef MADE
  std::exception_ptr pointer = std::make_exception_ptr(failure(7));
#else
  std::exception_ptr pointer = caught();
#endif
  std::thread other([pointer]() mutable {
    look(pointer);
    pointer = nullptr;
  });
  look(pointer);
  pointer = nullptr;
  other.join();
  assert(alive == 0);
#endif
}
