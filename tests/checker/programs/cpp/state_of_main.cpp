// SPDX-License-Identifier: MIT
// What main does before its threads run is not repeated in each execution: what it has left by then
// is put back, whatever it becomes later.
//
// case: a_mapping
// flags: '-DLEAVE=auto*p=map();*p=1' '-DAND=*p=7' '-DIS=*p==7' '-DBECOMES=*p=2'
// expect: all=holds executions=2
//
// case: a_block
// flags: '-DLEAVE=auto*p=new(int)(1)' '-DAND=*p=7' '-DIS=*p==7' '-DBECOMES=*p=2;delete(p)'
// expect: all=holds executions=2
//
// case: a_thread_local_variable
// flags: '-DLEAVE=own=1' '-DAND=own=7' '-DIS=own==7' '-DBECOMES=own=2'
// expect: all=holds executions=2
//
// case: a_value_of_a_key
// flags: '-DLEAVE=pthread_key_create(&key,nullptr)' '-DAND=pthread_setspecific(key,&key)' '-DIS=pthread_getspecific(key)==&key' '-DBECOMES=pthread_setspecific(key,&own);pthread_key_delete(key)'
// expect: all=holds executions=2
//
// case: the_number_of_an_error
// flags: '-DLEAVE=errno=1' '-DAND=errno=7' '-DIS=errno==7' '-DBECOMES=errno=2'
// expect: all=holds executions=2
//
// case: a_static_variable_of_a_function
// flags: '-DLEAVE=(void)counted()' '-DAND=(void)counted()' '-DIS=counted()==1' '-DBECOMES=constructed=5'
// expect: all=holds executions=2
//
// case: a_flag_of_call_once
// flags: '-DLEAVE=std::call_once(once,count)' '-DAND=std::call_once(once,count)' '-DIS=(std::call_once(once,count),constructed==1)' '-DBECOMES=constructed=5'
// expect: all=holds executions=2
//
// case: a_mutex_that_is_held
// flags: '-DLEAVE=mutex.lock()' '-DAND=mutex.lock()' '-DIS=mutex.try_lock()' '-DBECOMES=mutex.unlock();mutex.unlock();mutex.unlock()'
// expect: all=holds executions=2
//
// case: a_barrier
// flags: '-DLEAVE=barrier.arrive_and_wait()' '-DAND=(void)0' '-DIS=(barrier.arrive_and_wait(),constructed==2)' '-DBECOMES=constructed=5'
// expect: all=holds executions=2
//
// case: a_latch
// flags: '-DLEAVE=latch.count_down()' '-DAND=(void)0' '-DIS=!latch.try_wait()' '-DBECOMES=latch.count_down()'
// expect: all=holds executions=2
//
// case: a_flag_of_a_stream
// flags: '-DLEAVE=std::cout<<std::hex' '-DAND=std::cout.width(3)' '-DIS=std::cout.width()==3&&std::cout.flags()&std::ios::hex' '-DBECOMES=std::cout<<std::dec<<1'
// expect: all=holds executions=2
//
// case: a_reference_count
// flags: '-DLEAVE=auto*p=new(Shared)(new(int)(1))' '-DAND=Shared*q=new(Shared)(*p)' '-DIS=p->use_count()==2' '-DBECOMES=delete(q);delete(p)'
// expect: all=holds executions=2
//
// case: what_was_caught
// flags: '-DLEAVE=catches()' '-DAND=catches()' '-DIS=constructed==2&&std::uncaught_exceptions()==0' '-DBECOMES=constructed=5'
// expect: all=holds executions=2
//
// case: how_numbers_are_rounded
// flags: '-DLEAVE=std::fesetround(FE_UPWARD)' '-DAND=(void)0' '-DIS=std::fegetround()==FE_UPWARD' '-DBECOMES=std::fesetround(FE_TONEAREST)'
// expect: all=holds executions=2
//
// case: the_next_random_number
// flags: '-DLEAVE=std::srand(7);auto(first)=std::rand();std::srand(7)' '-DAND=(void)0' '-DIS=std::rand()==first' '-DBECOMES=std::srand(9)'
// expect: all=holds executions=2
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <cerrno>
#include <cfenv>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

using Shared [[maybe_unused]] = std::shared_ptr<int>;

static std::atomic<int> x{0};
static int constructed = 0;
[[maybe_unused]] static thread_local int own;
[[maybe_unused]] static pthread_key_t key;
[[maybe_unused]] static std::once_flag once;
[[maybe_unused]] static std::recursive_mutex mutex;
[[maybe_unused]] static std::latch latch{2};

struct Count {
  void operator()() noexcept { ++constructed; }
};
[[maybe_unused]] static std::barrier<Count> barrier{1};

[[maybe_unused]] static int* map() {
  return static_cast<int*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
[[maybe_unused]] static int counted() {
  static const int first = ++constructed;
  return first;
}
[[maybe_unused]] static void count() { ++constructed; }
[[maybe_unused]] static void catches() {
  try {
    throw 1;
  } catch (int thrown) {
    constructed += thrown;
  }
}

int main() {
  LEAVE;
  std::thread one([] { x.store(1); });
  AND;
  std::thread two([] { x.store(2); });
  one.join();
  two.join();
  assert(IS);
  BECOMES;
  (void)x.load();
}
