// SPDX-License-Identifier: MIT
// Who uses a lock or a condition variable that is about to be destroyed, made anew or freed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

// A wait's last use of the object that it waits at, before it returns.
void will_use_last(std::uintptr_t object, std::size_t size, std::uint64_t pc);
// Who destroys the object by the library waits for those.
void waits_for_last_uses(std::uintptr_t object, std::size_t size);

}  // namespace fencepost::checker
