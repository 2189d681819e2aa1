// SPDX-License-Identifier: MIT
// two_folders PATH: one daemon mounts at PATH, a second comes and is first at the lock, and the
// first gives up. Succeeds if what was mounted is still there.
#include <cstdio>
#include <optional>
#include <string>

#include "failure.hpp"
#include "folder.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string path = words[1];
  try {
    std::optional<barrierd::folder> first;
    first.emplace(path, true, true);
    barrierd::folder second(path, true, true);
    if (!second.lock() || first->lock()) return 3;
    first.reset();
    const barrierd::folder again(path, false, false);
  } catch (const barrierd::failure& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
  return 0;
}
