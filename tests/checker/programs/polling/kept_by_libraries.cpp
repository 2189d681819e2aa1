// SPDX-License-Identifier: MIT
// What a loop changes is kept by the C++ library, where the compiler's instrumentation does not see
// it: the loop is not back where it was. And loops that call the library in each round, and are.
//
// case: place_in_stream
// flags: -DSTREAM
// expect: all=assertion
//
// case: global_string
// flags: -DSTRING
// expect: all=assertion
//
// case: tree
// flags: -DTREE
// expect: all=assertion
//
// case: text_that_the_library_writes
// flags: -DTEXT
// expect: all=assertion
//
// case: before_a_section
// flags: -DSTREAM -DBEFORE_SECTION
// expect: all=assertion
//
// case: in_a_section
// flags: -DSTREAM -DSECTION
// expect: all=assertion
//
// case: output_in_each_round
// flags: -DOUTPUT
// expect: all=holds
//
// case: string_in_each_round
// flags: -DLOCAL
// expect: all=holds
//
// case: clock_in_each_round
// flags: -DCLOCK
// expect: all=holds
#include <atomic>
#include <cassert>
#include <charconv>
#include <chrono>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

static std::atomic<int> flag{0};
static bool reached = false;

#if defined(STREAM)
static std::ostringstream kept;
static bool goes_on() { return kept.tellp() < 3; }
static void advance() { kept.put('x'); }
#elif defined(STRING)
static std::string kept;
static bool goes_on() { return kept.compare("xxx") != 0; }
static void advance() { kept.append("x"); }
#elif defined(TREE)
static std::set<int> kept{1, 2, 3, 4};
static bool goes_on() { return *kept.begin() != 4; }
static void advance() { kept.extract(kept.begin()); }
#elif defined(TEXT)
static char kept[8] = "0";
static bool goes_on() { return kept[0] != '3'; }
static void advance() { std::to_chars(kept, kept + sizeof kept, kept[0] - '0' + 1.0); }
#elif defined(OUTPUT)
static bool goes_on() { return flag.load() == 0; }
static void advance() { std::cout << "waiting " << 1 << std::endl; }
#elif defined(LOCAL)
static bool goes_on() { return flag.load() == 0; }
static void advance() {
  std::string text("abc");
  text.append(flag.load() != 0 ? "d" : "e");
  assert(text.size() == 4);
}
#else
static bool goes_on() { return flag.load() == 0; }
static void advance() { (void)std::chrono::steady_clock::now(); }
#endif

#ifdef BEFORE_SECTION
static std::mutex mutex;
static void round() {
  advance();
  const std::lock_guard in(mutex);
}
#elif defined(SECTION)
static std::mutex mutex;
static void round() {
  const std::lock_guard in(mutex);
  advance();
}
#else
static void round() {
  (void)flag.load();
  advance();
}
#endif

int main() {
  std::thread poller([] {
    while (goes_on()) round();
    reached = true;
  });
#if defined(OUTPUT) || defined(LOCAL) || defined(CLOCK)
  flag.store(1);
  poller.join();
  assert(reached);
#else
  poller.join();
  assert(!reached);
#endif
}
