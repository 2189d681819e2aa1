// SPDX-License-Identifier: MIT
//
// Writes a file of a program's locks in which every field has a number of its own:
// profile/test_file.py.

#include <cstdio>
#include <cstring>

#include "layout.hpp"

namespace {

using namespace fencepost::profiler;

struct whole {
  header head;
  module modules[2];
  site sites[2];
  lock locks[8];
  fencepost::profiler::thread threads[2];
  stack stacks[1];
};

template <class T, std::size_t count>
void describe(table& one, const T (&entries)[count], const whole& file) {
  one.offset = static_cast<std::uint64_t>(reinterpret_cast<const char*>(entries) -
                                          reinterpret_cast<const char*>(&file));
  one.entry = sizeof(T);
  one.capacity = count;
  one.used = count;
}

whole file;

}  // namespace

int main() {
  header& head = file.head;
  head.magic = magic;
  head.pid = 1;
  head.parent = 2;
  head.began = 3;
  head.began_real = 4;
  head.ended = 5;
  head.lost_locks = 6;
  head.lost_threads = 7;
  head.sees_sleeps = 1;
  head.thread_time = 8;
  head.lost_children = 9;
  head.lost_children_error = 10;
  head.is_confined = 1;
  head.late_threads = 11;
  std::strcpy(head.behind.data(), "ticket");
  describe(head.modules, file.modules, file);
  describe(head.sites, file.sites, file);
  describe(head.locks, file.locks, file);
  describe(head.threads, file.threads, file);
  describe(head.stacks, file.stacks, file);

  file.modules[1].base = 21;
  std::strcpy(file.modules[1].path.data(), "/a/file");
  file.sites[1].address = 20;
  file.sites[1].module = 1;

  lock& one = file.locks[7];
  one.address = 30;
  one.kind = static_cast<std::uint32_t>(kind::futex);
  one.site = 31;
  one.initialised = 1;
  one.unseen = 1;
  one.ended = 1;
  std::uint64_t number = 40;
  for (counter* each :
       {&one.acquisitions, &one.shared, &one.contended, &one.handovers, &one.refused,
        &one.timed_out, &one.waited, &one.slept, &one.sleeps, &one.held, &one.wakes})
    *each = number++;
  for (std::size_t n = 0; n < one.waits.size(); ++n) {
    one.waits[n] = 100 + n;
    one.holds[n] = 200 + n;
  }

  one.beyond = 300;
  one.unmeasured = 301;

  auto& thread = file.threads[1];
  thread.tid = 50;
  thread.waits_for = 51;
  thread.waits_at = 52;
  thread.waits_mode = static_cast<std::uint16_t>(mode::shared);
  thread.waits_since = 53;
  thread.waited = 54;
  thread.slept = 55;
  thread.sleeps = 56;
  std::strcpy(thread.name.data(), "worker");
  thread.holds = 1;
  thread.more_held = 57;
  thread.held[0].lock = 60;
  thread.held[0].site = 61;
  thread.held[0].since = 62;
  thread.held[0].mode = static_cast<std::uint32_t>(mode::shared);
  thread.held[0].depth = 63;
  thread.handle = 58;
  thread.joins = 59;
  thread.began = 64;
  thread.unseen = 1;
  thread.retakes = 65;

  stack& calls = file.stacks[0];
  calls.key = 70;
  calls.waited = 71;
  calls.count = 72;
  calls.site = 73;
  calls.kind = static_cast<std::uint32_t>(kind::spin);
  calls.frames[0] = 74;
  calls.frames[1] = 75;
  return std::fwrite(&file, sizeof file, 1, stdout) == 1 ? 0 : 1;
}
