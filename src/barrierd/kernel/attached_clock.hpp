// SPDX-License-Identifier: MIT
//
// A clock that was put into the kernel by this process: loaded, its header filled in, frozen, and
// attached. It runs as long as this object exists, or its links are pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "folder.hpp"

struct bpf_link;
struct interrupt_clock_bpf;

namespace barrierd {

class attached_clock {
 public:
  /// `owner`: the process that keeps it, for the header; 0: its links will be pinned.
  attached_clock(hook_choice hooks, std::uint32_t owner);
  ~attached_clock();
  attached_clock(const attached_clock&) = delete;
  attached_clock& operator=(const attached_clock&) = delete;

  /// Puts it into the place of whatever is pinned in the folder.
  void pin(folder& at, bool links);

  int map() const;

  /// The map in which waiters say that they wait, and the ring that then says what has passed.
  int waiters() const;
  int passed() const;

  /// Until when the program takes nobody for waiting; for this process to write.
  unsigned long long& unheard_until();

 private:
  std::unique_ptr<interrupt_clock_bpf, void (*)(interrupt_clock_bpf*)> object_;
  std::vector<bpf_link*> links_;
};

}  // namespace barrierd
