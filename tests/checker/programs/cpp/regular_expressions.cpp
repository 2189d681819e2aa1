// SPDX-License-Identifier: MIT
// A library that keeps what it has looked up once: the second execution finds it there.
//
// case: matched
// expect: all=holds executions=1
//
// case: matched_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
#include <cassert>
#include <regex>

int main() { assert(std::regex_match("ab", std::regex("a."))); }
