// SPDX-License-Identifier: MIT
#include "fencepost/hazard_pointer.hpp"

#include <gtest/gtest.h>
#include <limits.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace {

using fencepost::hazard_pointer;
using fencepost::hazard_pointer_clean_up;
using fencepost::hazard_pointer_garbage_limit;
using fencepost::make_hazard_pointer;

int alive = 0;

struct node : fencepost::hazard_pointer_obj_base<node> {
  explicit node(int n = 0) : value(n) { ++alive; }
  ~node() { --alive; }
  int value;
};

class hazard_pointers : public testing::Test {
 protected:
  ~hazard_pointers() override {
    hazard_pointer_garbage_limit(1000);
    hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
  }
};

TEST_F(hazard_pointers, protect_what_is_retired_until_they_are_reset) {
  std::atomic<node*> shared{new node(7)};
  hazard_pointer reader = make_hazard_pointer();
  const node* const seen = reader.protect(shared);
  EXPECT_EQ(seen, shared.load());
  shared.exchange(nullptr)->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(seen->value, 7);
  reader.reset_protection();
  EXPECT_EQ(alive, 1);
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 0);
}

TEST_F(hazard_pointers, protect_null_too) {
  const std::atomic<node*> nothing{nullptr};
  EXPECT_EQ(make_hazard_pointer().protect(nothing), nullptr);
}

TEST_F(hazard_pointers, protect_by_a_pointer_to_const) {
  std::atomic<const node*> shared{new node(7)};
  hazard_pointer reader = make_hazard_pointer();
  EXPECT_EQ(reader.protect(shared)->value, 7);
  const_cast<node*>(shared.exchange(nullptr))->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
}

TEST_F(hazard_pointers, try_to_protect_what_has_been_replaced_and_say_by_what) {
  node first(1);
  node second(2);
  const std::atomic<node*> shared{&second};
  hazard_pointer reader = make_hazard_pointer();
  node* seen = &first;
  EXPECT_FALSE(reader.try_protect(seen, shared));
  EXPECT_EQ(seen, &second);
  EXPECT_TRUE(reader.try_protect(seen, shared));
  EXPECT_EQ(seen, &second);
}

TEST_F(hazard_pointers, protect_nothing_after_they_failed_to) {
  auto* const old = new node;
  const std::atomic<node*> shared{nullptr};
  hazard_pointer reader = make_hazard_pointer();
  node* seen = old;
  EXPECT_FALSE(reader.try_protect(seen, shared));
  old->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 0);
}

TEST_F(hazard_pointers, protect_by_address_what_is_retired_later) {
  auto* const object = new node;
  hazard_pointer reader = make_hazard_pointer();
  reader.reset_protection(object);
  object->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
}

TEST_F(hazard_pointers, are_empty_or_own_a_slot_that_moves_with_them) {
  hazard_pointer none;
  EXPECT_TRUE(none.empty());
  hazard_pointer first = make_hazard_pointer();
  EXPECT_FALSE(first.empty());
  auto* const object = new node;
  first.reset_protection(object);
  hazard_pointer second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT: that is the question
  swap(second, none);
  EXPECT_TRUE(second.empty());
  hazard_pointer third = make_hazard_pointer();
  third = std::move(none);
  object->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
  hazard_pointer& itself = third;
  third = std::move(itself);
  EXPECT_FALSE(third.empty());
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
  third = hazard_pointer();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 0);
}

TEST_F(hazard_pointers, of_one_thread_protect_one_object_each) {
  auto* const first = new node;
  auto* const second = new node;
  hazard_pointer outer = make_hazard_pointer();
  outer.reset_protection(first);
  {
    hazard_pointer inner = make_hazard_pointer();
    inner.reset_protection(second);
    first->retire();
    second->retire();
    hazard_pointer_clean_up();
    EXPECT_EQ(alive, 2);
  }
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
}

struct remembering {
  void operator()(struct remembered* object) const;
  std::shared_ptr<std::string> said;
};

struct remembered : fencepost::hazard_pointer_obj_base<remembered, remembering> {
  char value = 'x';
};

void remembering::operator()(remembered* object) const {
  *said += object->value;
  delete object;
}

TEST_F(hazard_pointers, call_the_deleter_that_was_given_and_let_go_of_it) {
  const auto said = std::make_shared<std::string>();
  (new remembered)->retire(remembering{said});
  EXPECT_EQ(*said, "");
  EXPECT_EQ(said.use_count(), 2);
  hazard_pointer_clean_up();
  EXPECT_EQ(*said, "x");
  EXPECT_EQ(said.use_count(), 1);
}

struct with_a_table {
  virtual ~with_a_table() { --alive; }
  int before = 1;
};

struct second_base : with_a_table, fencepost::hazard_pointer_obj_base<second_base> {
  second_base() { ++alive; }
};

TEST_F(hazard_pointers, find_their_part_of_an_object_wherever_it_is) {
  std::atomic<second_base*> shared{new second_base};
  hazard_pointer reader = make_hazard_pointer();
  reader.protect(shared);
  shared.load()->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 1);
}

TEST_F(hazard_pointers, that_stall_keep_the_garbage_below_the_limit) {
  hazard_pointer_garbage_limit(100);
  auto* const stays = new node;
  hazard_pointer stalled = make_hazard_pointer();
  stalled.reset_protection(stays);
  stays->retire();
  int most = 0;
  for (int n = 0; n != 10'000; ++n) {
    (new node)->retire();
    most = std::max(most, alive);
  }
  EXPECT_EQ(most, 99);
}

TEST_F(hazard_pointers, that_are_many_raise_the_limit_to_twice_their_number) {
  hazard_pointer_garbage_limit(1);
  constexpr int many = 50;
  std::optional<hazard_pointer> readers[many];
  for (auto& reader : readers) {
    reader.emplace(make_hazard_pointer());
    auto* const object = new node;
    reader->reset_protection(object);
    object->retire();
  }
  const auto limit = static_cast<int>(2 * fencepost::hazard::slots.count());
  EXPECT_GE(limit, 2 * many);
  for (int n = 0; n != 10 * limit; ++n) {
    (new node)->retire();
    EXPECT_LT(alive, limit);
  }
}

struct link : fencepost::hazard_pointer_obj_base<link> {
  explicit link(link* after) : next(after) { ++alive; }
  ~link() {
    --alive;
    if (next != nullptr) next->retire();
  }
  link* next;
};

TEST_F(hazard_pointers, reclaim_a_list_of_any_length_from_its_destructors) {
  for (const std::size_t limit : {1, 1000}) {
    hazard_pointer_garbage_limit(limit);
    link* first = nullptr;
    for (int n = 0; n != 300'000; ++n) first = new link(first);
    first->retire();
    hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
  }
}

struct busy : fencepost::hazard_pointer_obj_base<busy> {
  busy() { ++alive; }
  ~busy() {
    --alive;
    hazard_pointer own = make_hazard_pointer();
    own.protect(elsewhere);
    hazard_pointer_clean_up();
  }
  std::atomic<node*> elsewhere{nullptr};
};

TEST_F(hazard_pointers, may_be_used_in_a_destructor) {
  (new busy)->retire();
  (new busy)->retire();
  hazard_pointer_clean_up();
  EXPECT_EQ(alive, 0);
}

TEST_F(hazard_pointers, copy_and_assign_objects_without_what_retires_them) {
  auto* const first = new node(1);
  first->retire();
  hazard_pointer reader = make_hazard_pointer();
  reader.reset_protection(first);
  auto* const second = new node(*first);
  ++alive;  // the copy
  *second = *first;
  second->retire();
  EXPECT_EQ(second->value, 1);
}

TEST_F(hazard_pointers, of_threads_that_exit_are_used_again) {
  std::thread([] { const hazard_pointer reader = make_hazard_pointer(); }).join();
  const std::size_t before = fencepost::hazard::slots.count();
  for (int n = 0; n != 20; ++n) {
    std::thread([] {
      // Destroyed after what the thread keeps has been given back.
      static thread_local hazard_pointer late;
      late = make_hazard_pointer();
    }).join();
  }
  EXPECT_EQ(fencepost::hazard::slots.count(), before);
}

TEST_F(hazard_pointers, of_destructors_of_keys_are_used_again) {
  // Round after round, for the key is set again.
  static pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void* rounds) {
                                 const hazard_pointer reader = make_hazard_pointer();
                                 auto* const left = static_cast<int*>(rounds);
                                 if (--*left != 0) pthread_setspecific(key, left);
                               }),
            0);
  const auto exit_in = [](int rounds) {
    std::thread([&] { pthread_setspecific(key, &rounds); }).join();
    EXPECT_EQ(rounds, 0);
  };
  const auto owned = [] {
    std::size_t count = 0;
    for (const auto* one = fencepost::hazard::slots.all(); one != nullptr; one = one->next) {
      if (one->is_owned.load(std::memory_order_relaxed)) ++count;
    }
    return count;
  };
  const std::size_t before = owned();
  for (int rounds = 1; rounds <= PTHREAD_DESTRUCTOR_ITERATIONS; ++rounds) exit_in(rounds);
  EXPECT_EQ(owned(), before);
  pthread_key_delete(key);
}

TEST_F(hazard_pointers, beyond_those_that_a_thread_keeps_are_given_back_at_once) {
  constexpr std::size_t many = 2 * fencepost::hazard::thread_state::most_kept;
  const auto use_many = [] {
    hazard_pointer readers[many];
    for (hazard_pointer& reader : readers) reader = make_hazard_pointer();
  };
  use_many();
  const std::size_t before = fencepost::hazard::slots.count();
  use_many();
  std::thread([] { const hazard_pointer reader = make_hazard_pointer(); }).join();
  EXPECT_EQ(fencepost::hazard::slots.count(), before);
}

#ifndef NDEBUG
TEST_F(hazard_pointers, used_while_empty_end_the_program) {
  hazard_pointer none;
  EXPECT_DEATH(none.reset_protection(), "fencepost::hazard_pointer 0x.*used while it is empty");
}

TEST_F(hazard_pointers, whose_object_is_retired_twice_end_the_program) {
  auto* const object = new node;
  hazard_pointer reader = make_hazard_pointer();
  reader.reset_protection(object);
  object->retire();
  EXPECT_DEATH(object->retire(), "fencepost::hazard_pointer_obj_base 0x.*retired twice");
}
#endif

}  // namespace
