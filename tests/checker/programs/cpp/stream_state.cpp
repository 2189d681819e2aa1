// SPDX-License-Identifier: MIT
// A thread writes to a stream while another uses a member that is written in line: the state's
// (good, width, flags) or the buffer's (view). Two threads that use one stream race, whatever they
// do with it ([iostreams.threadsafety]), unless both only look.
//
// case: good
// flags: -DLOOKS=good()
// expect: all=violated:data-race
//
// case: good_unoptimised
// flags: -DLOOKS=good() -O0
// expect: all=violated:data-race
//
// case: good_by_clang
// flags: -DLOOKS=good() -O2
// options: --cc clang-14
// expect: all=violated:data-race
//
// Here the program's stream lies right behind one of the standard ones.
// case: good_by_clang_unoptimised
// flags: -DLOOKS=good() -O0
// options: --cc clang-14
// expect: all=violated:data-race
//
// case: width
// flags: -DLOOKS=width()
// expect: all=violated:data-race
//
// case: precision_is_set
// flags: -DLOOKS=precision(3) -O2
// expect: all=violated:data-race
//
// case: state_is_cleared
// flags: -DLOOKS=clear()
// expect: all=violated:data-race
//
// case: state_is_cleared_beside_its_end
// flags: -DLOOKS=fill() -DUSES=clear()
// expect: all=violated:data-race
//
// case: view
// flags: -DLOOKS=view() -O2
// expect: all=violated:data-race
//
// case: of_a_stream_that_reads
// flags: -DLOOKS=eof() -DSTREAM=std::istringstream -DUSES=get()
// expect: all=violated:data-race
//
// case: of_both_ways
// flags: -DLOOKS=eof() -DSTREAM=std::stringstream -DUSES=get()
// expect: all=violated:data-race
//
// case: of_a_stream_on_the_heap
// flags: -DLOOKS=good() -DHEAP
// expect: all=violated:data-race
//
// case: both_only_look
// flags: -DLOOKS=good() -DUSES=width()
// expect: all=holds executions=1
//
// case: one_after_the_other
// flags: -DLOOKS=good() -DJOINS
// expect: all=holds executions=1
//
// case: one_each
// flags: -DLOOKS=good() -DANOTHER
// expect: all=holds executions=1
#include <memory>
#include <sstream>
#include <thread>

#ifndef STREAM
#define STREAM std::ostringstream
#endif
#ifndef USES
#define USES operator<<(1)
#endif

#ifdef HEAP
static const std::unique_ptr<STREAM> owner = std::make_unique<STREAM>();
static STREAM& stream = *owner;
#else
static STREAM stream;
#endif
static STREAM another;

int main() {
  std::thread writer([] { (void)stream.USES; });
#ifdef JOINS
  writer.join();
#endif
#ifdef ANOTHER
  (void)another.LOOKS;
#else
  (void)stream.LOOKS;
#endif
#ifndef JOINS
  writer.join();
#endif
}
