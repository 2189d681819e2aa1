// SPDX-License-Identifier: MIT
// Streams of characters in an array are streams: two threads that use one race.
//
// case: one_for_both
// flags: -DOF_MINE=shared -DOF_THEIRS=shared -Wno-deprecated
// expect: all=violated:data-race
//
// case: one_for_each
// flags: -DOF_MINE=mine -DOF_THEIRS=theirs -Wno-deprecated
// expect: all=holds
#include <strstream>
#include <thread>

static std::ostrstream shared, mine, theirs;

int main() {
  std::thread other([] { OF_THEIRS << 1; });
  const int count = static_cast<int>(OF_MINE.pcount());
  other.join();
  shared.freeze(false);
  theirs.freeze(false);
  return count > 1;
}
