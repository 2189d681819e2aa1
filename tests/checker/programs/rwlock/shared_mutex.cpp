// SPDX-License-Identifier: MIT
// std::shared_mutex and std::shared_timed_mutex, which are POSIX read-write locks.
//
// case: reader_and_writer
// expect: all=holds executions=2
//
// case: reader_and_writer_compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: reader_that_writes
// flags: -DREADER_WRITES
// expect: all=violated:data-race at=race
//
// case: timed
// flags: -DTIMED
// expect: all=holds executions=2
//
// case: timed_out
// flags: -DTIMED
// options: --timeouts
// expect: all=violated:assertion at=late
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifdef TIMED
std::shared_timed_mutex mutex;
#else
std::shared_mutex mutex;
#endif
int value = 0;

int main() {
  std::thread writer([] {
    const std::unique_lock lock(mutex);
    value = 1;  // @race
  });
  {
#ifdef TIMED
    const std::shared_lock lock(mutex, std::chrono::seconds(1));
    assert(lock.owns_lock());  // @late
#else
    const std::shared_lock lock(mutex);
#endif
#ifdef READER_WRITES
    std::thread other([] {
      const std::shared_lock too(mutex);
      value = 2;  // @race
    });
    other.detach();
#endif
    assert(value == 0 || value == 1 || value == 2);  // @race
  }
  writer.join();
}
