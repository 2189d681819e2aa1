// SPDX-License-Identifier: MIT
#include "kernel/messages.hpp"

#include <bpf/libbpf.h>

#include <cstdarg>
#include <cstdio>
#include <deque>

namespace barrierd {
namespace {

constexpr std::size_t most = 12;
std::deque<std::string> kept;
bool print_all = false;

[[gnu::format(printf, 2, 0)]] int keep(libbpf_print_level level, const char* format,
                                       va_list values) {
  if (print_all) return std::vfprintf(stderr, format, values);
  if (level == LIBBPF_DEBUG) return 0;
  char text[512];
  const int length = std::vsnprintf(text, sizeof text, format, values);
  std::string line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  kept.push_back(std::move(line));
  if (kept.size() > most) kept.pop_front();
  return length;
}

}  // namespace

void keep_messages(bool verbose) {
  print_all = verbose;
  libbpf_set_print(keep);
}

std::string kept_messages() {
  std::string text;
  for (const std::string& line : kept) text += "\n  " + line;
  return text;
}

}  // namespace barrierd
