// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace bench {

void refuse(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what.c_str());
  std::exit(2);
}

double number(const char* option, const char* text, double least, double most, bool is_whole) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= least && value <= most) ||
      (is_whole && value != static_cast<double>(static_cast<unsigned long>(value)))) {
    char range[96];
    std::snprintf(range, sizeof range, "a %snumber from %g to %g is needed",
                  is_whole ? "whole " : "", least, most);
    refuse(std::string("--") + option + " " + text + ": " + range);
  }
  return value;
}

}  // namespace bench
