// SPDX-License-Identifier: MIT
// The program's main is renamed to fencepost_program_main; this is the one that the process starts
// in.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "interface/entry.hpp"
#include "program/call_sites.hpp"
#include "program/checkpoint.hpp"
#include "program/identity.hpp"
#include "program/kernel.hpp"
#include "program/machine.hpp"
#include "program/options.hpp"
#include "program/regions.hpp"

extern "C" int fencepost_program_main(int argc, char** argv, char** envp);

namespace fencepost::checker {
[[noreturn]] void on_terminate();

namespace {

// Memory has to be at its place before the first constructor of the program allocates.
__attribute__((constructor(101))) void reserve_region() {
  using namespace regions;
  void* p = mmap(reinterpret_cast<void*>(kBase), kEnd - kBase, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != reinterpret_cast<void*>(kBase)) {
    std::fputs("fencepost check: the address space for the program cannot be reserved\n", stderr);
    kernel::call(SYS_exit_group, 2);
  }
  // Constructors may ask for what the options say does not exist; main complains of mistakes.
  const char* text = std::getenv("FENCEPOST_CHECK");
  parse_options(text == nullptr ? "" : text, &runtime.options);
}

// The program prints into the void: its output would come once for every execution. Results keep
// the descriptor that they were promised.
void discard_output(Options* options) {
  static char buffer[4096];
  std::fflush(stdout);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  if (options->fd <= 2) options->fd = fcntl(options->fd, F_DUPFD_CLOEXEC, 10);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

// Libraries at the same addresses every time: values may point to them. Where that is refused the
// program may turn out to do something else than the checkpoint says, which is noticed.
void fix_addresses(char** argv, char** envp) {
  constexpr char kDone[] = "FENCEPOST_FIXED_ADDRESSES";
  constexpr long kAsk = 0xffffffff;
  const long now = kernel::call(SYS_personality, kAsk);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0 || std::getenv(kDone) != nullptr) return;
  if (kernel::call(SYS_personality, now | ADDR_NO_RANDOMIZE) < 0) return;
  Array<char*> environment;
  for (char** e = envp; *e != nullptr; ++e) environment.push_back(*e);
  char done[sizeof kDone + 2];
  std::snprintf(done, sizeof done, "%s=1", kDone);
  environment.push_back(done);
  environment.push_back(nullptr);
  kernel::call(SYS_execve, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(argv),
               reinterpret_cast<long>(environment.data()));
}

}  // namespace
}  // namespace fencepost::checker

int main(int argc, char** argv, char** envp) {
  using namespace fencepost::checker;
  Options options;
  const char* text = std::getenv("FENCEPOST_CHECK");
  if (const char* mistake = parse_options(text == nullptr ? "" : text, &options)) {
    std::fprintf(stderr, "%s\n", mistake);
    return 3;
  }
  const char* orders = std::getenv("FENCEPOST_ORDERS");
  if (const char* mistake = call_sites.override_orders(orders == nullptr ? "" : orders)) {
    std::fprintf(stderr, "%s\n", mistake);
    return 3;
  }
  if (options.sites) call_sites.write_down();
  if (!thread_pointer_is_writable()) {
    std::fputs(
        "fencepost check: this kernel does not let programs set the thread pointer (FSGSBASE)\n",
        stderr);
    return 2;
  }
  const char* checkpoint_path = std::getenv("FENCEPOST_CHECKPOINT");
  if (checkpoint_path != nullptr && *checkpoint_path != '\0') {
    fix_addresses(argv, envp);
    Bytes identity;
    identify(options, argc, argv, &identity);
    if (const char* mistake = checkpoint::open(checkpoint_path, identity)) {
      std::fprintf(stderr, "%s\n", mistake);
      return 3;
    }
  }
  discard_output(&options);
  // The C library has set it: this process has one thread, but the program has several, and its
  // shared pointers must count atomically.
  __libc_single_threaded = 0;
  std::set_terminate(on_terminate);
  runtime.initialise(options);
  runtime.check(fencepost_program_main, argc, argv, envp);
}
