// SPDX-License-Identifier: MIT
// Input and output by the standard streams do not race, says the standard; changes of a stream's
// state do, with each other and with them.
//
// case: two_threads_print
// flags: -DMINE=(std::cout<<1<<text<<std::flush) -DOTHER=(std::cout<<text<<2.5<<std::endl)
// expect: all=holds
//
// case: a_state_that_is_set_and_asked_for
// flags: -DMINE=std::cout.setstate(std::ios::badbit) -DOTHER=(void)std::cout.good()
// expect: all=violated:data-race
//
// case: a_state_that_is_cleared_and_asked_for
// flags: -DMINE=std::cerr.clear() -DOTHER=(void)std::cerr.fail()
// expect: all=violated:data-race
//
// case: a_state_that_is_set_while_another_prints
// flags: -DMINE=std::cout.setstate(std::ios::badbit) -DOTHER=(std::cout<<1)
// expect: all=violated:data-race
//
// case: another_buffer_while_another_prints
// flags: -DMINE=std::cout.rdbuf(nullptr) -DOTHER=(std::cout<<1)
// expect: all=violated:data-race
//
// case: exceptions_that_are_wanted_while_another_prints
// flags: -DMINE=std::cout.exceptions(std::ios::badbit) -DOTHER=(std::cout<<text)
// expect: all=violated:data-race
//
// case: another_stream
// flags: -DMINE=std::cerr.clear() -DOTHER=(std::cout<<1)
// expect: all=holds
#include <iostream>
#include <thread>

static const char text[] = "text";

int main() {
  std::thread other([] { OTHER; });
  MINE;
  other.join();
  (void)text;
}
