# SPDX-License-Identifier: MIT
# The C library: its tests in C, once for each form of it, and that its structs are the C++ objects.
if(TARGET fencepost::c)
  file(STRINGS capi/tests.h capi_tests REGEX "^TEST\\(")
  foreach(library IN ITEMS c c_static)
    add_executable(capi_test_${library}
      capi/conditions_test.c
      capi/event_counts_test.c
      capi/extremes_test.c
      capi/fences_test.c
      capi/interrupt_clock_test.c
      capi/locks_test.c
      capi/main.c
      capi/processes_test.c
      capi/rings_test.c
      capi/signals_test.c
      capi/tickets_test.c
    )
    target_compile_definitions(capi_test_${library} PRIVATE _GNU_SOURCE)
    target_link_libraries(capi_test_${library} PRIVATE fencepost::${library} Threads::Threads)
    foreach(line IN LISTS capi_tests)
      string(REGEX REPLACE "^TEST\\((.*)\\)$" "\\1" test "${line}")
      add_test(NAME ${library}.${test} COMMAND capi_test_${library} ${test})
      set_tests_properties(${library}.${test} PROPERTIES TIMEOUT 300)
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS capi/tests.h)

  add_executable(capi_layout_test capi_layout_test.cpp)
  target_link_libraries(capi_layout_test PRIVATE fencepost::fencepost fencepost::c
                                                 GTest::gtest_main)
  gtest_discover_tests(capi_layout_test TEST_PREFIX c.)
endif()
