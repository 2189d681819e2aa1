// SPDX-License-Identifier: MIT
//
// Every function of the library as a piece of work to be timed: called over and over on an object
// that nobody else wants.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "library.hpp"

namespace bench {

/// Calls a function so many times.
using repeated = std::function<void(unsigned long times)>;

struct call {
  std::string name;  ///< what is called, on how many bytes, in which order
  std::function<repeated(const library&)> of;
};

/// All of them, with names of their own.
std::vector<call> all_calls();

}  // namespace bench
