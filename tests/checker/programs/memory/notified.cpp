// SPDX-License-Identifier: MIT
// A notification reads nothing of its object: the library has its address, and that is enough for
// it. But it is a member function, and whoever it wakes, or whoever has seen before it what there
// was to see, may have ended the object's life meanwhile (the paper P2616 is about that).
//
// case: who_waits_deletes
// expect: all=violated:memory at=DELETES says="memory is freed while main may still access it"
//
// The library as it is written needs no more than the address.
// case: as_written
// options: --library-as-written
// expect: x86=holds
//
// case: who_waits_returns
// flags: -DRETURNS
// expect: all=violated:memory says="scope ends while T1 may still access it"
//
// case: who_waits_deletes_a_flag
// flags: -DKIND=flag
// expect: all=violated:memory at=DELETES
//
// case: who_waits_deletes_a_pointer
// flags: -DKIND=pointer
// expect: all=violated:memory at=DELETES
//
// case: who_waits_deletes_a_reference
// flags: -DKIND=reference
// expect: all=violated:memory at=DELETES
//
// case: who_waits_deletes_more_than_a_word
// flags: -DKIND=two_words -mcx16
// expect: all=violated:memory at=DELETES
//
// case: it_was_deleted_before
// flags: -DBEFORE
// expect: all=violated:memory at=AFTER says="a notification of memory that main freed"
//
// case: who_deletes_waits_for_its_end
// flags: -DJOINS
// expect: all=holds
//
// case: who_deletes_has_the_lock_that_it_was_done_under
// flags: -DLOCKED
// expect: all=holds
//
// Others may write to the object meanwhile: it does not race with them.
// case: two_who_notify
// flags: -DTWO
// expect: all=holds
//
// case: two_who_notify_and_who_waits_deletes
// flags: -DTWO -DDELETED
// expect: all=violated:memory
//
// What its thread has read before is remembered beside it.
// case: read_before
// flags: -DREAD
// expect: all=violated:data-race at=WRITES
#include <atomic>
#include <mutex>
#include <thread>

struct flag {
  std::atomic_flag it;
  void wait() { it.wait(false); }
  void set() { it.test_and_set(); }
  void notify() { it.notify_one(); }
};

struct number {
  std::atomic<int> it{0};
  void wait() { it.wait(0); }
  void set() { it.store(1); }
  void notify() { it.notify_one(); }  // @AFTER
};

struct pointer {
  std::atomic<pointer*> it{nullptr};
  void wait() { it.wait(nullptr); }
  void set() { it.store(this); }
  void notify() { it.notify_all(); }
};

struct reference {
  alignas(4) int number = 0;
  std::atomic_ref<int> it{number};
  void wait() { it.wait(0); }
  void set() { it.store(1); }
  void notify() { it.notify_one(); }
};

struct two_words {
  struct words {
    long a, b;
  };
  std::atomic<words> it{words{0, 0}};
  void wait() { it.wait(words{0, 0}); }
  void set() { it.store(words{1, 1}); }
  void notify() { it.notify_all(); }
};

#ifndef KIND
#define KIND number
#endif

#if defined(RETURNS)

void waits_for_it() {
  number done;
  std::thread worker([&] {
    done.set();
    done.notify();
  });
  worker.detach();
  done.wait();
}

int main() { waits_for_it(); }

#elif defined(BEFORE)

int main() {
  auto* done = new number;
  delete done;
  done->notify();
}

#elif defined(JOINS)

int main() {
  auto* done = new number;
  std::thread worker([=] {
    done->set();
    done->notify();
  });
  done->wait();
  worker.join();
  delete done;
}

#elif defined(LOCKED)

int main() {
  static std::mutex lock;
  auto* done = new number;
  std::thread worker([=] {
    std::lock_guard held(lock);
    done->set();
    done->notify();
  });
  done->wait();
  { std::lock_guard held(lock); }
  delete done;
  worker.join();
}

#elif defined(TWO)

int main() {
  auto* done = new number;
  const auto sets = [=] {
    done->set();
    done->notify();
    done->set();
  };
  std::thread first(sets), second(sets);
  done->wait();
  first.join();
#ifdef DELETED
  delete done;
  second.join();
#else
  second.join();
  delete done;
#endif
}

#elif defined(READ)

int main() {
  static int plain = 0;
  std::atomic_ref shared(plain);
  std::thread writes([] { plain = 1; });  // @WRITES
  const int read = plain;                 // @WRITES
  shared.notify_one();
  writes.join();
  return read > 1;
}

#else

int main() {
  auto* done = new KIND;
  std::thread waits([=] {
    done->wait();
    delete done;  // @DELETES
  });
  done->set();
  done->notify();
  waits.join();
}

#endif
