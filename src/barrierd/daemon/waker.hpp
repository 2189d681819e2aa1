// SPDX-License-Identifier: MIT
//
// Wakes who sleeps until the processors have passed (fencepost/interrupt_clock/wakeups.hpp). The
// program in the kernel says how far they have come, and only while somebody has said that it
// waits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daemon/vain_calls.hpp"

struct ring_buffer;

namespace barrierd {

class waker {
 public:
  /// What the names of its files begin with, a number behind it.
  static constexpr const char* file_prefix = "/dev/shm/fencepost-barrierd-";

  /// `passed`, `waiters`: the maps; `unheard_until`: the word of the program in the kernel. The
  /// words on which waiters sleep lie in a file that this makes. Where none can be made, anybody
  /// may have filled the place: then the clock goes on, nobody is woken, and waiters look
  /// themselves.
  waker(int passed, int waiters, unsigned long long& unheard_until);
  ~waker();
  waker(const waker&) = delete;
  waker& operator=(const waker&) = delete;

  /// The file of the words; empty: there is none.
  const std::string& file() const { return file_; }
  /// Why there is none.
  const std::string& trouble() const { return trouble_; }

  /// Readable when there is something to do; -1: there never is.
  int descriptor() const;

  /// Does it.
  void wake();

 private:
  void passed(std::uint64_t time);

  std::unique_ptr<ring_buffer, void (*)(ring_buffer*)> ring_;
  std::string file_;
  std::string trouble_;
  std::uint32_t* words_ = nullptr;
  std::uint64_t* until_ = nullptr;
  unsigned long long& unheard_until_;
  vain_calls vain_;
  int woken_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace barrierd
