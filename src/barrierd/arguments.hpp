// SPDX-License-Identifier: MIT
//
// The command line of the daemon.
#pragma once

#include <string>
#include <vector>

namespace barrierd {

enum class task : unsigned char { serve, once, stop, status, metrics, self_test, help, version };
enum class hook_choice : unsigned char { automatic, x86, generic };

struct arguments {
  task what = task::serve;
  std::string directory = "/run/fencepost";
  hook_choice hooks = hook_choice::automatic;
  bool mount = false;
  bool verbose = false;
  double seconds = 1;
};

/// Bad usage: a sentence. Exit status 3.
struct bad_usage {
  std::string text;
};

/// Throws bad_usage.
arguments parse(const std::vector<std::string>& words);

const char* usage();

}  // namespace barrierd
