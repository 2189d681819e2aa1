// SPDX-License-Identifier: MIT
// Characters of several bytes, of <wchar.h> and <stdlib.h>: what turning them into wide ones and
// back does to the program's memory. The program's calls are sent here (redefined-symbols.txt).
//
// Who gives no place for what has been read so far shares one with all who call that function. The
// locale is C's: there is no other.
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include <climits>
#include <cstring>
#include <initializer_list>

#include "interface/c_library/touched.hpp"

using fencepost::checker::read_of_string;
using fencepost::checker::reads;
using fencepost::checker::reads_string;
using fencepost::checker::writes;

namespace {

// The program's, as it were: begun anew in each execution.
mbstate_t of_mbrtowc, of_mbrlen, of_wcrtomb, of_mbtowc, of_mblen, of_wctomb;
char name_of_locale[] = "C";

void goes_on_from(mbstate_t* state, std::uint64_t pc) {
  reads(state, sizeof *state, pc);
  writes(state, sizeof *state, pc);
}

// How much of at most `n` bytes a character takes, as mbrtowc answers; and the character.
std::size_t next_character(wchar_t* to, const char* from, std::size_t n, mbstate_t* state,
                           std::uint64_t pc) {
  goes_on_from(state, pc);
  if (from == nullptr) return mbrtowc(nullptr, "", 1, state);
  wchar_t character = 0;
  const std::size_t taken = mbrtowc(&character, from, n, state);
  const bool is_whole = taken <= n;  // and neither too short nor no character
  reads(from, is_whole && taken != 0 ? taken : read_of_string(from, n), pc);
  if (is_whole && to != nullptr) {
    writes(to, sizeof *to, pc);
    *to = character;
  }
  return taken;
}

std::size_t put_character(char* to, wchar_t character, mbstate_t* state, std::uint64_t pc) {
  goes_on_from(state, pc);
  if (to == nullptr) return wcrtomb(nullptr, L'\0', state);
  char bytes[MB_LEN_MAX];
  const std::size_t length = wcrtomb(bytes, character, state);
  if (length > sizeof bytes) return length;
  writes(to, length, pc);
  std::memcpy(to, bytes, length);
  return length;
}

// What the older functions answer. No encoding here shifts: to begin anew says 0.
int as_int(std::size_t length) { return length > MB_LEN_MAX ? -1 : static_cast<int>(length); }

}  // namespace

extern "C" {

char* fencepost_setlocale(int category, const char* name) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (category < LC_CTYPE || category > LC_IDENTIFICATION) return nullptr;
  if (name == nullptr) {
    reads(name_of_locale, sizeof name_of_locale, pc);
    return name_of_locale;
  }
  reads_string(name, pc);
  for (const char* known : {"", "C", "POSIX"}) {
    if (std::strcmp(name, known) != 0) continue;
    writes(name_of_locale, sizeof name_of_locale, pc);
    return name_of_locale;
  }
  return nullptr;
}

std::size_t fencepost_mbrtowc(wchar_t* to, const char* from, std::size_t n, mbstate_t* state) {
  return next_character(to, from, n, state != nullptr ? state : &of_mbrtowc, FENCEPOST_PC());
}
std::size_t fencepost_mbrlen(const char* from, std::size_t n, mbstate_t* state) {
  return next_character(nullptr, from, n, state != nullptr ? state : &of_mbrlen, FENCEPOST_PC());
}
std::size_t fencepost_wcrtomb(char* to, wchar_t character, mbstate_t* state) {
  return put_character(to, character, state != nullptr ? state : &of_wcrtomb, FENCEPOST_PC());
}
int fencepost_mbsinit(const mbstate_t* state) {
  if (state != nullptr) reads(state, sizeof *state, FENCEPOST_PC());
  return mbsinit(state);
}

int fencepost_mbtowc(wchar_t* to, const char* from, std::size_t n) {
  return as_int(next_character(to, from, n, &of_mbtowc, FENCEPOST_PC()));
}
int fencepost_mblen(const char* from, std::size_t n) {
  return as_int(next_character(nullptr, from, n, &of_mblen, FENCEPOST_PC()));
}
int fencepost_wctomb(char* to, wchar_t character) {
  if (to == nullptr) return 0;
  return as_int(put_character(to, character, &of_wctomb, FENCEPOST_PC()));
}

}  // extern "C"
