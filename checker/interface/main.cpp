// SPDX-License-Identifier: MIT
// The program's main is renamed to fencepost_program_main; this is the one that the process starts
// in.
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <time.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "execution/call_sites.hpp"
#include "execution/execution.hpp"
#include "execution/options.hpp"
#include "interface/c_library/allocation.hpp"
#include "interface/entry.hpp"
#include "machine/kernel.hpp"
#include "machine/machine.hpp"
#include "memory/regions.hpp"
#include "search/before_main.hpp"
#include "search/checkpoint.hpp"
#include "search/own_output.hpp"
#include "search/sandbox.hpp"
#include "search/search.hpp"
#include "search/workers/host_fingerprint.hpp"
#include "search/workers/identity.hpp"
#include "verdict/verdict.hpp"

extern "C" int fencepost_program_main(int argc, char** argv, char** envp);

namespace fencepost::checker {
[[noreturn]] void on_terminate();

namespace {

// Memory has to be at its place before the first constructor of the program allocates: those of
// priority 101 are the first that a program may have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
__attribute__((constructor(100))) void reserve_region() {
  using namespace regions;
  void* p = mmap(reinterpret_cast<void*>(kBase), kEnd - kBase, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != reinterpret_cast<void*>(kBase)) {
    std::fputs("fencepost check: the address space for the program cannot be reserved\n", stderr);
    kernel::call(SYS_exit_group, 2);
  }
  // Constructors may ask for what the options say does not exist; main complains of mistakes.
  const char* text = std::getenv("FENCEPOST_CHECK");
  parse_options(text == nullptr ? "" : text, &execution.options);
  execution.listener = &verdict;
  constructors_begin();
  if (execution.options.sandbox) {
    tzset();  // reads a file, which otherwise the first use of the calendar does
    sandbox::enter();
  }
  std::set_terminate(on_terminate);
}
#pragma GCC diagnostic pop

// What another computer must have in common with this one to explore a part of the same search.
void describe(const Options& options, int argc, char** argv, Bytes* text) {
  describe_host(true, text);
  identify(options, argc, argv, text);
}

// The arguments lie where nothing is watched or put back, so the program is given copies: one
// block, of which no pointer is the beginning, for nothing of it may be freed. Its size, and so
// where other blocks lie, is the same however long the path of the program is.
char** watched_copy(char** arguments) {
  constexpr std::size_t kInFront = sizeof(std::max_align_t);
  constexpr std::size_t kWhole = 512;
  constexpr std::uint64_t kNoCode = 0;
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (arguments[count] != nullptr) bytes += std::strlen(arguments[count++]) + 1;
  const std::size_t size = kInFront + (count + 1) * sizeof *arguments + bytes;
  auto* const block = static_cast<char*>(
      program_allocate((size + kWhole - 1) / kWhole * kWhole, kInFront, kNoCode));
  auto** const copied = reinterpret_cast<char**>(block + kInFront);
  char* text = reinterpret_cast<char*>(copied + count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    copied[i] = text;
    text = stpcpy(text, arguments[i]) + 1;
  }
  copied[count] = nullptr;
  return copied;
}

}  // namespace
}  // namespace fencepost::checker

int main(int argc, char** argv, char** envp) {
  using namespace fencepost::checker;
  constructors_end();
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
  options.channels = std::getenv("FENCEPOST_CHANNELS");
  const char* checkpoint_path = std::getenv("FENCEPOST_CHECKPOINT");
  const bool kept = checkpoint_path != nullptr && *checkpoint_path != '\0';
  const bool shared = options.identify || options.part >= 0 || options.channels != nullptr;
  // Where that is refused the program may turn out to do something else than the checkpoint says,
  // which is noticed.
  if ((kept || shared) && !fix_addresses(argv, envp) && shared) {
    std::fputs(
        "this system does not let a process lie at fixed addresses (personality; is it forbidden "
        "by a container's seccomp profile?), so a search cannot be shared with it\n",
        stderr);
    return 3;
  }
  if (options.identify) {
    Bytes own;
    describe(options, argc, argv, &own);
    execution.listener->relay(own);
    return 0;
  }
  if (options.part >= 0) {
    Bytes own;
    describe(options, argc, argv, &own);
    const char* wanted = std::getenv("FENCEPOST_IDENTITY");
    if (const char* differs = first_difference(own, wanted == nullptr ? "" : wanted)) {
      std::fprintf(stderr, "%s\n", differs);
      return 3;
    }
  }
  if (kept) {
    Bytes identity;
    identify(options, argc, argv, &identity);
    if (const char* mistake = checkpoint::open(checkpoint_path, identity)) {
      std::fprintf(stderr, "%s\n", mistake);
      return 3;
    }
  }
  own_output::discard(&options.fd);
  // The C library has set it: this process has one thread, but the program has several, and its
  // shared pointers must count atomically.
  __libc_single_threaded = 0;
  argv = watched_copy(argv);
  search.initialise(options);
  search.check(fencepost_program_main, argc, argv, envp);
}
