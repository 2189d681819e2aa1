// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "processors.hpp"

namespace bench {

namespace {

constexpr int most_threads = 4096;
constexpr double most_seconds = 3600;
constexpr double most_rarely = 1e9;

const char* program_name = "";

void explain(std::FILE* to, const usage& how) {
  std::fprintf(
      to,
      "usage: %s [-t THREADS] [-s SECONDS] [-f N] [-l FILE] %s %s\n\n"
      "  -t THREADS  how many threads run (1)\n"
      "  -s SECONDS  how long they do (1)\n"
      "  -f N        whoever has taken a lock is descheduled with probability 1/N (never)\n"
      "  -l FILE     append the figures as a line of JSON; - is standard output\n%s",
      how.program, how.own_option, how.rest, how.explained);
}

double number(char letter, const char* text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= least && value <= most)) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    refuse(std::string("-") + letter + " " + text + ": a number from " + range + " is needed");
  }
  return value;
}

double whole(char letter, const char* text, double most) {
  const double value = number(letter, text, 1, most);
  if (value != std::floor(value)) {
    refuse(std::string("-") + letter + " " + text + ": a whole number is needed");
  }
  return value;
}

}  // namespace

void refuse(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_name, what.c_str());
  std::exit(2);
}

arguments parse(int argc, char** argv, const usage& how) {
  allowed_processors();  // before any thread is pinned
  program_name = how.program;
  arguments found;
  const std::string letters = std::string(":t:s:f:l:h") + how.choosing + ":";
  for (int letter; (letter = getopt(argc, argv, letters.c_str())) != -1;) {
    if (letter == 't') {
      found.threads = static_cast<int>(whole('t', optarg, most_threads));
    } else if (letter == 's') {
      found.seconds = number('s', optarg, 1e-3, most_seconds);
    } else if (letter == 'f') {
      found.descheduled = static_cast<unsigned>(whole('f', optarg, most_rarely));
    } else if (letter == 'l') {
      found.log = optarg;
    } else if (letter == how.choosing) {
      found.choice = optarg;
    } else if (letter == ':') {
      refuse(std::string("-") + static_cast<char>(optopt) + " needs a value; -h lists the options");
    } else if (letter == 'h') {
      explain(stdout, how);
      std::exit(0);
    } else {
      refuse(std::string("no option -") + static_cast<char>(optopt) + "; -h lists them");
    }
  }
  found.rest.assign(argv + optind, argv + argc);
  return found;
}

}  // namespace bench
