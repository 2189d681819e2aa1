// SPDX-License-Identifier: MIT
// Who uses an object after its destructor is in error, also where that is in order: nothing is left
// of it but what it happened to hold, which counts only where it matters.
//
// case: a_thread_before_what_it_uses
// flags: -DTHREAD
// expect: all=memory at=used
//
// case: a_thread_before_what_it_uses_without_optimisation
// flags: -DTHREAD -O0
// expect: all=memory at=used
//
// case: a_thread_before_what_it_uses_with_clang
// flags: -DTHREAD
// options: --cc clang-14
// expect: all=memory at=used
//
// case: a_thread_behind_what_it_uses
// flags: -DTHREAD -DBEHIND
// expect: all=holds
//
// case: a_thread_on_the_heap
// flags: -DTHREAD -DHEAP
// expect: all=memory at=used
//
// case: of_a_local_variable_only_afterwards
// flags: -DAFTERWARDS
// expect: all=memory at=used
//
// case: of_a_local_variable_by_the_first_other_thread
// flags: -DAFTERWARDS -DFIRST
// expect: all=memory at=used
//
// case: of_what_has_its_place_taken_afterwards
// flags: -DAFTERWARDS -DTAKEN
// expect: all=holds
//
// case: one_of_several_reads
// flags: -DSEVERAL
// expect: all=memory at=used
//
// case: one_byte_of_a_word_of_which_others_were_accessed
// flags: -DBYTES
// expect: all=memory at=used
//
// case: reset
// flags: -DRESET
// expect: all=memory at=used
//
// case: reset_in_a_static_object
// flags: -DRESET -DSTATIC
// expect: all=memory at=used
//
// case: reset_in_a_static_object_and_made_anew
// flags: -DRESET -DSTATIC -DMADE_ANEW
// expect: all=holds
//
// case: made_anew
// flags: -DRESET -DMADE_ANEW
// expect: all=holds
//
// case: written_anew_by_bytes
// flags: -DRESET -DBY_BYTES
// expect: all=holds
//
// case: copied_with_what_is_around_it
// flags: -DCOPIED
// expect: all=holds
//
// case: copied_with_what_is_around_it_with_clang
// flags: -DCOPIED
// options: --cc clang-14
// expect: all=holds
//
// case: library_classes_that_take_each_others_places
// flags: -DPLACES
// expect: all=holds
//
// case: library_classes_that_take_each_others_places_with_clang
// flags: -DPLACES
// options: --cc clang-14
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

struct Noted {
  int first = 1;
  int second = 2;
  ~Noted() { first = 0; }
};

#if defined(THREAD)
struct Worker {
#ifdef BEHIND
  Noted noted;
#endif
  std::jthread thread;
#ifndef BEHIND
  Noted noted;
#endif
  Worker()
      : thread([this](std::stop_token stop) {
          while (!stop.stop_requested()) std::this_thread::yield();
          const int found = noted.second;  // @used
          assert(found == 2);
        }) {}
};

int main() {
#ifdef HEAP
  auto worker = std::make_unique<Worker>();
#else
  Worker worker;
#endif
}

#elif defined(AFTERWARDS)
void use(const Noted* p) {
  const int found = p->second;  // @used
  assert(found == 2);
}

int main() {
  std::optional<Noted> noted(std::in_place);
  std::atomic<Noted*> shown{nullptr};
  Noted* const p = &*noted;
#ifdef FIRST
  noted.reset();
  std::thread other(use, p);
#else
  std::thread other([&] {
    Noted* seen;
    while ((seen = shown.load()) == nullptr) {
    }
    use(seen);
  });
  noted.reset();
#ifdef TAKEN
  noted.emplace();
#endif
  shown = p;
#endif
  other.join();
}

#elif defined(SEVERAL)
struct Several {
  int never;
  Noted noted;
};
int main() {
  std::mutex lock;
  auto* const several = new Several;
  Noted* const noted = &several->noted;
  std::thread other([&] {
    const std::lock_guard held(lock);
    noted->~Noted();
  });
  other.join();
  int copy;
  std::memcpy(&copy, &several->never, sizeof copy);
  const bool is_same = noted->second == 2;  // @used
  if (!is_same) std::exit(3);
}

#elif defined(BYTES)
struct Flag {
  bool set = true, other = true;
  ~Flag() { static_cast<void>(this); }
};
struct Word {
  char a = 1, b = 2, c = 3, d = 4;
  Flag flag;
};
int main() {
  std::mutex lock;
  auto* const word = new Word;
  std::thread other([&] {
    const std::lock_guard held(lock);
    word->flag.~Flag();
  });
  other.join();
  const bool is_set = word->flag.set;  // @used
  if (!is_set) std::exit(3);
}

#elif defined(RESET)
int main() {
  std::mutex lock;
#ifdef STATIC
  static std::optional<Noted> all(std::in_place);
  auto* const noted = &all;
#else
  auto noted = std::make_unique<std::optional<Noted>>(std::in_place);
#endif
  Noted* const inside = &**noted;
  std::thread other([&] {
    const std::lock_guard held(lock);
    noted->reset();
#ifdef MADE_ANEW
    noted->emplace();
#elif defined(BY_BYTES)
    const int bytes[] = {1, 2};
    std::memcpy(static_cast<void*>(inside), bytes, sizeof bytes);
#endif
  });
  other.join();
  const int found = inside->second;  // @used
  assert(found == 2);
}

#elif defined(COPIED)
struct Part {
  int kind;
  alignas(Noted) unsigned char bytes[sizeof(Noted)];
};
int main() {
  auto part = std::make_unique<Part>();
  part->kind = 1;
  auto* const noted = new (part->bytes) Noted;
  std::thread other([&] { noted->~Noted(); });
  other.join();
  auto copy = std::make_unique<Part>();
  *copy = *part;
  if (copy->kind != 1) std::exit(3);
}

#else
struct Everything {
  std::variant<int, std::string, std::vector<int>> one;
  std::optional<std::string> text;
  std::function<int()> call;
  std::map<int, std::string> names;
  std::vector<std::string> words;
};

std::mutex lock;

void change(Everything& all, int by) {
  const std::lock_guard held(lock);
  all.one = std::string("a text that is longer than what fits into the object");
  all.one = by;
  all.one = std::vector<int>{by};
  all.text = "x";
  all.text.reset();
  all.text = "y";
  const auto number = std::make_shared<int>(by);
  all.call = [number] { return *number; };
  all.call = nullptr;
  all.call = [number] { return *number + 1; };
  all.names[by] = "a";
  all.names.erase(by);
  all.names[by] = "b";
  all.words.insert(all.words.begin(), "front");
  all.words.push_back("back");
  all.words.erase(all.words.begin());
  Everything copy = all;
  Everything moved = std::move(copy);
  std::swap(moved, all);
}

int main() {
  auto all = std::make_shared<Everything>();
  std::thread other([all] { change(*all, 1); });
  change(*all, 2);
  other.join();
  assert(all->words.size() == 2 && all->names.size() == 2 && all->text == "y");
  assert(std::get<std::vector<int>>(all->one)[0] + 1 == all->call());
}
#endif
