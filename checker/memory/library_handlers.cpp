// SPDX-License-Identifier: MIT
#include "memory/library_handlers.hpp"

#include <memory_resource>

namespace fencepost::checker {

LibraryHandlers LibraryHandlers::now() {
  return {std::get_terminate(), std::get_new_handler(), get_unexpected(),
          std::pmr::get_default_resource()};
}

void LibraryHandlers::put_back() const {
  if (now() == *this) return;
  std::set_terminate(terminates);
  std::set_new_handler(has_no_memory);
  set_unexpected(unexpected);
  std::pmr::set_default_resource(static_cast<std::pmr::memory_resource*>(default_resource));
}

}  // namespace fencepost::checker
