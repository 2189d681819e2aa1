// SPDX-License-Identifier: MIT
// The C++ library looks at what an object is to cast it: a read of the program's memory.
//
// case: another_is_made_in_its_place
// flags: -DREPLACED
// expect: all=violated:data-race at=cast
//
// case: it_is_freed_meanwhile
// flags: -DFREED
// expect: all=violated:memory|data-race
//
// case: a_reference_to_what_was_freed
// flags: -DREFERENCE
// expect: all=violated:memory at=cast
//
// case: everybody_asks
// expect: all=holds
#include <atomic>
#include <new>
#include <thread>

struct Base {
  virtual int number() { return 0; }
  virtual ~Base() = default;
};
struct Derived : Base {
  int number() override { return 1; }
};
struct Other : Base {
  int number() override { return 2; }
};

alignas(8) static unsigned char place[sizeof(Derived)];

static std::atomic<bool> answer;

static bool is_derived(Base* object) {
#ifdef REFERENCE
  try {
    return dynamic_cast<Derived&>(*object).number() == 1;  // @cast
  } catch (const std::bad_cast&) {
    return false;
  }
#else
  return dynamic_cast<Derived*>(object) != nullptr;  // @cast
#endif
}

int main() {
#if defined(REFERENCE)
  Base* const object = new Derived;
  delete object;
  answer = is_derived(object);
#elif defined(FREED)
  Base* const object = new Derived;
  std::thread asks([object] { answer = is_derived(object); });
  delete object;
  asks.join();
#else
  Base* const object = new (place) Derived;
  std::thread asks([object] { answer = is_derived(object); });
#ifdef REPLACED
  new (place) Other;
#else
  if (!is_derived(object)) return 1;
#endif
  asks.join();
#endif
}
