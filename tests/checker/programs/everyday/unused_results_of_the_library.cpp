// SPDX-License-Identifier: MIT
// What a function of the C or C++ library reads it reads whoever uses its result, and may race with
// those who write there.
//
// case: strlen
// flags: -DWRITE=bytes[0]=1 -DREAD=std::strlen(bytes)
// expect: all=violated:data-race
//
// case: memcmp
// flags: -DWRITE=bytes[0]=1 -DREAD=std::memcmp(bytes,others,4)
// expect: all=violated:data-race
//
// case: wcslen
// flags: -DWRITE=wide[0]=1 -DREAD=std::wcslen(wide)
// expect: all=violated:data-race
//
// case: strchr
// flags: -DWRITE=bytes[0]=1 -DREAD=std::strchr(bytes,98)
// expect: all=violated:data-race
//
// case: atoi
// flags: -DWRITE=bytes[0]=49 -DREAD=std::atoi(bytes)
// expect: all=violated:data-race
//
// case: a_map_that_is_walked_through
// flags: -DWRITE=map.insert({3,3}) -DREAD=++iterator
// expect: all=violated:data-race
//
// case: an_element_that_is_gone
// flags: -DWRITE=map.erase(1) -DREAD=0 -DAFTER=++iterator
// expect: all=violated:memory
//
// case: nobody_writes
// flags: -DWRITE=others[0]=1 -DREAD=std::strlen(bytes)
// expect: all=holds
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <map>
#include <thread>

static char bytes[4] = "ab", others[4] = "ac";
static wchar_t wide[4] = L"ab";
static std::map<int, int> map{{1, 1}, {2, 2}};

int main() {
  auto iterator = map.begin();
  (void)iterator;
  std::thread other([&] { (void)(READ); });
  (void)(WRITE);
  other.join();
#ifdef AFTER
  AFTER;
#endif
  (void)bytes, (void)others, (void)wide;
}
