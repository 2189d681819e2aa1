# SPDX-License-Identifier: MIT
# cmake -DPORT_DIR=… -DTO=… -P vcpkg_stand_in.cmake: runs a portfile where there is no vcpkg, and leaves
# in TO/packages what it installs. The functions here take the arguments of vcpkg's and do the same for
# this library. Any other function, and any other argument, is an error.
cmake_minimum_required(VERSION 3.25)

set(PORT fencepost)
set(CURRENT_PORT_DIR ${PORT_DIR})
set(CURRENT_PACKAGES_DIR ${TO}/packages)
set(release_prefix ${CURRENT_PACKAGES_DIR})
set(debug_prefix ${CURRENT_PACKAGES_DIR}/debug)

macro(refuse_others)
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION} knows no ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  refuse_others()
  foreach(config IN ITEMS release debug)
    execute_process(
      COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${TO}/${config} -G Ninja
              -DCMAKE_BUILD_TYPE=${config} -DCMAKE_INSTALL_PREFIX=${${config}_prefix}
              -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_BINDIR=bin ${arg_OPTIONS}
      COMMAND_ERROR_IS_FATAL ANY ERROR_VARIABLE said)
    if(said MATCHES "variables were not used")
      message(FATAL_ERROR "${said}")
    endif()
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "")
  refuse_others()
  foreach(config IN ITEMS release debug)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${TO}/${config} --target install
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

# The files of CMake's package go from two levels below lib to share/fencepost, one file of each
# library for each configuration.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  refuse_others()
  set(share ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(GLOB files ${release_prefix}/${arg_CONFIG_PATH}/*.cmake
                  ${debug_prefix}/${arg_CONFIG_PATH}/*-debug.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    cmake_path(GET file FILENAME name)
    if(name MATCHES "-debug\\.cmake$")
      string(REPLACE "\${_IMPORT_PREFIX}/lib" "\${_IMPORT_PREFIX}/debug/lib" text "${text}")
    endif()
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}" "${up}" text "${text}")
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text
           "${text}")
    file(WRITE ${share}/${name} "${text}")
  endforeach()
  file(REMOVE_RECURSE ${release_prefix}/lib/cmake ${debug_prefix}/lib/cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "")
  refuse_others()
  file(GLOB files ${debug_prefix}/lib/pkgconfig/*.pc)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REPLACE "\${prefix}/include" "\${prefix}/../include" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  refuse_others()
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

include(${CURRENT_PORT_DIR}/portfile.cmake)
