// SPDX-License-Identifier: MIT
// Strings and streams whose members are compiled into the C++ library: what those read and write
// is an access like any other, at every level and by every standard.
//
// case: str_beside_a_writer
// flags: -DSTR
// expect: all=violated:data-race
// case: str_beside_a_writer_unoptimised
// flags: -DSTR -O0
// expect: all=violated:data-race
// case: str_beside_a_writer_in_17
// flags: -DSTR -std=c++17 -O2
// expect: all=violated:data-race
// case: str_of_a_string_stream_beside_a_writer
// flags: -DSTR -DSTREAM=std::stringstream
// expect: all=violated:data-race
// case: str_beside_str
// flags: -DSTR -DWRITER=READS
// expect: all=holds executions=1
// case: str_after_the_writer
// flags: -DSTR -DJOINS
// expect: all=holds executions=1
// case: text_of_a_stream
// flags: -DPRINTS=
// expect: all=violated:data-race at=letter
// case: text_of_a_stream_unoptimised
// flags: -DPRINTS= -O0
// expect: all=violated:data-race at=letter
// case: text_of_a_stream_in_17
// flags: -DPRINTS= -std=c++17
// expect: all=violated:data-race at=letter
// case: c_string_of_a_stream
// flags: -DPRINTS=.c_str()
// expect: all=violated:data-race at=letter
// case: text_of_a_stream_after_the_writer
// flags: -DPRINTS= -DJOINS
// expect: all=holds executions=1
// case: hashed
// flags: -DHASHES
// expect: all=violated:data-race at=letter
// case: hashed_after_the_writer
// flags: -DHASHES -DJOINS
// expect: all=holds executions=1
// case: appended_in_17
// flags: -DAPPENDS -std=c++17
// expect: all=violated:data-race
// case: appended_in_14_unoptimised
// flags: -DAPPENDS -std=c++14 -O0
// expect: all=violated:data-race
// case: appended_after_the_writer_in_17
// flags: -DAPPENDS -std=c++17 -DJOINS
// expect: all=holds executions=1
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#ifndef STREAM
#define STREAM std::ostringstream
#endif

#ifdef STR
static STREAM stream;
#endif
static std::string text = "abc";

static void change() {
#if defined(STR) && defined(WRITER)
  (void)stream.str();
#elif defined(STR)
  stream << 1;
#elif defined(APPENDS)
  text.append(" and rather more than fits");
#else
  text[0] = 'x';  // @letter
#endif
}

static void look() {
#if defined(STR)
  (void)stream.str();
#elif defined(PRINTS)
  std::cout << text PRINTS;  // @letter
#elif defined(HASHES)
  (void)std::hash<std::string>()(text);  // @letter
#else
  text.reserve(100);
#endif
}

int main() {
  std::thread writer(change);
#ifdef JOINS
  writer.join();
  look();
#else
  look();
  writer.join();
#endif
}
