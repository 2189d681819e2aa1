// SPDX-License-Identifier: MIT
#include "daemon/waker.hpp"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "failure.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/interrupt_clock.hpp"

namespace barrierd {
namespace {

namespace futex = fencepost::futex;

constexpr std::size_t words_size = fencepost_clock_words * sizeof(futex::word);
/// Nobody sleeps for longer without looking: a later time is somebody's mistake, or mischief.
constexpr std::uint64_t longest = 1'000'000'000;

/// Of this process alone: no other has the name, and /dev/shm lets nobody else take it away.
std::string name_of_file() {
  return waker::file_prefix + std::to_string(fencepost::processors::monotonic_now());
}

void* map_file(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) throw failure_of("cannot make " + name, errno);
  void* words = MAP_FAILED;
  // Room is made here and now: of a file that is only as long as that, the first who looks at it
  // makes room, the daemon or a waiter, and is killed by SIGBUS where others have filled /dev/shm.
  int error = ::posix_fallocate(file, 0, words_size);
  if (error == 0) {
    if (::fchmod(file, 0644) == 0) {
      words = ::mmap(nullptr, words_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    error = errno;
  }
  ::close(file);
  if (words != MAP_FAILED) return words;
  ::unlink(name.c_str());
  throw failure_of("cannot make room for " + name, error);
}

}  // namespace

waker::waker(int passed, int waiters, unsigned long long& unheard_until)
    : ring_(nullptr, ring_buffer__free), file_(name_of_file()), unheard_until_(unheard_until) {
  const auto take = [](void* self, void* entry, std::size_t size) {
    std::uint64_t time = 0;
    if (size == sizeof time) {
      std::memcpy(&time, entry, size);
      static_cast<waker*>(self)->passed(time);
    }
    return 0;
  };
  ring_.reset(ring_buffer__new(passed, take, this, nullptr));
  if (ring_ == nullptr) throw failure_of("cannot map the ring of the BPF program", errno);
  void* const map = ::mmap(nullptr, sizeof(fencepost_clock_waiters), PROT_READ | PROT_WRITE,
                           MAP_SHARED, waiters, 0);
  if (map == MAP_FAILED) throw failure_of("cannot map the waiters", errno);
  until_ = &static_cast<fencepost_clock_waiters*>(map)->until;
  try {
    words_ = static_cast<std::uint32_t*>(map_file(file_));
  } catch (const failure& none) {
    trouble_ = none.what();
    file_.clear();
    // Nobody wakes, so nobody need be looked for.
    unheard_until_ = ~0ULL;
  }
}

waker::~waker() {
  if (words_ != nullptr) {
    // Also where the folder could not be made to lead to it.
    ::unlink(file_.c_str());
    ::munmap(words_, words_size);
  }
  ::munmap(until_, sizeof(fencepost_clock_waiters));
}

int waker::descriptor() const {
  return words_ != nullptr ? ring_buffer__epoll_fd(ring_.get()) : -1;
}

void waker::wake() {
  woken_ = 0;
  static_cast<void>(ring_buffer__consume(ring_.get()));
  const std::uint64_t now = fencepost::processors::monotonic_now();
  if (const std::uint64_t quiet = vain_.count(now, woken_ != 0); quiet != 0) {
    __atomic_store_n(&unheard_until_, quiet, __ATOMIC_RELAXED);
  }
  const std::uint64_t last = now + longest;
  if (__atomic_load_n(until_, __ATOMIC_RELAXED) > last) {
    __atomic_store_n(until_, last, __ATOMIC_RELAXED);
  }
}

void waker::passed(std::uint64_t time) {
  const std::uint64_t newest = time >> fencepost_clock_word_shift;
  // The last word's time had not passed whole. Further back than there are words is nobody.
  const std::uint64_t oldest =
      std::max(told_, newest < fencepost_clock_words ? 0 : newest - fencepost_clock_words + 1);
  for (std::uint64_t one = oldest; one <= newest; ++one) {
    std::uint32_t& word = words_[one % fencepost_clock_words];
    // seq_cst: before the kernel looks who sleeps there. Pairs with its comparison of the word.
    __atomic_add_fetch(&word, 1, __ATOMIC_SEQ_CST);
    woken_ += futex::wake_all(reinterpret_cast<const futex::word&>(word), futex::scope::shared);
  }
  told_ = std::max(told_, newest);
}

}  // namespace barrierd
