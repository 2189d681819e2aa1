// SPDX-License-Identifier: MIT
#include "kernel/attached_clock.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "interrupt_clock.skel.h"
#include "kernel/hooks.hpp"
#include "kernel/messages.hpp"

namespace barrierd {
namespace {

/// The numbers in one of the kernel's lists of processors; none if there is no such list.
std::vector<std::uint32_t> processors_in(const char* path) {
  char text[4096];
  const long length = fencepost::processors::read_file(path, text, sizeof text);
  std::vector<std::uint32_t> found;
  if (length <= 0 ||
      !fencepost::processors::for_each_in(text, static_cast<std::size_t>(length),
                                          [&](unsigned one) { found.push_back(one); })) {
    found.clear();
  }
  return found;
}

/// Slots for every processor that this machine may ever have.
std::uint32_t slots_needed() {
  const auto possible = processors_in(fencepost::processors::possible);
  if (possible.empty()) {
    throw failure(std::string("cannot read ") + fencepost::processors::possible);
  }
  return possible.back() + 1;
}

/// Looking at all processors takes some 10 ns for each of them: at most a thousandth of one
/// processor's time on large machines, and on small ones every half of a millisecond, which is less
/// than a waiter has to wait for the processors that are not idle.
std::uint32_t rescan_for(std::uint32_t slots) { return 500'000 + slots * 10'000; }

failure explained(const std::string& what, int error) {
  std::string text = what + ": " + std::strerror(error) + ".";
  utsname system{};
  ::uname(&system);
  int major = 0;
  int minor = 0;
  std::sscanf(system.release, "%d.%d", &major, &minor);
  if (major < 5 || (major == 5 && minor < 17)) {
    text += std::string(" It needs a kernel of 5.17 or later, and this is ") + system.release + ".";
  } else if (error == EPERM || error == EACCES || error == ENOSYS) {
    text +=
        " The capabilities are there, so it is a sandbox that forbids bpf(2) (seccomp in a "
        "container) or a locked-down kernel: start it outside, clients may stay inside.";
  }
  return failure(text + kept_messages());
}

void fill(int map, std::uint32_t index, const fencepost_clock_line& line) {
  if (bpf_map_update_elem(map, &index, &line, BPF_ANY) != 0) {
    throw explained("cannot write the clock's header", errno);
  }
}

void fill_in(int map, std::uint32_t slots, std::uint32_t owner, bool x86) {
  const auto tickless = processors_in(fencepost::processors::tickless);
  fencepost_clock_line line{};
  for (const std::uint32_t one : tickless) {
    if (one >= slots) continue;
    line.slot.flags = fencepost_clock_slot_tickless;
    fill(map, fencepost_clock_first_slot + one, line);
  }
  line = {};
  fencepost_clock_header& header = line.header;
  header.magic = fencepost_clock_magic;
  header.version = fencepost_clock_version;
  header.line = fencepost_clock_line_size;
  header.first_slot = fencepost_clock_first_slot;
  header.slots = slots;
  header.clock = fencepost_clock_monotonic;
  header.flags = fencepost_clock_vouches | (x86 ? fencepost_clock_interrupts : 0) |
                 (tickless.empty() ? 0 : fencepost_clock_tickless);
  if (!fencepost::detail::read_boot_id(header.boot_id)) {
    throw failure("cannot read /proc/sys/kernel/random/boot_id");
  }
  if (!fencepost::detail::own_monotonic_clock()) {
    throw failure("this is a time namespace, whose clock is not the kernel's: start it outside");
  }
  // No two clocks of one boot are made at the same nanosecond, but for the lock's sake: see folder.
  header.generation = fencepost::processors::monotonic_now();
  header.owner = owner;
  header.rescan = rescan_for(slots);
  fill(map, 0, line);
}

}  // namespace

attached_clock::attached_clock(hook_choice hooks, std::uint32_t owner)
    : object_(interrupt_clock_bpf__open(), interrupt_clock_bpf__destroy) {
  if (object_ == nullptr) throw explained("cannot open the BPF program", errno);
  const std::uint32_t slots = slots_needed();
  object_->rodata->processors = slots;
  object_->rodata->rescan = rescan_for(slots);
  bpf_map__set_max_entries(object_->maps.interrupt_clock, fencepost_clock_first_slot + slots);
  bpf_map__set_max_entries(object_->maps.known, slots);
  bpf_map__set_max_entries(object_->maps.passed, static_cast<std::uint32_t>(::getpagesize()));
  const bool x86 = choose_hooks(object_->obj, hooks);
  if (const int error = interrupt_clock_bpf__load(object_.get()); error != 0) {
    throw explained("the kernel does not take the BPF program", -error);
  }
  fill_in(map(), slots, owner, x86);
  // From here on nobody but the BPF programs writes, this process included.
  if (const int error = bpf_map_freeze(map()); error != 0) {
    throw explained("cannot freeze the map", -error);
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_->obj) {
    if (!bpf_program__autoload(program)) continue;
    bpf_link* const link = bpf_program__attach(program);
    if (link == nullptr) {
      const int error = errno;
      for (bpf_link* one : links_) bpf_link__destroy(one);
      throw explained(std::string("cannot attach to ") + bpf_program__section_name(program), error);
    }
    links_.push_back(link);
  }
}

attached_clock::~attached_clock() {
  for (bpf_link* link : links_) bpf_link__destroy(link);
}

int attached_clock::map() const { return bpf_map__fd(object_->maps.interrupt_clock); }

int attached_clock::waiters() const { return bpf_map__fd(object_->maps.waiters); }
int attached_clock::passed() const { return bpf_map__fd(object_->maps.passed); }

unsigned long long& attached_clock::unheard_until() { return object_->bss->unheard_until; }

void attached_clock::pin(folder& at, bool links) {
  std::vector<std::string> programs;
  std::vector<std::string> kept_links;
  auto link = links_.begin();
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_->obj) {
    if (!bpf_program__autoload(program)) continue;
    const std::string name = bpf_program__name(program);
    const int its = bpf_program__fd(program);
    folder::pin(at.program(name), 0600,
                [&](const char* path) { return bpf_obj_pin(its, path) == 0 ? 0 : -errno; });
    programs.push_back(name);
    if (links) {
      const int its_link = bpf_link__fd(*link);
      folder::pin(at.link(name), 0600,
                  [&](const char* path) { return bpf_obj_pin(its_link, path) == 0 ? 0 : -errno; });
      kept_links.push_back(name);
    }
    ++link;
  }
  // Before the clock, by which readers find it.
  folder::pin(at.waiters(), 0666,
              [&](const char* path) { return bpf_obj_pin(waiters(), path) == 0 ? 0 : -errno; });
  folder::pin(at.clock(), 0666,
              [&](const char* path) { return bpf_obj_pin(map(), path) == 0 ? 0 : -errno; });
  at.remove_all_but(programs, kept_links);
}

}  // namespace barrierd
