# SPDX-License-Identifier: MIT
# The atomics runtime for programs that use musl instead of glibc, built by the wrapper of Debian's
# musl-tools:
#
#     cmake -S . -B build/musl -G Ninja --toolchain cmake/musl.cmake
#
# musl-gcc finds musl's headers, and neither C++ ones nor the kernel's. A library that needs no C++
# library has enough of GCC's own, which ask which glibc they are on: none.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_CXX_COMPILER musl-gcc)

execute_process(COMMAND g++ -x c++ -E -v /dev/null OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX MATCHALL "\n /[^\n]*/c\\+\\+/[^\n]*" folders "${said}")
string(REGEX REPLACE "\n " "" folders "${folders}")
execute_process(COMMAND gcc -print-multiarch OUTPUT_VARIABLE machine
                OUTPUT_STRIP_TRAILING_WHITESPACE)

# The kernel's, without glibc's beside them.
set(kernel ${CMAKE_BINARY_DIR}/kernel_headers)
file(MAKE_DIRECTORY ${kernel})
foreach(folder IN ITEMS linux asm-generic ${machine}/asm)
  cmake_path(GET folder FILENAME name)
  file(CREATE_LINK /usr/include/${folder} ${kernel}/${name} SYMBOLIC)
endforeach()

list(PREPEND folders ${CMAKE_CURRENT_LIST_DIR}/musl)
list(APPEND folders ${kernel})
list(TRANSFORM folders PREPEND "-isystem ")
list(JOIN folders " " folders)
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ ${folders} '-D__GLIBC_PREREQ(major,minor)=0'")

set(FENCEPOST_ATOMIC_LIBC ON CACHE BOOL "")
# All else here is for programs with a C++ library.
foreach(what IN ITEMS C EXAMPLES TESTS TOOLS)
  set(FENCEPOST_${what} OFF CACHE BOOL "")
endforeach()
