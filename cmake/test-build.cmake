# SPDX-License-Identifier: MIT
# How tests are compiled where nobody is about to debug them: to be run once, soon.

set(brief FALSE)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT FENCEPOST_SANITIZE)
  set(brief TRUE)
  add_compile_options(-g0)
elseif(FENCEPOST_SANITIZE MATCHES "thread")
  # Files and lines for its reports, and nothing of variables, which takes a third of the time.
  add_compile_options(-g1)
endif()

# Reads the test library once for all files of the target.
macro(test_build target)
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h>)
endmacro()
