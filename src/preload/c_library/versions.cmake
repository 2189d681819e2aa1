# SPDX-License-Identifier: MIT
# The versions that the C library gives to its functions, for a library that stands before them.
#
# A name without a version stands before all of its versions but for who asks for one by dlvsym().
# So each gets them too, and so does a second name with two underscores more, that programs were
# linked to once. A version that is another function, at another address, stays the C library's: the
# condition variables of 2002 are pointers, smaller than those of today.

# Sets `map` and `script` in the caller, for the functions `names`: files with a version script, and
# with what else the linker is to read, which gives them more names.
function(versions_of_c_library names map script)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libc.so.6
                  OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only --with-symbol-versions ${library}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [TWi] [a-z0-9_]+@+GLIBC_[0-9.]+\n" symbols "${symbols}")
  set(given)
  set(nodes)
  foreach(name IN LISTS names)
    set(found ${symbols})
    list(FILTER found INCLUDE REGEX " (__)?${name}@")
    string(REGEX MATCH "([0-9a-f]+) . ${name}@@(GLIBC_[0-9.]+)" default "${found}")
    set(address "${CMAKE_MATCH_1}")
    set(newest "${CMAKE_MATCH_2}")
    set(others ${found})
    list(FILTER others EXCLUDE REGEX "^${address} ")
    list(FILTER found INCLUDE REGEX "^${address} ")
    foreach(symbol IN LISTS found)
      string(REGEX MATCH "([a-z0-9_]+)(@+)(GLIBC_[0-9.]+)" all "${symbol}")
      set(version ${CMAKE_MATCH_3})
      list(APPEND nodes ${version})
      if(NOT CMAKE_MATCH_1 STREQUAL name)
        list(APPEND given "${CMAKE_MATCH_1} = ${name}")
      endif()
      if(others AND CMAKE_MATCH_2 STREQUAL "@@")
        list(APPEND in_${version} ${name})
      else()
        list(APPEND given "\"${CMAKE_MATCH_1}@${version}\" = ${name}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES nodes)
  list(REMOVE_DUPLICATES given)
  set(text "/* Made by versions.cmake. What has no version here is visible, or hidden, as it says. */\n")
  foreach(node IN LISTS nodes)
    list(JOIN in_${node} "; " content)
    if(content)
      string(APPEND content ";")
    endif()
    string(APPEND text "${node} { ${content} };\n")
  endforeach()
  set(${map} ${CMAKE_CURRENT_BINARY_DIR}/versions.map)
  file(CONFIGURE OUTPUT ${${map}} CONTENT "${text}" @ONLY)
  list(JOIN given ";\n" text)
  set(${script} ${CMAKE_CURRENT_BINARY_DIR}/names.ld)
  file(CONFIGURE OUTPUT ${${script}} CONTENT "${text};\n" @ONLY)
  set(${map} ${${map}} PARENT_SCOPE)
  set(${script} ${${script}} PARENT_SCOPE)
endfunction()

# The functions that these headers and sources have visible, as exported.hpp does it.
function(exported_by result)
  set(names)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} lines REGEX "^FENCEPOST_EXPORTED\\(")
    list(TRANSFORM lines REPLACE "^FENCEPOST_EXPORTED\\(([a-z0-9_]+)\\);" "\\1")
    list(APPEND names ${lines})
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()
