# SPDX-License-Identifier: MIT
# The C library: its tests in C, once for each form of it, and that its structs are the C++ objects.
if(TARGET fencepost::c)
  file(STRINGS capi_test.c capi_tests REGEX "^ +TEST\\(")
  foreach(library IN ITEMS c c_static)
    add_executable(capi_test_${library} capi_test.c)
    target_link_libraries(capi_test_${library} PRIVATE fencepost::${library} Threads::Threads)
    foreach(line IN LISTS capi_tests)
      string(REGEX REPLACE "^ +TEST\\((.*)\\),$" "\\1" test "${line}")
      add_test(NAME ${library}.${test} COMMAND capi_test_${library} ${test})
      set_tests_properties(${library}.${test} PROPERTIES TIMEOUT 300)
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS capi_test.c)

  add_executable(capi_layout_test capi_layout_test.cpp)
  target_link_libraries(capi_layout_test PRIVATE fencepost::fencepost fencepost::c
                                                 GTest::gtest_main)
  gtest_discover_tests(capi_layout_test TEST_PREFIX c.)
endif()
