// SPDX-License-Identifier: MIT
// Member functions, templates and lambdas that an attribute calls pure: what they read in vain
// races, at every level of optimisation. The truth is [intro.races].
//
// case: member_function
// flags: -DMEMBER -O2
// expect: all=data-race at=read
//
// case: member_function_of_a_template
// flags: -DTEMPLATE -O2
// expect: all=data-race at=read
//
// case: function_template
// flags: -DFUNCTION -O2
// expect: all=data-race at=read
//
// case: declared_first
// flags: -DDECLARED -O2
// expect: all=data-race at=read
//
// case: lambda
// flags: -DLAMBDA -O2
// expect: all=data-race at=read
#include <thread>

static int x;

#if defined(MEMBER)
struct shelf {
  void visit() const { (void)look(); }
  [[gnu::noinline, gnu::pure]] int look() const { return x; }  // @read
};
static void read_in_vain() { shelf{}.visit(); }
#elif defined(TEMPLATE)
template <typename T>
struct shelf {
  void visit() const { (void)look(); }
  [[gnu::noinline, gnu::pure]] T look() const { return x; }  // @read
};
static void read_in_vain() { shelf<int>{}.visit(); }
#elif defined(FUNCTION)
template <typename T>
[[gnu::noinline, gnu::pure]] T look() {
  return x;  // @read
}
static void read_in_vain() { (void)look<int>(); }
#elif defined(DECLARED)
[[gnu::pure]] int look();
static void read_in_vain() { (void)look(); }
[[gnu::noinline]] int look() { return x; }  // @read
#else
static void read_in_vain() {
  const auto look = [] [[gnu::noinline, gnu::pure]] () { return x; };  // @read
  (void)look();
}
#endif

int main() {
  std::thread writer([] { x = 1; });  // @read
  read_in_vain();
  writer.join();
}
