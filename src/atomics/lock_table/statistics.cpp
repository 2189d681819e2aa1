// SPDX-License-Identifier: MIT
//
// The counts of statistics.hpp, and the table that they are printed as.
#include "statistics.hpp"

#if defined(FENCEPOST_ATOMIC_STATISTICS)
#include <sys/syscall.h>

#include <cerrno>

#include "fencepost/detail/kernel.hpp"
#include "lock_table.hpp"

#pragma GCC visibility push(default)
#include "fencepost/atomic_instrumentation.h"
#pragma GCC visibility pop

namespace fencepost::atomics {
namespace {

enum counted {
  objects,
  acquisitions,
  at_once,
  spins,
  waits,
  failed_waits,
  loads,
  loads_in_vain,
  kinds_of_counts
};
constexpr const char* names[kinds_of_counts] = {
    "objects",      "acquisitions",         "at once",         "spins", "waits",
    "failed waits", "loads without a lock", "attempts in vain"};

constexpr unsigned most_addresses = 1024;

struct alignas(line_size) counts_of_line {
  std::atomic<std::uint64_t> count[kinds_of_counts];
  // Beyond these, objects are no longer told apart, and not counted.
  std::atomic<uintptr_t> address[most_addresses];
};
counts_of_line counts[lines];

constexpr auto relaxed = std::memory_order_relaxed;

counts_of_line& of_lock(const void* lock) noexcept {
  return counts[(reinterpret_cast<uintptr_t>(lock) - reinterpret_cast<uintptr_t>(&table)) /
                sizeof(guarded_line)];
}
counts_of_line& of_object(uintptr_t address) noexcept {
  return counts[address / line_size % lines];
}

/// By the thread that has the lock.
void add(std::atomic<std::uint64_t>& to, std::uint64_t more) noexcept {
  to.store(to.load(relaxed) + more, relaxed);
}

}  // namespace

void count_acquisition(const void* lock, unsigned looks, unsigned sleeps) noexcept {
  counts_of_line& line = of_lock(lock);
  add(line.count[acquisitions], 1);
  if (looks == 0 && sleeps == 0) add(line.count[at_once], 1);
  add(line.count[spins], looks);
  add(line.count[waits], sleeps);
}

void count_failed_sleeps(const void* lock, unsigned sleeps) noexcept {
  if (sleeps != 0) of_lock(lock).count[failed_waits].fetch_add(sleeps, relaxed);
}

void count_load(uintptr_t object, unsigned in_vain) noexcept {
  counts_of_line& line = of_object(object);
  line.count[loads].fetch_add(1, relaxed);
  if (in_vain != 0) line.count[loads_in_vain].fetch_add(in_vain, relaxed);
}

void note_object(uintptr_t address) noexcept {
  counts_of_line& line = of_object(address);
  // From a place of its own on, so that few are looked at.
  const unsigned begin = static_cast<unsigned>(address / (line_size * lines) * 37 + address);
  for (unsigned n = 0; n != most_addresses; ++n) {
    std::atomic<uintptr_t>& place = line.address[(begin + n) % most_addresses];
    uintptr_t known = place.load(relaxed);
    if (known == 0 && place.compare_exchange_strong(known, address, relaxed)) {
      line.count[objects].fetch_add(1, relaxed);
      return;
    }
    if (known == address) return;
  }
}

namespace {

/// What one lock or all had when the table was begun.
struct counts_seen {
  std::uint64_t count[kinds_of_counts];

  bool any() const noexcept { return count[acquisitions] != 0 || count[loads] != 0; }
};

counts_seen seen_of(unsigned line) noexcept {
  counts_seen seen;
  for (unsigned n = 0; n != kinds_of_counts; ++n)
    seen.count[n] = counts[line].count[n].load(relaxed);
  // Sleeps that failed are counted with the others, and when they have failed.
  const std::uint64_t failed = seen.count[failed_waits];
  seen.count[waits] = seen.count[waits] > failed ? seen.count[waits] - failed : 0;
  return seen;
}

/// One line of the table, written in one piece.
class row {
 public:
  explicit row(int file) noexcept : file_(file) {}
  row(const row&) = delete;
  row& operator=(const row&) = delete;
  ~row() {
    put('\n');
    const char* from = text_;
    while (length_ != 0) {
      const long written = kernel::call(SYS_write, long{file_}, from, length_);
      if (written == -EINTR) continue;
      if (written <= 0) return;
      from += written;
      length_ -= static_cast<unsigned>(written);
    }
  }

  /// At the left of a column that ends there.
  row& word(const char* text, unsigned end) noexcept {
    while (*text != '\0') put(*text++);
    while (length_ < end) put(' ');
    return *this;
  }
  /// At the right of a column that ends there, with so many digits after the point.
  row& number(std::uint64_t value, unsigned end, unsigned decimals = 0) noexcept {
    char digits[24];
    unsigned count = 0;
    do {
      if (decimals != 0 && count == decimals) digits[count++] = '.';
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0 || (decimals != 0 && count < decimals + 2));
    while (length_ + count < end) put(' ');
    while (count != 0) put(digits[--count]);
    return *this;
  }

 private:
  void put(char letter) noexcept {
    if (length_ != sizeof text_) text_[length_++] = letter;
  }

  int file_;
  unsigned length_ = 0;
  char text_[512];  // more than all counts of a lock
};

std::uint64_t rounded_root(double square) noexcept {
  double root = square > 1 ? square : 1;
  for (int n = 0; n != 64; ++n) root = (root + square / root) / 2;
  return static_cast<std::uint64_t>(root + 0.5);
}

constexpr unsigned columns[] = {22, 36, 48, 60, 74, 88};

/// All locks together, and how evenly they share it.
void write_distribution(int file, counted what, const counts_seen (&seen)[lines]) noexcept {
  std::uint64_t all = 0;
  std::uint64_t least = seen[0].count[what];
  std::uint64_t most = 0;
  for (const counts_seen& line : seen) {
    const std::uint64_t here = line.count[what];
    all += here;
    if (here < least) least = here;
    if (here > most) most = here;
  }
  const double mean = static_cast<double>(all) / lines;
  double squares = 0;
  for (const counts_seen& line : seen) {
    const double away = static_cast<double>(line.count[what]) - mean;
    squares += away * away;
  }
  row(file)
      .word(names[what], columns[0])
      .number(all, columns[1])
      .number(least, columns[2])
      .number(most, columns[3])
      .number(static_cast<std::uint64_t>(mean * 100 + 0.5), columns[4], 2)
      .number(rounded_root(squares / lines * 10000), columns[5], 2);
}

/// "lock/mutex.hpp" as "mutex".
void write_kind(row& to) noexcept {
  constexpr char path[] = FENCEPOST_ATOMIC_LOCK;
  char name[sizeof path] = {};
  unsigned length = 0;
  for (unsigned n = 0; path[n] != '\0' && path[n] != '.'; ++n) {
    if (path[n] == '/') {
      length = 0;
    } else {
      name[length++] = path[n];
    }
  }
  name[length] = '\0';
  to.word(name, 0);
}

}  // namespace
}  // namespace fencepost::atomics

extern "C" void atomic_summary(int file) {
  using namespace fencepost::atomics;
  static_assert(sizeof(counts_seen) * lines <= 4096);
  counts_seen seen[lines];
  unsigned used = 0;
  for (unsigned n = 0; n != lines; ++n) {
    seen[n] = seen_of(n);
    if (seen[n].any()) ++used;
  }
  {
    row title(file);
    title.word("atomic objects: ", 0).number(used, 0).word(" of ", 0).number(lines, 0);
    title.word(" locks used, of the kind ", 0);
    write_kind(title);
  }
  {
    row titles(file);
    titles.word("", columns[1] - 6).word("in all", 0).word("", columns[2] - 5).word("least", 0);
    titles.word("", columns[3] - 4).word("most", 0).word("", columns[4] - 4).word("mean", 0);
    titles.word("", columns[5] - 9).word("deviation", 0);
  }
  for (int what = 0; what != kinds_of_counts; ++what) {
    write_distribution(file, static_cast<counted>(what), seen);
  }
  for (unsigned n = 0; n != lines; ++n) {
    if (!seen[n].any()) continue;
    row line(file);
    line.word("lock ", 0).number(n, 7).word(":", 0);
    for (int what = 0; what != kinds_of_counts; ++what) {
      if (seen[n].count[what] == 0) continue;
      line.word("  ", 0).word(names[what], 0).word(" ", 0).number(seen[n].count[what], 0);
    }
  }
}
#endif
