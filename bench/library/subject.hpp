// SPDX-License-Identifier: MIT
//
// What every benchmark program here shares: each subject file defines register_benchmarks(),
// main.cpp calls it. Names are "work/variant" or "work/threads:N/variant"; a variant that is a peer
// which is not installed is not compiled, and so not in the list that --benchmark_list_tests
// prints.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <functional>
#include <string>

#include "processors.hpp"

namespace bench {

/// Defined by each subject: registers its benchmarks.
void register_benchmarks();

/// Registers `run` under `name`, timed by the CPU clock of the thread that runs it: what preempts
/// it does not count. On x86 it also yields reference_cycles, the same time as time_stamp.hpp
/// counts it.
void register_loop(const std::string& name, std::function<void(benchmark::State&)> run);

/// Registers `window`, which measures one stretch of time by itself and leaves its figures in
/// state.counters; it returns the seconds that it measured.
void register_window(const std::string& name, std::function<double(benchmark::State&)> window);

/// Says that a benchmark did not do what it measures: the window yields an error in the place of
/// figures, and the program ends with status 1.
void wrong(benchmark::State& state, const char* what);

/// How long a window lasts: what --benchmark_min_time says.
std::chrono::duration<double> window_length();

}  // namespace bench
