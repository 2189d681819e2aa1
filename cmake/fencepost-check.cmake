# SPDX-License-Identifier: MIT
# Checks of a project's own programs, as tests of CTest:
#
#   fencepost_add_check(
#     NAME    queue                      # the tests are queue.c++20, queue.x86, ...
#     SOURCES check_queue.cpp queue.cpp  # one program, with a main() of its own
#     MODELS  c++20 x86                  # what `fencepost check --model` knows; c++20 if left out
#     OPTIONS --timeouts                 # further options of `fencepost check`
#     FLAGS   -DSLOTS=2 -std=c++20       # for the compiler
#     TARGETS mylib                      # whose include directories and definitions it needs
#     TRUST   core util.o                # targets or files that it is linked to as they are, and
#                                        # whose accesses to memory are taken on trust
#     EXPECT  holds)                     # or violated: a bug that must stay found
#
# A test passes if that verdict is the answer; whatever is inconclusive or does not compile fails.
# FENCEPOST_COMMAND is the command line: that of the source tree if Fencepost is a part of the build
# (add_subdirectory, FetchContent), and one that is found otherwise. The checker itself must be
# built: set FENCEPOST_CHECKER=ON before Fencepost is added.
include_guard(GLOBAL)

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../checker/CMakeLists.txt")
  get_filename_component(command "${CMAKE_CURRENT_LIST_DIR}/../fencepost" REALPATH)
  set(FENCEPOST_COMMAND "${command}" CACHE FILEPATH "Fencepost's command line")
else()
  find_program(FENCEPOST_COMMAND fencepost HINTS "${PACKAGE_PREFIX_DIR}/bin"
               DOC "Fencepost's command line")
endif()

function(fencepost_add_check)
  cmake_parse_arguments(PARSE_ARGV 0 check "" "NAME;EXPECT" "SOURCES;MODELS;OPTIONS;FLAGS;TARGETS;TRUST")
  if(check_UNPARSED_ARGUMENTS OR NOT check_NAME OR NOT check_SOURCES)
    message(FATAL_ERROR
            "fencepost_add_check: needs NAME and SOURCES, and knows MODELS, OPTIONS, FLAGS, TARGETS, "
            "TRUST, EXPECT besides; not understood: '${check_UNPARSED_ARGUMENTS}'")
  endif()
  set(known_models sc c++20 c++14 x86)
  if(NOT check_EXPECT)
    set(check_EXPECT holds)
  elseif(NOT check_EXPECT MATCHES "^(holds|violated)$")
    message(FATAL_ERROR "fencepost_add_check: EXPECT is holds or violated, not ${check_EXPECT}")
  endif()
  if(NOT FENCEPOST_COMMAND)
    message(FATAL_ERROR
            "fencepost_add_check: there is no command 'fencepost'. Install it (package "
            "fencepost-tools), add Fencepost's source tree to the build (FetchContent or "
            "add_subdirectory), or set FENCEPOST_COMMAND to the file 'fencepost' of a tree where "
            "'make build' was run.")
  endif()
  if(NOT check_MODELS)
    set(check_MODELS c++20)
  endif()
  foreach(model IN LISTS check_MODELS)
    if(NOT model IN_LIST known_models)
      list(JOIN known_models ", " known)
      message(FATAL_ERROR
              "fencepost_add_check: '${model}' is no model (${known}), and none of NAME, SOURCES, OPTIONS, "
              "FLAGS, TARGETS, TRUST, EXPECT")
    endif()
  endforeach()
  set(environment)
  if(TARGET fencepost_check)
    # Built with everything else, for the tests need it.
    if(NOT TARGET fencepost_checker)
      add_custom_target(fencepost_checker ALL DEPENDS fencepost_check)
    endif()
    get_target_property(built fencepost_check BINARY_DIR)
    get_filename_component(built "${built}" DIRECTORY)
    set(environment "FENCEPOST_BUILD_DIR=${built}")
  elseif(EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../checker/CMakeLists.txt" AND fencepost_BINARY_DIR)
    message(FATAL_ERROR "fencepost_add_check: the checker is not built; set FENCEPOST_CHECKER=ON "
                        "before Fencepost is added")
  endif()

  set(sources)
  foreach(source IN LISTS check_SOURCES)
    if(NOT source MATCHES "\\.(c|cc|cpp|cxx|c\\+\\+|C|cp)$")
      message(FATAL_ERROR
              "fencepost_add_check: '${source}' is no C or C++ source, and none of NAME, SOURCES, MODELS, "
              "OPTIONS, FLAGS, TARGETS, TRUST, EXPECT")
    endif()
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  list(LENGTH sources count)
  if(count GREATER 1)
    list(APPEND check_OPTIONS --link)
  endif()
  foreach(trusted IN LISTS check_TRUST)
    if(NOT TARGET "${trusted}")
      get_filename_component(trusted "${trusted}" ABSOLUTE)
      list(APPEND check_OPTIONS "--trust=${trusted}")
      continue()
    endif()
    get_target_property(type "${trusted}" TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND check_OPTIONS "--trust=$<TARGET_FILE:${trusted}>")
    elseif(type STREQUAL "OBJECT_LIBRARY")
      list(APPEND check_OPTIONS "--trust=$<JOIN:$<TARGET_OBJECTS:${trusted}>,$<SEMICOLON>--trust=>")
    else()
      message(FATAL_ERROR "fencepost_add_check: TRUST takes static and object libraries, and "
                          "${trusted} is none (${type})")
    endif()
    list(APPEND check_TARGETS "${trusted}")
  endforeach()
  set(flags ${check_FLAGS})
  foreach(target IN LISTS check_TARGETS)
    set(includes "$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>")
    list(APPEND flags "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>"
                      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
  endforeach()
  foreach(model IN LISTS check_MODELS)
    set(test "${check_NAME}.${model}")
    add_test(NAME "${test}"
             COMMAND "${FENCEPOST_COMMAND}" check ${sources} --model "${model}" ${check_OPTIONS}
                     -- ${flags}
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" COMMAND_EXPAND_LISTS)
    set_tests_properties("${test}" PROPERTIES LABELS fencepost ENVIRONMENT "${environment}")
    if(check_EXPECT STREQUAL "violated")
      # Not WILL_FAIL: a program that no longer compiles would pass.
      string(REPLACE "+" "[+]" pattern "${model}")
      set_tests_properties("${test}" PROPERTIES PASS_REGULAR_EXPRESSION ": violated under ${pattern}:")
    endif()
  endforeach()
endfunction()
