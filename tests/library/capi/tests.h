/* SPDX-License-Identifier: MIT
 *
 * The tests of the C library: each a function, in the file of its subject, and a line here. TEST
 * says what becomes of a name; CMake reads them, too. */
/* clang-format off */
TEST(a_condition_is_waited_for_in_turns)
TEST(a_light_and_a_heavy_fence_do_not_both_miss)
TEST(a_lock_that_is_held_says_so)
TEST(a_ticket_is_over_by_its_deadline)
TEST(an_mpmc_ring_loses_nothing)
TEST(an_spsc_ring_keeps_the_order)
TEST(an_spsc_ring_takes_what_it_has_room_for_however_many_are_offered)
TEST(event_count64_carries_letters)
TEST(event_count64_runs_out_of_time)
TEST(event_count_carries_letters)
TEST(event_count_runs_out_of_time)
TEST(flags_that_nobody_knows_are_refused)
TEST(mpmc_ring_says_full_empty_closed)
TEST(no_time_is_refused_and_any_other_kept_to)
TEST(one_thread_at_a_time_holds_a_lock)
TEST(signals_end_no_wait)
TEST(spsc_ring_says_full_empty_closed)
TEST(the_version_is_the_headers)
TEST(two_processes_share_everything)
TEST(what_is_none_is_refused)
TEST(without_a_clock_nobody_has_passed)
/* clang-format on */
#undef TEST
