// SPDX-License-Identifier: MIT
#include "search/sandbox.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "memory/static_objects.hpp"
#include "search/own_output.hpp"
#include "search/signals.hpp"

namespace fencepost::checker::sandbox {
namespace {

constexpr unsigned kMostInstructions = 512;
constexpr int kRefused = 3;

FENCEPOST_CHECKER_STATE sock_filter filter[kMostInstructions];

int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The instructions that are written in hexadecimal; 0 if they are none.
unsigned instructions(const char* text) {
  const std::size_t size = text == nullptr ? 0 : std::strlen(text);
  constexpr std::size_t letters = 2 * sizeof(sock_filter);
  if (size == 0 || size % letters != 0 || size / letters > kMostInstructions) return 0;
  auto* bytes = reinterpret_cast<unsigned char*>(filter);
  for (std::size_t i = 0; i < size; i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return 0;
    bytes[i / 2] = static_cast<unsigned char>(high << 4 | low);
  }
  return static_cast<unsigned>(size / letters);
}

}  // namespace

void enter() {
  own_output::prepare();
  static_objects::prepare();
  install_refusal();
  sock_fprog program{};
  program.len = static_cast<unsigned short>(instructions(std::getenv("FENCEPOST_SANDBOX")));
  program.filter = filter;
  if (program.len != 0 && kernel::call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                                       reinterpret_cast<long>(&program), 0, 0) == 0) {
    return;
  }
  std::fputs("--sandbox: the filter of system calls cannot be entered; nothing was run\n", stderr);
  kernel::call(SYS_exit_group, kRefused);
}

}  // namespace fencepost::checker::sandbox
