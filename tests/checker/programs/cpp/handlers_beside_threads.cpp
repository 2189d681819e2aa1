// SPDX-License-Identifier: MIT
// What the library has one of for all threads: where several are there, who comes first is not
// explored.
//
// case: set_terminate
// flags: -DCALL=std::set_terminate([]{std::_Exit(0);})
// expect: all=inconclusive at=call says="set_terminate while there are several threads"
//
// case: set_new_handler
// flags: -DCALL=std::set_new_handler([]{std::_Exit(0);})
// expect: all=inconclusive at=call says="set_new_handler while there are several threads"
//
// case: xalloc
// flags: -DCALL=std::ios_base::xalloc()
// expect: all=inconclusive at=call says="xalloc while there are several threads"
//
// case: set_default_resource
// flags: -DCALL=std::pmr::set_default_resource(std::pmr::null_memory_resource())
// expect: all=inconclusive at=call says="set_default_resource while there are several threads"
//
// case: set_unexpected
// flags: -DCALL=std::set_unexpected([]{std::_Exit(0);}) -std=c++14
// expect: all=inconclusive at=call says="set_unexpected while there are several threads"
//
// case: sync_with_stdio
// flags: -DCALL=std::ios_base::sync_with_stdio(false)
// expect: all=inconclusive at=call says="sync_with_stdio while there are several threads"
//
// case: set_default_resource_before_there_are_threads
// flags: -DCALL=std::pmr::set_default_resource(std::pmr::null_memory_resource()) -DALONE
// expect: all=holds
//
// case: sync_with_stdio_before_there_are_threads
// flags: -DCALL=std::ios_base::sync_with_stdio(false) -DALONE
// expect: all=holds
//
// case: set_default_resource_when_all_are_joined
// flags: -DCALL=std::pmr::set_default_resource(std::pmr::null_memory_resource()) -DALONE -DLATE
// expect: all=holds executions=2
//
// case: set_unexpected_when_all_are_joined
// flags: -DCALL=std::set_unexpected([]{std::_Exit(0);}) -DALONE -DLATE -std=c++14
// expect: all=holds executions=2
//
// case: set_terminate_before_there_are_threads
// flags: -DCALL=std::set_terminate([]{std::_Exit(0);}) -DALONE
// expect: all=holds
//
// case: set_new_handler_when_all_are_joined
// flags: -DCALL=std::set_new_handler([]{std::_Exit(0);}) -DALONE -DLATE
// expect: all=holds
//
// case: a_thread_finds_the_new_handler_that_was_there_when_it_was_made
// flags: -DCALL=std::set_new_handler([]{std::_Exit(0);}) -DALONE -DLATE -DFINDS=std::get_new_handler()==nullptr
// expect: all=holds executions=2
//
// case: a_thread_finds_the_resource_that_was_there_when_it_was_made
// flags: -DCALL=std::pmr::set_default_resource(std::pmr::null_memory_resource()) -DALONE -DLATE -DFINDS=std::pmr::get_default_resource()==std::pmr::new_delete_resource()
// expect: all=holds executions=2
//
// case: xalloc_is_begun_anew
// flags: -DCALL=std::_Exit(word==1&&std::ios_base::xalloc()==4?3:0) -DALONE -DLATE -DTWO
// expect: all=violated:exit-status at=call
//
// case: a_thread_ends_by_what_was_there_when_it_was_made
// flags: -DCALL=std::set_terminate([]{std::_Exit(0);}) -DALONE -DLATE -DFINDS=word!=1||(throw+1,true) -DTWO
// expect: all=violated:uncaught
#include <atomic>
#include <cstdlib>
#include <exception>
#include <ios>
#if __cplusplus >= 201703L
#include <memory_resource>
#endif
#include <new>
#include <thread>

static std::atomic<int> word;  // there is more than one execution

static void call() {
  (void)(CALL);  // @call
}

int main() {
#if __cplusplus >= 201703L
  if (std::pmr::get_default_resource() != std::pmr::new_delete_resource()) return 1;
#endif
#if defined ALONE && !defined LATE
  call();
#endif
  std::thread other([] {
#ifndef ALONE
    call();
#endif
#ifdef TWO
    word.store(2);
#else
    word.store(1);
#endif
#ifdef FINDS
    if (!(FINDS)) std::_Exit(3);
#endif
  });
#ifdef TWO
  std::thread third([] { word.store(1); });
  third.join();
#endif
  (void)word.load();
  other.join();
#ifdef LATE
  call();
#endif
}
