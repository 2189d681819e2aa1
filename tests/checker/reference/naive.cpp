// SPDX-License-Identifier: MIT
//
// naive [--limit N] [--machines]: the consistent executions of litmus tests, by enumeration.
//
// Standard input: a test a line, MODEL[,MODEL...] TAB PROGRAM [TAB CONDITION]. For each line and
// model it prints `= MODEL EXECUTIONS SATISFIED CANDIDATES` and then the executions, sorted, each
// after `+ ` if the condition holds at its end and `- ` if not; or, once for the line,
// `! over LIMIT` when there are more candidates, `! TEXT` when the test is not understood.
//
// With --machines the executions are instead those of the abstract machines of sc and x86, which
// know no conditions and have no candidates.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "litmus.hpp"
#include "models/axioms.hpp"
#include "models/enumerate.hpp"
#include "models/machine.hpp"

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

struct found {
  std::string model_name;
  reference::model which;
  std::vector<std::string> executions;
  long satisfied = 0;
};

void answer(const std::string& line, long limit, bool machines, std::string& out) {
  const std::vector<std::string> fields = split(line, '\t');
  if (fields.size() < 2) {
    out += "! expected MODELS TAB PROGRAM\n";
    return;
  }
  std::vector<found> models;
  for (const std::string& name : split(fields[0], ',')) {
    const auto which = reference::model_named(name);
    if (!which) {
      out += "! no model " + name + "\n";
      return;
    }
    models.push_back({name, *which, {}});
  }
  litmus::program program;
  litmus::condition condition;
  const char* error = litmus::parse(fields[1].c_str(), program);
  if (error == nullptr && fields.size() > 2) {
    error = litmus::parse_condition(fields[2].c_str(), program, condition);
  }
  if (error != nullptr) {
    out += std::string("! ") + error + "\n";
    return;
  }
  if (program.bytes && machines) {
    out += "! not for accesses of different sizes\n";
    return;
  }
  if (machines) {
    for (const found& f : models) {
      if (f.which == reference::model::cpp20 || f.which == reference::model::cpp14) {
        out += "! no machine for " + f.model_name + "\n";
        return;
      }
      const std::set<std::string> executions =
          reference::machine_executions(program, f.which == reference::model::x86);
      out += "= " + f.model_name + " " + std::to_string(executions.size()) + " 0 0\n";
      for (const std::string& e : executions) out += "- " + e + "\n";
    }
    return;
  }
  const long candidates = reference::for_each_candidate(
      program, limit, [&](const reference::candidate& c, const reference::final_state& end) {
        for (found& f : models) {
          if (!reference::consistent(f.which, c)) continue;
          const bool satisfied = litmus::satisfied(condition, end.threads, end.memory);
          f.executions.push_back((satisfied ? "+ " : "- ") + reference::text_of(c, program));
          f.satisfied += satisfied ? 1 : 0;
        }
      });
  if (candidates < 0) {
    out += "! over " + std::to_string(limit) + "\n";
    return;
  }
  for (found& f : models) {
    std::sort(f.executions.begin(), f.executions.end(),
              [](const std::string& a, const std::string& b) {
                return std::string_view(a).substr(2) < std::string_view(b).substr(2);
              });
    out += "= " + f.model_name + " " + std::to_string(f.executions.size()) + " " +
           std::to_string(f.satisfied) + " " + std::to_string(candidates) + "\n";
    for (const std::string& e : f.executions) out += e + "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  long limit = 200000;
  bool machines = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--machines") {
      machines = true;
    } else if (argument == "--limit" && i + 1 < argc) {
      limit = std::strtol(argv[++i], nullptr, 10);
    } else {
      std::cerr << "usage: naive [--limit N] [--machines]\n";
      return 3;
    }
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string out;
    answer(line, limit, machines, out);
    std::cout << out << std::flush;
  }
  return 0;
}
