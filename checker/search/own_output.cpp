// SPDX-License-Identifier: MIT
#include "search/own_output.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "graph/state_section.hpp"
#include "machine/kernel.hpp"

namespace fencepost::checker::own_output {
namespace {

FENCEPOST_CHECKER_STATE char buffer[4096];  // nobody reads it: not to be put back
FENCEPOST_CHECKER_STATE int nowhere = -1;
FENCEPOST_CHECKER_STATE int given = -1;
FENCEPOST_CHECKER_STATE int file = -1;
FENCEPOST_CHECKER_STATE constinit Bytes text;
FENCEPOST_CHECKER_STATE std::uint64_t bytes_before;

void flush() {
  std::fflush(stdout);
  std::fflush(stderr);
}

void send_to(int fd) {
  dup2(fd, 1);
  dup2(fd, 2);
}

// An empty file in memory. Under --sandbox none can be made, and one was given.
int empty_file() {
  if (given < 0) return memfd_create("output", MFD_CLOEXEC);
  if (ftruncate(given, 0) != 0 || lseek(given, 0, SEEK_SET) != 0) return -1;
  return fcntl(given, F_DUPFD_CLOEXEC, 10);
}

// Whatever a program prints, not much of it is held in memory.
constexpr off_t kMostBeforeCut = 1 << 20;

void read_back() {
  const long size = lseek(file, 0, SEEK_END);
  const auto whole = static_cast<std::uint64_t>(size < 0 ? 0 : size);
  const std::uint64_t left_out = whole > kMostKept ? whole - kMostKept : 0;
  bytes_before += left_out;
  text.resize(static_cast<std::uint32_t>(whole - left_out));
  const long n = pread(file, text.data(), text.size(), static_cast<off_t>(left_out));
  text.resize(n < 0 ? 0 : static_cast<std::uint32_t>(n));
}

// Leaves the end of what the file holds.
void shorten() {
  read_back();
  if (ftruncate(file, 0) != 0) return;
  lseek(file, 0, SEEK_SET);
  kernel::call(SYS_write, file, reinterpret_cast<long>(text.data()), text.size());
}

}  // namespace

void prepare() {
  if (nowhere >= 0) return;
  nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (const char* const fd = std::getenv("FENCEPOST_OUTPUT")) given = std::atoi(fd);
}

void discard(int* results) {
  std::fflush(stdout);
  prepare();
  if (nowhere < 0) return;
  if (*results <= 2) *results = fcntl(*results, F_DUPFD_CLOEXEC, 10);
  send_to(nowhere);
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

void begin_to_keep() {
  forget();
  if (nowhere < 0) return;
  flush();  // what former executions have left
  file = empty_file();
  if (file < 0) return;
  send_to(file);
  setvbuf(stdout, nullptr, _IONBF, 0);  // in the order of what goes to stderr
}

void end_to_keep() {
  if (file < 0) return;
  flush();
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  send_to(nowhere);
  read_back();
  close(file);
  file = -1;
}

bool is_kept() {
  if (file >= 0 && lseek(file, 0, SEEK_CUR) > kMostBeforeCut) shorten();
  return file >= 0;
}

const Bytes& kept() { return text; }
std::uint64_t left_out() { return bytes_before; }
void forget() {
  text.clear();
  bytes_before = 0;
}

}  // namespace fencepost::checker::own_output
