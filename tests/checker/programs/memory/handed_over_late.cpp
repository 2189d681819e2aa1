// SPDX-License-Identifier: MIT
// The same in C++: closures, references and spans that outlive what they refer to.
//
// case: a_closure
// flags: -DCLOSURE
// expect: all=memory says="after its scope"
//
// case: the_variable_of_a_range_for
// flags: -DRANGE
// expect: all=memory says="after its scope"
//
// case: a_span_of_an_array
// flags: -DSPAN
// expect: all=memory says="after its scope"
//
// case: a_reference
// flags: -DREFERENCE
// expect: all=memory says="after its scope"
//
// case: to_a_thread_that_runs
// flags: -DRUNS
// expect: all=memory says="after its scope"
//
// case: a_part_of_a_temporary
// flags: -DTEMPORARY
// expect: all=memory says="after its scope"
//
// case: a_temporary_that_lives_on
// flags: -DLIVES_ON
// expect: all=holds
#include <atomic>
#include <cassert>
#include <functional>
#include <optional>
#include <span>
#include <thread>

volatile int one = 1;

#ifdef CLOSURE
static auto make() {
  int local = one;
  return [&local] { assert(local == 1); };
}
#elif defined TEMPORARY || defined LIVES_ON
struct part {
  int value = 1;
  const int& get() const { return value; }
};
#endif

int main() {
#ifdef CLOSURE
  auto closure = make();
  std::jthread t(closure);
#elif defined RANGE
  int* at = nullptr;
  const int all[] = {0, 1};
  for (int element : all) at = &element;
  std::jthread t([at] { assert(*at == 1); });
#elif defined SPAN
  std::span<int> span;
  {
    int array[3] = {0, 1, 2};
    span = array;
  }
  std::jthread t([span] { assert(span[1] == 1); });
#elif defined REFERENCE
  std::optional<std::reference_wrapper<int>> reference;
  {
    int local = one;
    reference = std::ref(local);
  }
  std::jthread t([](int& value) { assert(value == 1); }, *reference);
#elif defined RUNS
  std::atomic<int*> shown{nullptr};
  std::jthread t([&] {
    int* at;
    while (!(at = shown)) {
    }
    assert(*at == 1);
  });
  int* at;
  {
    int local = one;
    at = &local;
  }
  shown = at;
#elif defined TEMPORARY
  const int& value = part().get();
  std::jthread t([&value] { assert(value == 1); });
#elif defined LIVES_ON
  const part& whole = part();
  std::jthread t([&whole] { assert(whole.get() == 1); });
#endif
}
