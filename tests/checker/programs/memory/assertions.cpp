// SPDX-License-Identifier: MIT
// The ways a program says that something is wrong.
//
// case: assertion
// flags: -DHOW="assert(x.load()!=2)"
// expect: all=violated:assertion at=how says="x.load"
//
// case: abort
// flags: -DHOW="if(x.load()==2)std::abort()"
// expect: all=violated:assertion at=how says="abort"
//
// case: fails_in_no_execution
// flags: -DHOW="assert(x.load()!=3)"
// expect: all=holds executions=3
//
// case: prints_and_goes_on
// flags: -DHOW="std::printf(\"%d\\n\",x.load())"
// expect: all=holds executions=3
//
// case: streams_and_goes_on
// flags: -DHOW="std::cout<<x.load()<<'\\n'"
// expect: all=holds executions=3
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

std::atomic<int> x{0};

int main() {
  std::thread writer([] {
    x.store(1);
    x.store(2);
  });
  std::thread reader([] {
    HOW;  // @how
  });
  writer.join();
  reader.join();
}
