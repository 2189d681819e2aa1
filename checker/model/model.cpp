// SPDX-License-Identifier: MIT
#include "model/model.hpp"

#include <cstring>
#include <initializer_list>

namespace fencepost::checker {

const Model* find_model(const char* name) {
  for (const Model* m : {&kRc11, &kCpp14, &kX86, &kSequentialConsistency}) {
    if (std::strcmp(m->name, name) == 0) return m;
  }
  return nullptr;
}

}  // namespace fencepost::checker
