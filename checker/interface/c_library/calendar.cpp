// SPDX-License-Identifier: MIT
// What the calendar of <time.h> does to the program's memory. What time it is others say
// (sync/clocks.hpp). The program's calls are sent here (redefined-symbols.txt).
//
// The functions without _r answer with a place that the next call writes: two threads that use one
// of them race, as the standards say.
#include <time.h>

#include <cstring>

#include "graph/storage.hpp"
#include "interface/c_library/touched.hpp"

using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::writes;

namespace {

// What says when it is: the seconds, minutes, hours, day, month and year, which come first.
void reads_moment(const tm* broken_down, std::uint64_t pc) {
  reads(broken_down, offsetof(tm, tm_wday), pc);
}

constexpr std::size_t kTextSize = 26;  // "Thu Jan  1 00:00:00 1970\n" and its end

// What the functions without _r answer with, as if it were the program's: begun anew in each
// execution. The C library's own is not watched.
tm shared_moment __asm__("answer_of_gmtime_and_localtime");
char shared_text[128] __asm__("answer_of_asctime_and_ctime");

char* share(const char* text, std::uint64_t pc) {
  if (text == nullptr) return nullptr;
  const std::size_t size = std::strlen(text) + 1;
  writes(shared_text, size, pc);
  return static_cast<char*>(std::memcpy(shared_text, text, size));
}

}  // namespace

extern "C" {

tm* fencepost_gmtime_r(const time_t* moment, tm* to) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(to, sizeof *to, FENCEPOST_PC());
  return gmtime_r(moment, to);
}
tm* fencepost_localtime_r(const time_t* moment, tm* to) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(to, sizeof *to, FENCEPOST_PC());
  return localtime_r(moment, to);
}
tm* fencepost_gmtime(const time_t* moment) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(&shared_moment, sizeof shared_moment, FENCEPOST_PC());
  return gmtime_r(moment, &shared_moment);
}
tm* fencepost_localtime(const time_t* moment) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(&shared_moment, sizeof shared_moment, FENCEPOST_PC());
  return localtime_r(moment, &shared_moment);
}

time_t fencepost_mktime(tm* broken_down) {
  reads_moment(broken_down, FENCEPOST_PC());
  reads(&broken_down->tm_isdst, sizeof broken_down->tm_isdst, FENCEPOST_PC());
  writes(broken_down, sizeof *broken_down, FENCEPOST_PC());
  return mktime(broken_down);
}
time_t fencepost_timelocal(tm* broken_down) __attribute__((alias("fencepost_mktime")));
time_t fencepost_timegm(tm* broken_down) {
  reads_moment(broken_down, FENCEPOST_PC());
  writes(broken_down, sizeof *broken_down, FENCEPOST_PC());
  return timegm(broken_down);
}

char* fencepost_asctime_r(const tm* broken_down, char* to) {
  reads(broken_down, offsetof(tm, tm_yday), FENCEPOST_PC());
  writes(to, kTextSize, FENCEPOST_PC());
  return asctime_r(broken_down, to);
}
char* fencepost_ctime_r(const time_t* moment, char* to) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(to, kTextSize, FENCEPOST_PC());
  return ctime_r(moment, to);
}
// Their text may be longer, of years with more than four digits.
char* fencepost_asctime(const tm* broken_down) {
  reads(broken_down, offsetof(tm, tm_yday), FENCEPOST_PC());
  return share(asctime(broken_down), FENCEPOST_PC());
}
char* fencepost_ctime(const time_t* moment) {
  reads(moment, sizeof *moment, FENCEPOST_PC());
  writes(&shared_moment, sizeof shared_moment, FENCEPOST_PC());
  const tm* const broken_down = localtime_r(moment, &shared_moment);
  return broken_down == nullptr ? nullptr : share(asctime(broken_down), FENCEPOST_PC());
}

// The standard has it read the fields that the format asks for; here it reads all. What it leaves
// behind where there is too little room nobody knows.
std::size_t fencepost_strftime(char* to, std::size_t size, const char* format,
                               const tm* broken_down) {
  reads_string(format, FENCEPOST_PC());
  reads(broken_down, sizeof *broken_down, FENCEPOST_PC());
  if (size == 0) return 0;
  auto* const text = static_cast<char*>(fencepost::checker::storage_take(size));
  text[0] = '\0';
  const std::size_t length = strftime(text, size, format, broken_down);
  const std::size_t written = length != 0 || *format == '\0' ? length + 1 : size;
  writes(to, written, FENCEPOST_PC());
  std::memcpy(to, text, length + 1);
  fencepost::checker::storage_give(text, size);
  return length;
}

}  // extern "C"
