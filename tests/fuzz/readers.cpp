// SPDX-License-Identifier: MIT
// What reads texts and memory that others have written: lists of processors, the header of an
// interrupt clock, the command line of the daemon.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "choices.hpp"
#include "fencepost/interrupt_clock.hpp"

namespace {

using fuzz::choices;
using fuzz::expect;

std::string rest_of(choices& input) {
  std::string text;
  while (input.more()) text += static_cast<char>(input.byte());
  return text;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Whether it is a number below the largest of processors, as the kernel writes it.
bool is_number(const std::string& text, unsigned& value) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return false;
  const std::size_t digits = text.find_first_not_of('0');
  if (digits != text.npos && text.size() - digits > 5) return false;
  value = static_cast<unsigned>(std::strtoul(text.c_str(), nullptr, 10));
  return value < 1U << 16;
}

/// The same by other means; false: it is no list.
bool processors_in(const std::string& text, std::vector<unsigned>& all) {
  const std::string line = text.substr(0, text.find('\n'));
  if (line.empty()) return true;
  for (const std::string& part : split(line, ',')) {
    const std::size_t dash = part.find('-');
    unsigned first = 0;
    if (!is_number(part.substr(0, dash), first)) return false;
    unsigned last = first;
    if (dash != part.npos && (!is_number(part.substr(dash + 1), last) || last < first)) {
      return false;
    }
    for (unsigned one = first; one <= last; ++one) all.push_back(one);
    if (all.size() > 1 << 18) return true;
  }
  return true;
}

void list_of_processors(choices& input) {
  const std::string text = rest_of(input);
  std::vector<unsigned> expected;
  const bool is_list = processors_in(text, expected);
  if (expected.size() > 1 << 18) return;
  std::vector<unsigned> found;
  const std::vector<char> exactly(text.begin(), text.end());
  expect(fencepost::processors::for_each_in(exactly.data(), exactly.size(), [&](unsigned one) {
           found.push_back(one);
         }) == is_list);
  if (is_list) expect(found == expected);
}

void header_of_a_clock(choices& input) {
  using fencepost::interrupt_clock_trouble;
  fencepost_clock_header header{};
  header.magic = fencepost_clock_magic;
  header.version = fencepost_clock_version;
  header.line = fencepost_clock_line_size;
  header.first_slot = fencepost_clock_first_slot;
  header.clock = fencepost_clock_monotonic;
  header.slots = 2;
  header.generation = 1;
  while (input.more()) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&header);
    bytes[input.below(sizeof header)] = input.byte();
  }
  // It is of no boot, or of another one: 16 random bytes.
  const interrupt_clock_trouble trouble = fencepost::detail::judge(header);
  expect(trouble != interrupt_clock_trouble::none);
  expect(std::strlen(to_string(trouble)) > 5);
  if (trouble == interrupt_clock_trouble::other_boot) {
    const std::size_t size = fencepost::detail::clock_size(header.slots);
    expect(size > 2 * sizeof(fencepost_clock_line) && size < std::size_t{1} << 23);
  }
}

void command_line(choices& input) {
  const std::vector<std::string> words = split(rest_of(input), '\n');
  try {
    const barrierd::arguments chosen = barrierd::parse(words);
    expect(!chosen.directory.empty() && chosen.directory[0] == '/');
    expect(chosen.seconds > 0 && chosen.seconds <= 3600);
  } catch (const barrierd::bad_usage& wrong) {
    expect(!wrong.text.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  choices input(data, size);
  switch (input.below(3)) {
    case 0:
      list_of_processors(input);
      break;
    case 1:
      header_of_a_clock(input);
      break;
    default:
      command_line(input);
  }
  return 0;
}
