// SPDX-License-Identifier: MIT
//
// The options that the programs here share, those of J. Gustedt's test program: -t threads,
// -s seconds, -f N (each acquisition of a lock deschedules its thread with probability 1/N),
// -l a file for the log.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct arguments {
  int threads = 1;
  double seconds = 1;
  unsigned descheduled = 0;  ///< N; 0 is never
  std::string log;           ///< empty: none
  std::string choice;        ///< of what -k, -w or -h chooses
  std::vector<std::string> rest;
};

/// How a program is used: its name, its own option and what follows the options.
struct usage {
  const char* program;
  char choosing;  ///< the letter of its own option
  const char* own_option;
  const char* rest;
  const char* explained;
};

/// Ends the program with a message: status 2, as for every option that cannot be.
[[noreturn]] void refuse(const std::string& what);

/// What the command line says. Ends the program where it says something that cannot be.
arguments parse(int argc, char** argv, const usage& how);

}  // namespace bench
