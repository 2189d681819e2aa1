// SPDX-License-Identifier: MIT
//
// What libbpf says while a program is loaded: kept, and shown when loading fails.
#pragma once

#include <string>

namespace barrierd {

/// From now on libbpf's warnings are kept; with `verbose` everything is printed instead.
void keep_messages(bool verbose);

/// The last lines that were kept, each indented, or nothing.
std::string kept_messages();

}  // namespace barrierd
