// SPDX-License-Identifier: MIT
#include "descheduling.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace bench {

namespace {

/// A variable of the preloaded library; of a thread's, the calling thread's. Null without it.
template <class Type>
Type* preloaded(const char* name) {
  return static_cast<Type*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void prepare_descheduling(const arguments& given, char** argv) {
  if (given.descheduled == 0 || preloaded<bool>("bench_owners_of_mutexes") != nullptr) return;
  const auto wrapper =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libbench_descheduling.so";
  if (!std::filesystem::exists(wrapper) || std::getenv("BENCH_DESCHEDULING") != nullptr) {
    refuse("-f needs " + wrapper.string() +
           ", which is not there or cannot be preloaded; building bench_atomics makes it");
  }
  const char* const others = std::getenv("LD_PRELOAD");
  const std::string all = wrapper.string() + (others != nullptr ? ":" + std::string(others) : "");
  setenv("LD_PRELOAD", all.c_str(), 1);
  setenv("BENCH_DESCHEDULING", "1", 1);  // so that this is not tried for ever
  execv("/proc/self/exe", argv);
  refuse(std::string("cannot start again: ") + std::strerror(errno));
}

void deschedule_owners_of_mutexes(bool also) {
  if (bool* const owners = preloaded<bool>("bench_owners_of_mutexes")) *owners = also;
}

unsigned long descheduled_so_far() {
  const auto* const count = preloaded<std::atomic<unsigned long>>("bench_descheduled");
  return count != nullptr ? count->load(std::memory_order_relaxed) : 0;
}

descheduling::descheduling(unsigned rarely, unsigned seed)
    : rarely_(rarely), state_(seed * 2654435761u | 1) {
  if (rarely_ == 0) return;
  faulty_ = preloaded<unsigned char>("atomic_faulty");
  inject_ = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "atomic_inject"));
}

}  // namespace bench
