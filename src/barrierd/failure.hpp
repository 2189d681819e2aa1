// SPDX-License-Identifier: MIT
//
// What ends the program: a sentence for whoever started it, which says what to do.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

namespace barrierd {

class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// With the error number's meaning behind it.
inline failure failure_of(const std::string& what, int error) {
  return failure(what + ": " + std::strerror(error));
}

}  // namespace barrierd
