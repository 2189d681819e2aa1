// SPDX-License-Identifier: MIT
#include "exports.hpp"

int fencepost_version() noexcept { return FENCEPOST_VERSION; }
