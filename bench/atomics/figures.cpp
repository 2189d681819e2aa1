// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "processors.hpp"

namespace bench {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

std::string listed(const figures& all) {
  std::string text;
  for (const auto& [name, value] : all) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", value);
    text += (text.empty() ? "" : ", ") + quoted(name) + ": " + number;
  }
  return "{" + text + "}";
}

bool can_pin() {
  bool pinned = false;
  std::thread([&] { pinned = pin(0); }).join();
  return pinned;
}

}  // namespace

void write_figures(const char* program, const arguments& given, const std::string& log,
                   const std::vector<std::pair<std::string, figures>>& variants) {
  std::FILE* const file = log == "-" ? stdout : std::fopen(log.c_str(), "a");
  if (file == nullptr) refuse("-l " + log + ": cannot be written");
  std::string text;
  for (const auto& [name, all] : variants) {
    text += (text.empty() ? "" : ", ") + quoted(name) + ": " + listed(all);
  }
  const bool written =
      std::fprintf(file,
                   "{\"program\": %s, \"choice\": %s, \"threads\": %d, \"descheduled\": %u, "
                   "\"compiler\": \"" BENCH_COMPILER "\", \"flags\": \"" BENCH_FLAGS
                   "\", \"pinned\": %s, \"variants\": {%s}}\n",
                   quoted(program).c_str(), quoted(given.choice).c_str(), given.threads,
                   given.descheduled, can_pin() ? "true" : "false", text.c_str()) > 0;
  if (!written || std::fflush(file) != 0) refuse("-l " + log + ": cannot be written");
  if (file != stdout) std::fclose(file);
}

double fairness(const std::vector<unsigned long>& shares) {
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  return *most != 0 ? static_cast<double>(*least) / static_cast<double>(*most) : 0.0;
}

}  // namespace bench
