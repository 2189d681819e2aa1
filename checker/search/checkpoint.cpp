// SPDX-License-Identifier: MIT
#include "search/checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/alternatives.hpp"
#include "search/search.hpp"

namespace fencepost::checker::checkpoint {
namespace {

constexpr char kFirstLine[] = "fencepost checkpoint 2\n";
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 53;
constexpr double kMostSeconds = 1e10;
constexpr std::size_t kMostBytes = std::size_t{1} << 31;
constexpr std::uint32_t kWorkItems = 32;  // at most; so that several can begin with them at once

FENCEPOST_CHECKER_STATE char file_name[4096];
FENCEPOST_CHECKER_STATE char message[512];
FENCEPOST_CHECKER_STATE bool there_is_one;
FENCEPOST_CHECKER_STATE constinit Bytes file;
FENCEPOST_CHECKER_STATE constinit Bytes own_identity;
FENCEPOST_CHECKER_STATE std::size_t payload;  // where it begins

// CRC-32 as zlib has it.
std::uint32_t checksum(const char* data, std::size_t size) {
  std::uint32_t crc = ~0U;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= static_cast<unsigned char>(data[i]);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

__attribute__((format(printf, 1, 2))) const char* complain(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return message;
}

// The file's next line, its end replaced by a zero; nullptr if there is none.
const char* next_line(std::size_t* at) {
  char* from = file.data() + *at;
  auto* end = static_cast<char*>(std::memchr(from, '\n', file.size() - *at));
  if (end == nullptr) return nullptr;
  *end = '\0';
  *at += static_cast<std::size_t>(end - from) + 1;
  return from;
}

int read_file() {
  const int fd = ::open(file_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno;
  struct stat about {};
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(fd);
    return EINVAL;
  }
  if (static_cast<std::size_t>(about.st_size) > kMostBytes) {
    ::close(fd);
    return EFBIG;
  }
  char piece[65536];
  long n;
  while ((n = kernel::call(SYS_read, fd, reinterpret_cast<long>(piece), sizeof piece)) > 0) {
    put_bytes(&file, piece, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return n < 0 ? static_cast<int>(-n) : 0;
}

// Could an exploration have counted this?
bool can_be(const Counters& t, bool violated) {
  for (const std::uint64_t count :
       {t.executions, t.blocked, t.violations, t.replays, t.revisits, t.probes}) {
    if (count > kMostCounted) return false;
  }
  for (const double amount : {t.seconds, t.cpu_seconds}) {
    if (!(amount >= 0 && amount < kMostSeconds)) return false;
  }
  for (const std::uint32_t yes : {t.heavy_fences,       t.process_shared,  t.keys_in_one_order,
                                  t.own_random_numbers, t.consumed,        t.new_identities,
                                  t.larger_stacks,      t.library_trusted, t.std_barriers,
                                  t.std_latches,        t.clocks_read,     t.waits,
                                  t.timed_waits,        t.weak_exchanges,  t.memory_freed,
                                  t.addresses_compared, t.reuse_missed,    t.wanted_store,
                                  t.cut_store,          t.handlers_left,   t.handlers_of_libraries,
                                  t.rounds_passed,      t.taken_together,  t.assumed,
                                  t.signals_said,       t.errno_reached,   t.fenced_attempts}) {
    if (yes > 1) return false;
  }
  return t.probed_executions >= 0 && t.most_events <= kMaxThreads * kMaxEventsPerThread &&
         t.resumed != 0 && violated == (t.violations != 0);
}

// A file beside it for what is to be moved there, under a name that nobody can have made first: who
// may write there, too, would keep hours of search from being saved. Or the negated error.
int open_new(char* name, std::size_t size) {
  for (;;) {
    std::uint64_t letters = 0;
    const long n = kernel::call(SYS_getrandom, reinterpret_cast<long>(&letters), sizeof letters, 0);
    if (n == -EINTR) continue;
    if (n < 0) return static_cast<int>(n);
    std::snprintf(name, size, "%s.%016lx.part", file_name, static_cast<unsigned long>(letters));
    const int fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd >= 0 ? fd : -errno;
  }
}

const char* damaged() {
  return complain(
      "the checkpoint %s is damaged (cut short, or changed): remove it to begin from the beginning",
      file_name);
}

}  // namespace

bool wanted() { return file_name[0] != '\0'; }
bool found() { return there_is_one; }
const char* path() { return file_name; }

const char* open(const char* path, const Bytes& identity) {
  if (path == nullptr || *path == '\0') return nullptr;
  if (std::strlen(path) + 32 > sizeof file_name) return "the checkpoint's name is too long";
  std::strcpy(file_name, path);
  put_bytes(&own_identity, identity.data(), identity.size());
  if (own_identity.empty()) return "checkpoints need /proc/self/exe";
  const int error = read_file();
  if (error == ENOENT) return nullptr;
  if (error != 0) return complain("the checkpoint %s: %s", file_name, std::strerror(error));
  const std::size_t first = sizeof kFirstLine - 1;
  if (file.size() < first && std::memcmp(file.data(), kFirstLine, file.size()) == 0) {
    return damaged();
  }
  constexpr std::size_t any_format = sizeof "fencepost checkpoint " - 1;
  if (file.size() < any_format || std::memcmp(file.data(), kFirstLine, any_format) != 0) {
    return complain("%s is no checkpoint, and is left as it is: give another name", file_name);
  }
  if (std::memcmp(file.data(), kFirstLine, first) != 0) {
    return complain(
        "the checkpoint %s was written by another version of the checker: remove it to begin from "
        "the beginning",
        file_name);
  }
  std::size_t at = first;
  Bytes own;
  put_bytes(&own, own_identity.data(), own_identity.size());
  own.push_back('\0');
  char* rest = nullptr;
  const char* own_line = strtok_r(own.data(), "\n", &rest);
  for (int which = 0; which < 3; ++which, own_line = strtok_r(nullptr, "\n", &rest)) {
    const char* line = next_line(&at);
    if (line == nullptr) return damaged();
    if (std::strcmp(line, own_line) == 0) continue;
    switch (which) {
      case 0:
        return complain("the checkpoint %s was written by %.60s of the checker; this is %s",
                        file_name, line, own_line);
      case 1:
        return complain(
            "the checkpoint %s is of another program, or of this one before it, its flags, its "
            "libraries, the processor or the checker were changed: remove it to begin from the "
            "beginning",
            file_name);
      default:
        return complain("the checkpoint %s is of an exploration with other %.160s (now: %s)",
                        file_name, line, own_line);
    }
  }
  const char* sizes = next_line(&at);
  unsigned long size = 0;
  unsigned crc = 0;
  if (sizes == nullptr || std::sscanf(sizes, "bytes %lu checksum %x", &size, &crc) != 2) {
    return damaged();
  }
  const char* empty = next_line(&at);
  if (empty == nullptr || *empty != '\0' || file.size() - at != size ||
      checksum(file.data() + at, size) != crc) {
    return damaged();
  }
  payload = at;
  there_is_one = true;
  return nullptr;
}

const char* implausible() {
  return complain(
      "the checkpoint %s is of this program, but what it says cannot be (it was not written by the "
      "checker): remove it to begin from the beginning",
      file_name);
}

bool restore() {
  BytesIn in(file.data() + payload, file.size() - payload);
  const auto counters = in.take<Counters>();
  const auto kept = in.take<std::uint32_t>();
  const char* violation = in.skip(kept);
  if (violation == nullptr || !can_be(counters, kept != 0)) return false;
  execution.counters = counters;
  if (kept != 0) {
    BytesIn execution(violation, kept);
    if (!search.find_again(&execution)) return false;
  }
  const auto items = in.take<std::uint32_t>();
  for (std::uint32_t k = 0; k < items && in.ok(); ++k) {
    const auto size = in.take<std::uint32_t>();
    const char* item = in.skip(size);
    if (item == nullptr) break;
    BytesIn bytes(item, size);
    if (!read_alternatives(&bytes)) in.fail();
  }
  file.clear();
  return in.ok() && in.left() == 0;
}

const char* save() {
  Explorer& explorer = execution.explorer;
  Bytes body;
  Counters counters = execution.counters;
  counters.revisits += explorer.revisits();
  counters.seconds += search.seconds();
  counters.cpu_seconds += kernel::cpu_seconds();
  ++counters.resumed;
  put(&body, counters);
  const Bytes& kept = execution.listener->kept_execution();
  put(&body, kept.size());
  put_bytes(&body, kept.data(), kept.size());
  const std::uint32_t all = explorer.alternatives();
  const std::uint32_t items = all < kWorkItems ? all : kWorkItems;
  put(&body, items);
  for (std::uint32_t k = 0; k < items; ++k) {
    const std::size_t size_at = body.size();
    put(&body, std::uint32_t{0});
    const std::uint32_t share = explorer.alternatives() / (items - k);
    write_alternatives(&body, share);
    explorer.give_up(share);
    const auto size = static_cast<std::uint32_t>(body.size() - size_at - sizeof(std::uint32_t));
    std::memcpy(body.data() + size_at, &size, sizeof size);
  }
  Bytes whole;
  put_bytes(&whole, kFirstLine, sizeof kFirstLine - 1);
  put_bytes(&whole, own_identity.data(), own_identity.size());
  char sizes[80];
  const int n =
      std::snprintf(sizes, sizeof sizes, "\nbytes %lu checksum %08x\n\n",
                    static_cast<unsigned long>(body.size()), checksum(body.data(), body.size()));
  put_bytes(&whole, sizes, static_cast<std::size_t>(n));
  put_bytes(&whole, body.data(), body.size());

  char temporary[sizeof file_name + 32];
  const int fd = open_new(temporary, sizeof temporary);
  long error = fd < 0 ? -fd : 0;
  for (std::uint32_t done = 0; error == 0 && done < whole.size();) {
    const long written = kernel::call(SYS_write, fd, reinterpret_cast<long>(whole.data() + done),
                                      static_cast<long>(whole.size() - done));
    if (written == -EINTR) continue;
    if (written <= 0) error = written == 0 ? ENOSPC : -written;
    if (written > 0) done += static_cast<std::uint32_t>(written);
  }
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary, file_name) != 0) error = errno;
  if (error == 0) return nullptr;
  if (fd >= 0) ::unlink(temporary);
  return complain("%s", std::strerror(static_cast<int>(error)));
}

void remove() {
  if (there_is_one) ::unlink(file_name);
}

}  // namespace fencepost::checker::checkpoint
