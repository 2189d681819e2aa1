// SPDX-License-Identifier: MIT
#include "execution/call_sites.hpp"

#include <gtest/gtest.h>

namespace fencepost::checker {
namespace {

TEST(call_sites, a_call_gets_the_order_it_asks_for_unless_told_otherwise) {
  CallSites sites;
  EXPECT_EQ(sites.override_orders("401a=rel"), nullptr);
  EXPECT_EQ(sites.order(0x401a, Operation::store, 4, Order::seq_cst), Order::release);
  EXPECT_EQ(sites.order(0x401b, Operation::store, 4, Order::seq_cst), Order::seq_cst);
}

TEST(call_sites, compare_exchange_has_two_orders) {
  CallSites sites;
  EXPECT_EQ(sites.override_orders("10=acq_rel/rlx,20=sc/acq"), nullptr);
  Order failure = Order::seq_cst;
  EXPECT_EQ(sites.order(0x10, Operation::compare_exchange, 8, Order::seq_cst, &failure),
            Order::acq_rel);
  EXPECT_EQ(failure, Order::relaxed);
  EXPECT_EQ(sites.order(0x20, Operation::compare_exchange, 8, Order::relaxed, &failure),
            Order::seq_cst);
  EXPECT_EQ(failure, Order::acquire);
}

TEST(call_sites, a_mistake_in_the_overrides_is_named) {
  for (const char* text : {"40", "=rel", "40=", "40=release", "40=rel/", "40=rel/x", "zz=rel",
                           "40=nothing", "40=call/rlx"}) {
    CallSites sites;
    EXPECT_NE(sites.override_orders(text), nullptr) << text;
  }
}

TEST(call_sites, calls_of_the_programs_own_functions_are_watched_and_may_order_nothing) {
  CallSites sites;
  sites.write_down();
  EXPECT_FALSE(sites.watching());
  EXPECT_EQ(sites.override_orders("10=call,20=none,30=rel"), nullptr);
  EXPECT_TRUE(sites.watching());
  EXPECT_FALSE(sites.orders_nothing(0x10));
  EXPECT_TRUE(sites.orders_nothing(0x20));
  EXPECT_FALSE(sites.orders_nothing(0x30));
  EXPECT_FALSE(sites.orders_nothing(0x40));
  unsigned called = 0;
  for (const CallSite& site : sites.table()) called += site.called ? 1U : 0U;
  EXPECT_EQ(called, 2U);
}

TEST(call_sites, writes_down_what_was_asked_for_and_not_what_was_given) {
  CallSites sites;
  sites.write_down();
  EXPECT_EQ(sites.override_orders("40=rlx"), nullptr);
  sites.order(0x40, Operation::load, 2, Order::acquire);
  sites.order(0x40, Operation::load, 2, Order::seq_cst);
  unsigned called = 0;
  for (const CallSite& site : sites.table()) {
    if (!site.called) continue;
    ++called;
    EXPECT_EQ(site.pc, 0x40U);
    EXPECT_EQ(site.size, 2U);
    const unsigned both =
        1U << static_cast<unsigned>(Order::acquire) | 1U << static_cast<unsigned>(Order::seq_cst);
    EXPECT_EQ(site.asked, both);
  }
  EXPECT_EQ(called, 1U);
}

TEST(call_sites, thousands_of_calls_are_told_apart) {
  CallSites sites;
  sites.write_down();
  for (std::uint64_t pc = 1; pc <= 3000; ++pc) sites.order(pc, Operation::load, 4, Order::relaxed);
  unsigned called = 0;
  for (const CallSite& site : sites.table()) called += site.called ? 1U : 0U;
  EXPECT_EQ(called, 3000U);
}

}  // namespace
}  // namespace fencepost::checker
