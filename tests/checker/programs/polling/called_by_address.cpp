// SPDX-License-Identifier: MIT
// A round that calls a library by a table of virtual functions may change something there.
//
// case: of_a_stream_buffer
// flags: -DBUFFER
// expect: all=violated:assertion
//
// case: of_a_memory_resource
// flags: -DRESOURCE
// expect: all=violated
//
// case: of_a_facet
// flags: -DFACET
// expect: all=violated:assertion
//
// case: of_two_threads
// flags: -DTWO_THREADS
// expect: all=violated:data-race
//
// case: of_the_program
// expect: all=holds
#include <atomic>
#include <cassert>
#include <iterator>
#include <locale>
#include <memory_resource>
#include <sstream>
#include <thread>

static std::atomic<bool> ready{false};

#if defined BUFFER
static std::ostringstream text;
static void wait_for_it() {
  std::ostreambuf_iterator<char> out(text);
  while (!ready.load()) *out++ = '.';
}
static bool is_unchanged() { return text.str().empty(); }
#elif defined RESOURCE
alignas(8) static char room[64];
static std::pmr::monotonic_buffer_resource own(room, sizeof room, std::pmr::null_memory_resource());
static std::pmr::memory_resource& memory = own;
static void wait_for_it() {
  while (!ready.load()) static_cast<void>(memory.allocate(8));  // throws, in the end
}
static bool is_unchanged() { return true; }
#elif defined FACET
static char text[] = "a";
static void wait_for_it() {
  const auto& facet = std::use_facet<std::ctype<char>>(std::locale::classic());
  while (!ready.load()) facet.toupper(text, text + 1);
}
static bool is_unchanged() { return text[0] == 'a'; }
#elif defined TWO_THREADS
static std::stringbuf own;
static std::streambuf& buffer = own;
static void wait_for_it() { buffer.sputn("ab", 2); }
static bool is_unchanged() { return buffer.sputn("cd", 2) == 2; }
#else
struct Looks {
  virtual ~Looks() = default;
  virtual bool look() const { return ready.load(); }
};
static Looks own;
static const Looks* volatile looks = &own;
static void wait_for_it() {
  const Looks* const one = looks;
  while (!one->look()) {
  }
}
static bool is_unchanged() { return true; }
#endif

int main() {
  std::thread other(wait_for_it);
  ready.store(true);
#ifdef TWO_THREADS
  static_cast<void>(is_unchanged());
#endif
  other.join();
  assert(is_unchanged());
}
