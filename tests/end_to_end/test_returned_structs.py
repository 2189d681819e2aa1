# SPDX-License-Identifier: MIT
"""Structs that calls return straight into shared memory: made there in place or moved there as
bytes, they are seen at every level of optimisation."""

from __future__ import annotations

import pytest
from answer import Check

#: Strings that are returned into members, into other results and into shared variables: by
#: functions of the file, of the library's headers, and of the library's archive.
STRINGS = """\
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
struct named { std::string name; int age; };
struct several { std::vector<int> numbers; std::string text; std::shared_ptr<int> one; };
std::string tail(const std::string& s) { return s.substr(1); }
named longer(const std::string& from) { return {from + "d", 12}; }
named shorter(const std::string& from) { return {from.substr(1), 3}; }
named shown(int n) { std::ostringstream o; o << n; return {o.str(), n}; }
std::optional<std::string> rest(const std::string& s) {
  if (s.empty()) return std::nullopt;
  return tail(s);
}
std::vector<int> numbers() { return {1, 2, 3}; }
several all() { return {numbers(), tail("abc"), std::make_shared<int>(3)}; }
std::mutex guard;
std::string text;
int main() {
  std::thread other([] {
    const named n = longer("a name that is too long to lie in the string itself");
    const std::lock_guard<std::mutex> lock(guard);
    text += n.name;
  });
  {
    const std::lock_guard<std::mutex> lock(guard);
    text += shorter("ab").name + shown(7).name;
  }
  other.join();
  std::map<std::string, int> ages;
  ages[tail("ab")] = all().numbers[1];
  text = tail(text);
  assert(ages["b"] == 2 && *rest("ab") == "b" && text.size() == 53);
}
"""

#: Two threads construct a struct, which a call returns, at the same place.
AT_ONE_PLACE = """\
#include <new>
#include <string>
#include <thread>
struct pieces { int all[6]; };
struct whole { WHOLE; ~whole() {} };
__attribute__((noinline)) RESULT make(int n);
RESULT make(int n) { return {{n, n, n, n, n, n}}; }
alignas(16) static char room[64];
static char* volatile place = room;
int main() {
  std::thread other([] { new (place) RESULT(make(1)); });
  new (place) RESULT(make(2));
  other.join();
}
"""
BY_REFERENCE = AT_ONE_PLACE.replace("WHOLE;", "int all[6];").replace("RESULT", "whole")
AS_BYTES = AT_ONE_PLACE.replace("WHOLE;", "int one;").replace("RESULT", "pieces")

LEVELS = pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])


@pytest.mark.matrix(5)
@LEVELS
@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_strings_may_be_returned_into_anything(check: Check, compiler: str, level: str) -> None:
    answer = check(STRINGS, "--cc", compiler, "--", level, name="strings.cpp")
    assert answer.verdict == "holds", answer
    assert answer.result["executions"] == 2


@pytest.mark.matrix(5)
@LEVELS
@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_what_is_constructed_in_place_races(check: Check, compiler: str, level: str) -> None:
    answer = check(BY_REFERENCE, "--cc", compiler, "--", level, name="race.cpp")
    assert answer.verdict == "violated", answer
    assert answer.result["violation"]["kind"] == "data-race"


@LEVELS
def test_what_is_moved_as_bytes_races(check: Check, level: str) -> None:
    answer = check(AS_BYTES, "--", level, name="race.cpp")
    assert answer.verdict == "violated", answer
    assert answer.result["violation"]["kind"] == "data-race"
