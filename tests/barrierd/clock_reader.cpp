// SPDX-License-Identifier: MIT
//
// Reads an interrupt clock as programs do, and says what it found:
//
//   open PATH        one line: the trouble, or "alive" or "dead"
//   write PATH       tries every way to write to the map; a line for each that works
//   wait PATH N      waits N times until every processor has passed, then says "passed N"
//   virtual PATH N   the same by the virtual clock
//   say_waiting PATH writes to the map of waiters that somebody waits for ever
//   keep_saying PATH does it again and again until its standard input ends
//   follow           the clock of the process: a line at each change, "clock GENERATION" or "none",
//                    until its standard input ends
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fencepost/interrupt_clock.hpp"

namespace {

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;

long bpf(int command, bpf_attr& attributes) {
  return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

int open_clock(const char* path) {
  interrupt_clock_trouble trouble{};
  const auto* const clock = interrupt_clock::open(path, trouble);
  std::puts(clock == nullptr                       ? to_string(trouble)
            : clock->alive(interrupt_clock::now()) ? "alive"
                                                   : "dead");
  return 0;
}

int write_to(const char* path) {
  bpf_attr attributes{};
  attributes.pathname = reinterpret_cast<std::uint64_t>(path);
  const long map = bpf(BPF_OBJ_GET, attributes);
  if (map < 0) {
    std::puts("cannot be opened");
    return 1;
  }
  const int descriptor = static_cast<int>(map);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (::mmap(nullptr, page, PROT_WRITE | PROT_READ, MAP_SHARED, descriptor, 0) != MAP_FAILED) {
    std::puts("mapped for writing");
  }
  if (::mmap(nullptr, page, PROT_WRITE, MAP_SHARED, descriptor, 0) != MAP_FAILED) {
    std::puts("mapped for writing alone");
  }
  void* const memory = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    std::puts("not even mapped for reading");
  } else if (::mprotect(memory, page, PROT_READ | PROT_WRITE) == 0) {
    std::puts("made writable");
  }
  const std::uint32_t key = fencepost_clock_first_slot;
  fencepost_clock_line line{};
  bpf_attr element{};
  element.map_fd = static_cast<std::uint32_t>(descriptor);
  element.key = reinterpret_cast<std::uint64_t>(&key);
  element.value = reinterpret_cast<std::uint64_t>(&line);
  if (bpf(BPF_MAP_UPDATE_ELEM, element) == 0) std::puts("updated");
  if (bpf(BPF_MAP_DELETE_ELEM, element) == 0) std::puts("deleted");
  if (const int file = ::open(path, O_WRONLY);
      file >= 0 && ::write(file, &line, sizeof line) >= 0) {
    std::puts("written as a file");
  }
  if (::unlink(path) == 0) std::puts("removed");
  if (::rename(path, (std::string(path) + "_").c_str()) == 0) std::puts("renamed");
  return 0;
}

int wait_for(const char* path, int times, bool by_virtual_time) {
  interrupt_clock_trouble trouble{};
  const auto* const clock = interrupt_clock::open(path, trouble);
  if (clock == nullptr) {
    std::puts(to_string(trouble));
    return 1;
  }
  for (int i = 0; i < times; ++i) {
    if (by_virtual_time) {
      const std::uint64_t since = clock->virtual_now();
      while (!clock->all_passed_virtually(since, ::sched_getcpu(), nullptr)) ::usleep(50);
    } else {
      const std::uint64_t since = interrupt_clock::now();
      while (!clock->all_passed(since, ::sched_getcpu(), nullptr)) ::usleep(50);
    }
  }
  std::printf("passed %d\n", times);
  return 0;
}

int say_waiting(const char* path) {
  auto* const waiters = static_cast<fencepost_clock_waiters*>(fencepost::detail::map_waiters(path));
  if (waiters == nullptr) return 1;
  waiters->until = ~std::uint64_t{0};
  std::puts("written");
  return 0;
}

int keep_saying(const char* path) {
  if (say_waiting(path) != 0) return 1;
  std::fflush(stdout);
  auto* const waiters = static_cast<fencepost_clock_waiters*>(fencepost::detail::map_waiters(path));
  if (waiters == nullptr) return 1;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (::poll(&input, 1, 1) == 0) waiters->until = ~std::uint64_t{0};
  return 0;
}

int follow() {
  std::string said;
  for (;;) {
    const auto* const clock = interrupt_clock::process();
    const std::string now =
        clock == nullptr ? "none" : "clock " + std::to_string(clock->header().generation);
    if (now != said) {
      std::puts(now.c_str());
      std::fflush(stdout);
      said = now;
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 5) != 0) return 0;
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "open" && count == 3) return open_clock(words[2]);
  if (what == "write" && count == 3) return write_to(words[2]);
  if (what == "wait" && count == 4) return wait_for(words[2], std::atoi(words[3]), false);
  if (what == "virtual" && count == 4) return wait_for(words[2], std::atoi(words[3]), true);
  if (what == "say_waiting" && count == 3) return say_waiting(words[2]);
  if (what == "keep_saying" && count == 3) return keep_saying(words[2]);
  if (what == "follow" && count == 2) return follow();
  return 3;
}
