// SPDX-License-Identifier: MIT
// The system's random numbers: threads have different ones, also before main. A device that two
// threads draw from at once is an object that both change.
//
// case: drawn
// expect: all=holds
//
// case: one_device
// flags: -DONE_DEVICE
// expect: all=violated:data-race
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include <atomic>
#include <cassert>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

static std::random_device device;
static std::mt19937 seeded(device());

#ifdef ONE_DEVICE
int main() {
  std::thread other([] { static_cast<void>(device()); });
  static_cast<void>(device());
  other.join();
}
#else
int main() {
  assert(device.entropy() >= 0);
  std::atomic<unsigned> numbers[2];
  std::thread one([&] { numbers[0] = std::random_device("/dev/urandom")(); });
  std::thread other([&] {
    unsigned number = 0;
    assert(getrandom(&number, sizeof number, 0) == sizeof number);
    numbers[1] = number;
  });
  one.join();
  other.join();
  assert(numbers[0] != numbers[1]);

  unsigned char bytes[300] = {};
  assert(getentropy(bytes, 256) == 0);
  assert(std::set<int>(bytes, bytes + 256).size() > 100);
  assert(getentropy(bytes, sizeof bytes) == -1 && errno == EIO);
  assert(getrandom(bytes, 1, 64) == -1 && errno == EINVAL);
  assert(getrandom(bytes, 7, GRND_NONBLOCK) == 7);
  arc4random_buf(bytes, 3);
  static_cast<void>(arc4random());

  std::set<unsigned> different;
  for (int i = 0; i < 20; ++i) {
    assert(arc4random_uniform(6) < 6);
    const double real = drand48();
    assert(real >= 0 && real < 1);
    assert(lrand48() >= 0);
    different.insert(seeded() ^ device());
    different.insert(static_cast<unsigned>(mrand48()));
  }
  assert(different.size() == 40);
  try {
    std::random_device nonsense("nonsense");
    assert(false);
  } catch (const std::runtime_error&) {
  }
}
#endif
