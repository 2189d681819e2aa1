// SPDX-License-Identifier: MIT
// The members of a path look at its text alone; what looks at files is refused.
//
// case: its_text
// expect: all=holds executions=3
//
// case: a_file
// flags: -DFILES
// expect: all=inconclusive at=file says="uses the file system"
#include <atomic>
#include <cassert>
#include <filesystem>
#include <thread>

namespace fs = std::filesystem;

static fs::path path("a/b/c");
static std::atomic<int> steps;

int main() {
  std::thread other([] {
    steps = 1;
    steps = 2;
  });
#ifdef FILES
  if (fs::exists(path)) return 1;  // @file
#endif
  const int seen = steps;
  assert(path.filename() == "c" && path.is_relative());
  path.remove_filename();
  path /= "longer/name/of/something";
  assert(path.parent_path() == "a/b/longer/name/of");
  fs::path copy = path;
  copy.replace_extension(seen == 0 ? ".x" : ".longer_than_that");
  int parts = 0;
  for (const fs::path& part : copy) parts += part.empty() ? 100 : 1;
  assert(parts == 6 &&
         copy.lexically_relative("a/b") == copy.lexically_normal().string().substr(4));
  other.join();
}
