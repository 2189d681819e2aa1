// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <dlfcn.h>

#include "arguments.hpp"

namespace bench {

library::library(const std::string& named) {
  const auto equals = named.find('=');
  name_ = equals == std::string::npos ? named : named.substr(0, equals);
  path_ = equals == std::string::npos ? named : named.substr(equals + 1);
  // By a path: a name alone would be looked for among the libraries that the program has already,
  // and all that take the place of libatomic have its name.
  if (path_.find('/') == std::string::npos) path_ = "./" + path_;
  handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) refuse("cannot open the library: " + std::string(dlerror()));
}

void* library::address(const std::string& symbol) const {
  void* const found = dlsym(handle_, symbol.c_str());
  if (found == nullptr) refuse(path_ + " has no function " + symbol);
  return found;
}

bool library::calls_inject() const { return dlsym(handle_, "atomic_inject") != nullptr; }

}  // namespace bench
